#include "models/operator_sql.h"

namespace relayer::models::sql
{
namespace
{
std::string millisOf(const std::string &time)
{
    return "floor(extract(epoch FROM " + time + ") * 1000)::bigint";
}

std::string line()
{
    return "r.id, r.job_id, r.kind, r.variant, r.status, r.error_code, " +
           millisOf("r.created_at") + ", " + millisOf("r.status_at") + ", " +
           millisOf("now() - r.status_at");
}

const std::string kWanted =
    " r.id < $6::bigint AND r.id >= $8::bigint"
    " AND ($2::text IS NULL OR r.kind = $2::text::request_kind)"
    " AND ($3::text IS NULL OR r.status = $3::text::request_status)"
    " AND ($4::bigint IS NULL OR r.created_at <= now() - $4::bigint * interval '1 millisecond')"
    " AND ($5::bigint IS NULL OR r.created_at >= now() - $5::bigint * interval '1 millisecond')";

std::string page(const std::string &from, const std::string &order)
{
    return "SELECT " + line() + " FROM " + from + " WHERE" + kWanted + " ORDER BY " + order +
           " DESC LIMIT $7::bigint";
}

// The ids that a name stands for; few.
std::string named(const std::string &ids)
{
    return page("(" + ids + ") n(id) JOIN request r ON r.id = n.id", "r.id");
}

std::string lookedAt()
{
    return std::to_string(kLookedAt);
}

// Each of the kinds, so that an index that begins with the kind serves.
const std::string kEachKind = "IN ('input_proof', 'public_decrypt', 'user_decrypt')";
}  // namespace

Walk walkOf(const core::RequestSearch &search)
{
    static const std::string byJobId =
        named("SELECT w.id FROM request w WHERE w.job_id = $1::uuid");
    static const std::string byContent =
        named("SELECT w.id FROM request w WHERE w.kind " + kEachKind +
              " AND w.content_hash = $1::bytea AND w.dedup UNION ALL"
              " SELECT w.id FROM request w WHERE w.content_hash = $1::bytea AND NOT w.dedup");
    static const std::string byGatewayId =
        named("SELECT g.request_id FROM gateway_reference g WHERE g.kind " + kEachKind +
              " AND g.gateway_id = $1::bytea");
    static const std::string byTransaction = named(
        "SELECT DISTINCT a.request_id FROM tx_version v JOIN tx_attempt a"
        " ON a.id = v.attempt_id WHERE v.hash = $1::bytea");
    if (search.jobId)
    {
        return {&byJobId, nullptr, true};
    }
    if (search.txHash)
    {
        return {&byTransaction, nullptr, true};
    }
    if (search.gatewayId)
    {
        return {&byGatewayId, nullptr, true};
    }
    if (search.contentHash)
    {
        return {&byContent, nullptr, true};
    }
    // $1 has to be spoken of, or its type is not known.
    static const std::string unnamed = " AND $1::bytea IS NULL";
    static const std::string live =
        page("live_request l JOIN request r ON r.id = l.request_id" + unnamed, "r.id");
    static const std::string failed = page(
        "(SELECT f.request_id FROM failed_request f WHERE f.request_id < $6::bigint"
        " AND f.request_id >= $8::bigint"
        " AND ($2::text IS NULL OR f.kind = $2::text::request_kind)"
        " AND f.status = $3::text::request_status ORDER BY f.request_id DESC LIMIT " +
            lookedAt() + ") f JOIN request r ON r.id = f.request_id" + unnamed,
        "f.request_id");
    static const std::string failedEdge =
        "SELECT f.request_id FROM failed_request f WHERE f.request_id < $1::bigint"
        " AND f.request_id >= $2::bigint ORDER BY f.request_id DESC OFFSET " +
        lookedAt() + " - 1 LIMIT 1";
    static const std::string all = page(
        "(SELECT * FROM request w WHERE w.id < $6::bigint AND w.id >= $8::bigint"
        " AND $1::bytea IS NULL ORDER BY w.id DESC LIMIT " +
            lookedAt() + ") r",
        "r.id");
    static const std::string edge =
        "SELECT w.id FROM request w WHERE w.id < $1::bigint AND w.id >= $2::bigint"
        " ORDER BY w.id DESC OFFSET " +
        lookedAt() + " - 1 LIMIT 1";
    if (!search.status || *search.status == core::Status::Completed)
    {
        return {&all, &edge, false};
    }
    return core::isTerminal(*search.status) ? Walk{&failed, &failedEdge, false}
                                            : Walk{&live, nullptr, false};
}

const std::string &firstAdmittedSince()
{
    // What comes before `lo` is older, and what comes at `hi` or behind it is not.
    static const std::string text =
        "WITH RECURSIVE wanted AS MATERIALIZED"
        " (SELECT now() - $1::bigint * interval '1 millisecond' AS at),\n"
        "step(lo, hi) AS (SELECT min(r.id), max(r.id) + 1 FROM request r UNION ALL"
        " SELECT CASE WHEN m.created_at < w.at THEN m.id + 1 ELSE s.lo END,"
        " CASE WHEN m.created_at < w.at THEN s.hi ELSE (s.lo + s.hi) / 2 END"
        " FROM step s CROSS JOIN wanted w CROSS JOIN LATERAL (SELECT r.id, r.created_at"
        " FROM request r WHERE r.id >= (s.lo + s.hi) / 2 ORDER BY r.id LIMIT 1) m"
        " WHERE s.lo < s.hi)\n"
        "SELECT lo FROM step WHERE lo >= hi";
    return text;
}

const std::string &historyOfRequest()
{
    static const std::string text =
        "SELECT " + line() +
        ", r.error_detail, r.content_hash, r.gateway_id, r.tx_hash, r.ticket,"
        " coalesce(i.name, r.owner::text), octet_length(r.payload)::bigint,"
        " r.resolved_threshold::bigint, r.trail,"
        " (SELECT o.job_id FROM request o WHERE o.id = r.resubmits),"
        " EXISTS (SELECT FROM tx_attempt a WHERE a.request_id = r.id AND a.open)"
        " FROM request r LEFT JOIN instance i ON i.epoch = r.owner WHERE r.job_id = $1::uuid";
    return text;
}

const std::string &attemptsOfRequest()
{
    static const std::string text =
        "SELECT a.id, a.lane, a.nonce, a.state, a.sends::bigint, " + millisOf("a.created_at") +
        ", a.mined_hash, a.mined_block, a.closing_code, v.hash, v.max_fee_per_gas,"
        " v.max_priority_fee_per_gas, v.gas_limit, v.no_op, " +
        millisOf("v.created_at") + ", " + millisOf("v.last_sent_at") +
        " FROM tx_attempt a JOIN tx_version v ON v.attempt_id = a.id"
        " WHERE a.request_id = $1::bigint ORDER BY a.id, v.created_at, v.hash LIMIT 200";
    return text;
}

const std::string &resubmissionsOf()
{
    static const std::string text =
        "SELECT r.job_id FROM request r WHERE r.resubmits = $1::bigint ORDER BY r.id DESC LIMIT 20";
    return text;
}

const std::string &eventsOfGatewayId()
{
    // No index names the gateway id: it would make each delivery dear, for this alone.
    static const std::string text =
        "SELECT e.request, e.removed, e.block_number, e.log_index::bigint, e.tx_hash, " +
        millisOf("e.received_at") + ", " + millisOf("e.handled_at") +
        " FROM (SELECT * FROM gateway_event w WHERE w.block_number >= $3::bigint"
        " ORDER BY w.block_number LIMIT 5000) e WHERE e.kind = $1::text::request_kind"
        " AND e.gateway_id = $2::bytea ORDER BY e.block_number, e.log_index LIMIT 200";
    return text;
}

const std::string &sharesOfGatewayId()
{
    static const std::string text =
        "SELECT s.share_index::bigint, " + millisOf("s.created_at") +
        ", s.response_tx_hash FROM kms_share s WHERE s.gateway_id = $1::bytea"
        " ORDER BY s.arrival LIMIT 200";
    return text;
}

const std::string &answerToGatewayId()
{
    static const std::string text = "SELECT a.accepted, " + millisOf("a.arrived_at") +
                                    ", a.response_tx_hash FROM gateway_answer a"
                                    " WHERE a.kind = $1::text::request_kind"
                                    " AND a.gateway_id = $2::bytea";
    return text;
}

const std::string &errorsWithin()
{
    static const std::string text =
        "SELECT f.kind, f.error_code, count(*) FROM failed_request f"
        " WHERE f.ended_at > now() - $1::bigint * interval '1 millisecond'"
        " GROUP BY f.kind, f.error_code ORDER BY count(*) DESC, f.error_code LIMIT 50";
    return text;
}

const std::string &allInstances()
{
    static const std::string text = "SELECT i.name, i.version, " + millisOf("i.started_at") + ", " +
                                    millisOf("now() - i.heartbeat_at") +
                                    ", i.draining FROM instance i ORDER BY i.name LIMIT 100";
    return text;
}

const std::string &allLanes()
{
    static const std::string text =
        "SELECT s.name, s.address, CASE WHEN s.lease_until > now()"
        " THEN coalesce(i.name, s.owner::text) END, s.next_nonce,"
        " (SELECT count(*) FROM tx_attempt a WHERE a.lane = s.name AND a.open)"
        " FROM signer_lane s LEFT JOIN instance i ON i.epoch = s.owner ORDER BY s.name LIMIT 100";
    return text;
}

const std::string &sharesByState()
{
    static const std::string text =
        "SELECT s.state, count(*) FROM scheduled_share s GROUP BY s.state ORDER BY s.state";
    return text;
}

const std::string &sharesThatAreDue()
{
    static const std::string text =
        "SELECT (SELECT count(*) FROM voting_round), count(*), " +
        millisOf("now() - min(s.next_attempt_at)") +
        " FROM scheduled_share s WHERE s.waiting AND s.next_attempt_at <= now()";
    return text;
}
}  // namespace relayer::models::sql
