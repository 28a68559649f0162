#include "models/request_sql.h"

#include "core/request_trail.h"

#include <array>
#include <map>
#include <stdexcept>
#include <vector>

namespace relayer::models::sql
{
using core::Kind;
using core::Status;
using core::StatusSet;
using core::Transition;

namespace
{
std::string millisSince(const std::string &time)
{
    return "floor(extract(epoch FROM now() - " + time + ") * 1000)::bigint";
}

std::string literal(std::string_view text)
{
    return "'" + std::string(text) + "'";
}

// Exact equality for one status, a list for several.
std::string statusIn(StatusSet set)
{
    std::vector<std::string> names;
    for (const Status status : core::kAllStatuses)
    {
        if (set.contains(status))
        {
            names.push_back(literal(core::name(status)));
        }
    }
    if (names.size() == 1)
    {
        return "r.status = " + names.front();
    }
    std::string list;
    for (const std::string &name : names)
    {
        list += (list.empty() ? "" : ", ") + name;
    }
    return "r.status IN (" + list + ")";
}

std::string guardOfKind(Kind kind, StatusSet from)
{
    return "(r.kind = " + literal(core::name(kind)) + " AND " + statusIn(from) + ")";
}

std::string ownColumns(Transition transition)
{
    switch (transition)
    {
        case Transition::PassReadiness: return ", ticket = nextval('request_ticket_seq')";
        case Transition::MarkTxInFlight: return ", tx_hash = i.tx_hash";
        case Transition::MarkReceiptReceived:
            return ", tx_hash = i.tx_hash, gateway_id = i.gateway_id"
                   ", shares_seen = (SELECT count(*) FROM kms_share s"
                   " WHERE s.gateway_id = i.gateway_id)";
        case Transition::FailReadiness:
        case Transition::TimeOut:
        case Transition::FailTransaction:
        case Transition::FailInternally:
            return ", error_code = i.error_code, error_detail = i.error_detail";
        default: return "";
    }
}

// What a transition changes beside the request row.
std::string besides(Transition transition)
{
    if (core::isTerminal(core::targetOf(transition)))
    {
        return ",\nended AS (DELETE FROM live_request q USING moved m"
               " WHERE q.kind = m.kind AND q.ticket = m.ticket)" +
               noteFailures("moved");
    }
    if (transition == Transition::PassReadiness)
    {
        return ",\nrequeued AS (UPDATE live_request q SET ticket = m.ticket FROM moved m"
               " WHERE q.kind = m.kind AND q.ticket = m.old_ticket)";
    }
    if (transition == Transition::MarkReceiptReceived)
    {
        return ",\nreferred AS (INSERT INTO gateway_reference (kind, gateway_id, request_id)"
               " SELECT m.kind, m.gateway_id, m.id FROM moved m ON CONFLICT DO NOTHING)";
    }
    return "";
}

std::string makeTransition(Transition transition)
{
    const std::string allowed = guard(transition);
    const std::string claim = core::belongsToTheClaimer(transition)
                                  ? " AND (r.owner IS NULL OR r.owner = i.claimer)"
                                  : "";
    // A gateway id belongs to one request for good: a second request with the same id does not
    // move.
    const std::string unreferred =
        transition == Transition::MarkReceiptReceived
            ? " AND NOT EXISTS (SELECT FROM gateway_reference g WHERE g.kind = r.kind"
              " AND g.gateway_id = i.gateway_id AND g.request_id <> r.id)"
            : "";
    // What has a transaction on its way is not sent anew: whoever decided that did not know of it.
    // That is looked for in what the statement saw when it began, so the row must be as it was
    // then.
    const bool looks = transition == Transition::Recover;
    const std::string asSeen = looks ? " JOIN request seen ON seen.id = i.id" : "";
    const std::string nothingOpen =
        looks ? " AND r.status_at = seen.status_at AND NOT " + std::string(kHasOpenAttempt) : "";
    return "WITH input AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::bigint[], "
           "$3::bytea[], $4::bytea[], $5::text[], $6::text[]) WITH ORDINALITY"
           " AS i(id, claimer, tx_hash, gateway_id, error_code, error_detail, place)),\n"
           "mine AS MATERIALIZED (SELECT r.id, r.ticket" +
           beforeMove() + " FROM input i JOIN request r ON r.id = i.id" + asSeen + " WHERE " +
           lookedUpOneByOne("i.place") + " AND " + allowed + claim + unreferred + nothingOpen +
           " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
           "moved AS (UPDATE request r SET " +
           assignments(transition) + ownColumns(transition) +
           " FROM mine JOIN input i ON i.id = mine.id WHERE r.id = mine.id AND " + allowed + claim +
           " RETURNING r.id, r.kind, r.ticket, mine.ticket AS old_ticket, r.gateway_id, r.status,"
           " r.error_code, " +
           returnMove() + ")" + besides(transition) + "\nSELECT id, ticket, " + std::string(kMove) +
           " FROM moved";
}
}  // namespace

std::string millisInStatus()
{
    return millisSince("r.status_at");
}

std::string beforeMove()
{
    return ", r.status AS old_status, r.status_at AS old_status_at";
}

std::string returnMove()
{
    return "r.kind AS moved_kind, r.job_id AS moved_job, mine.old_status AS moved_from,"
           " r.status AS moved_to, " +
           millisSince("mine.old_status_at") + " AS moved_after, " + millisSince("r.created_at") +
           " AS moved_age, r.error_code AS moved_error";
}

std::string lookedUpOneByOne(const std::string &place)
{
    return place + " BETWEEN 1 AND 1000000000";
}

std::string noteFailures(const std::string &ended)
{
    return ",\nnoted AS (INSERT INTO failed_request (request_id, kind, status, error_code)"
           " SELECT id, kind, status, coalesce(error_code, 'internal') FROM " +
           ended + " ON CONFLICT DO NOTHING)";
}

namespace
{
// Bounded, since a request may be recovered any number of times: what is beyond is not kept.
std::string appendToTrail(Transition transition)
{
    const std::array<std::uint8_t, 1> number = {static_cast<std::uint8_t>(transition)};
    return ", trail = CASE WHEN octet_length(r.trail) < " +
           std::to_string(core::kTrailSteps * core::kTrailStepBytes) + " THEN r.trail || '\\x" +
           core::toHex(number) +
           "'::bytea || int8send((extract(epoch FROM now()) * 1000000)::bigint) ELSE r.trail END";
}
}  // namespace

// What every transition writes. `live` and `dedup` appear only in those that end a request, so that
// the others stay clear of the columns that index predicates name.
std::string assignments(Transition transition)
{
    const Status to = core::targetOf(transition);
    std::string text =
        "status = " + literal(core::name(to)) + ", status_at = now()" + appendToTrail(transition);
    if (core::releasesClaim(transition))
    {
        text += ", owner = NULL";
    }
    if (core::isTerminal(to))
    {
        text += ", live = false";
        if (!core::keepsStandingForItsContent(transition, to))
        {
            text += ", dedup = false";
        }
    }
    return text;
}

std::string guard(Transition transition)
{
    std::vector<const core::Edge *> edges;
    for (const core::Edge &edge : core::kEdges)
    {
        if (edge.transition == transition)
        {
            edges.push_back(&edge);
        }
    }
    bool sameForAllKinds = edges.size() == core::kKinds;
    for (const core::Edge *edge : edges)
    {
        sameForAllKinds = sameForAllKinds && edge->from == edges.front()->from;
    }
    if (sameForAllKinds)
    {
        return statusIn(edges.front()->from);
    }
    std::string text;
    for (const core::Edge *edge : edges)
    {
        text += (text.empty() ? "" : " OR ") + guardOfKind(edge->kind, edge->from);
    }
    return "(" + text + ")";
}

const Write &admit()
{
    // Tickets follow the order of arrival; rows go in by content, so that two batches with contents
    // in common wait for each other in the same order.
    static const Write text =
        "WITH input AS MATERIALIZED (SELECT i.*, nextval('request_ticket_seq') AS ticket"
        " FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], "
        "$7::int[]) AS i(job_id, kind, variant, status, content_hash, payload, threshold)),\n"
        "fresh AS (INSERT INTO request (job_id, kind, variant, status, content_hash, payload,"
        " resolved_threshold, ticket)"
        " SELECT job_id, kind::request_kind, variant::request_variant, status::request_status,"
        " content_hash, payload, threshold, ticket FROM input ORDER BY kind, content_hash"
        " ON CONFLICT (kind, content_hash) WHERE dedup DO NOTHING"
        " RETURNING id, job_id, kind, status, ticket, content_hash),\n"
        "queued AS (INSERT INTO live_request (kind, ticket, request_id)"
        " SELECT kind, ticket, id FROM fresh)\n"
        "SELECT kind, content_hash, id, job_id, status, ticket, false, 0::bigint FROM fresh";
    return text;
}

const std::string &join()
{
    static const std::string text =
        "SELECT r.kind, r.content_hash, r.id, r.job_id, r.status, r.ticket, r.owner IS NOT NULL, " +
        millisInStatus() +
        " FROM unnest($1::text[], $2::bytea[]) AS i(kind, content_hash)"
        " CROSS JOIN LATERAL (SELECT * FROM request r WHERE r.kind = i.kind::request_kind"
        " AND r.content_hash = i.content_hash AND r.dedup LIMIT 1) r";
    return text;
}

const Write &transition(Transition transition)
{
    if (transition == Transition::Complete || transition == Transition::Reject)
    {
        throw std::logic_error("a request is completed or rejected by its answer only");
    }
    static const auto texts = [] {
        std::map<Transition, Write> made;
        for (const Transition each : core::kAllTransitions)
        {
            made.emplace(each, makeTransition(each));
        }
        return made;
    }();
    return texts.at(transition);
}

const Write &keepAnswers()
{
    static const Write text =
        "INSERT INTO gateway_answer (kind, gateway_id, accepted, result, response_tx_hash)"
        " SELECT kind::request_kind, gateway_id, accepted, result, response_tx_hash"
        " FROM unnest($1::text[], $2::bytea[], $3::bool[], $4::bytea[], $5::bytea[])"
        " AS i(kind, gateway_id, accepted, result, response_tx_hash)"
        " ORDER BY kind, gateway_id ON CONFLICT DO NOTHING RETURNING kind, gateway_id";
    return text;
}

const Write &keepShares()
{
    // The count on the request row is for those who look at it; what decides is the number of
    // shares that are here (settleShares), since a share and a receipt that commit at the same time
    // do not see each other.
    static const Write text =
        "WITH fresh AS (INSERT INTO kms_share (gateway_id, share_index, payload, signature,"
        " extra_data, response_tx_hash)"
        " SELECT gateway_id, share_index, payload, signature, extra_data, response_tx_hash"
        " FROM unnest($1::bytea[], $2::int[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[])"
        " AS i(gateway_id, share_index, payload, signature, extra_data, response_tx_hash)"
        " ORDER BY gateway_id, share_index ON CONFLICT DO NOTHING"
        " RETURNING gateway_id, share_index),\n"
        "tally AS MATERIALIZED (SELECT g.request_id AS id, count(*) AS shares FROM fresh f"
        " CROSS JOIN LATERAL (SELECT * FROM gateway_reference g WHERE g.kind = 'user_decrypt'"
        " AND g.gateway_id = f.gateway_id OFFSET 0) g GROUP BY g.request_id),\n"
        "mine AS MATERIALIZED (SELECT r.id, t.shares FROM tally t JOIN request r ON r.id = t.id"
        " WHERE r.live AND " +
        lookedUpOneByOne("t.shares") +
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "counted AS (UPDATE request r SET shares_seen = r.shares_seen + mine.shares"
        " FROM mine WHERE r.id = mine.id AND r.live)\n"
        "SELECT gateway_id, share_index FROM fresh";
    return text;
}

const Write &settleAnswers()
{
    // The reference is locked, too, so that a reorg that takes the id away from the request, or the
    // answer away from the id, is either seen here or has to wait until the request has ended.
    static const Write text =
        "WITH input AS MATERIALIZED (SELECT kind::request_kind, gateway_id, place"
        " FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS i(kind, gateway_id, place)),\n"
        "mine AS MATERIALIZED (SELECT r.id, a.accepted, a.response_tx_hash" +
        beforeMove() +
        " FROM input i JOIN gateway_reference g ON g.kind = i.kind AND g.gateway_id = i.gateway_id"
        " JOIN gateway_answer a ON a.kind = i.kind AND a.gateway_id = i.gateway_id"
        " JOIN request r ON r.id = g.request_id AND r.gateway_id = g.gateway_id"
        " WHERE " +
        lookedUpOneByOne("i.place") + " AND ((a.accepted AND " + guard(Transition::Complete) +
        ") OR (NOT a.accepted AND " + guard(Transition::Reject) +
        ")) ORDER BY r.id"
        " FOR NO KEY UPDATE OF r FOR KEY SHARE OF g),\n"
        "completed AS (UPDATE request r SET " +
        assignments(Transition::Complete) +
        ", accepted = true, response_tx_hash = mine.response_tx_hash"
        " FROM mine WHERE r.id = mine.id AND mine.accepted AND " +
        guard(Transition::Complete) +
        " RETURNING r.kind, r.ticket, r.gateway_id, r.status, r.id, " + returnMove() +
        "),\n"
        "rejected AS (UPDATE request r SET " +
        assignments(Transition::Reject) +
        ", accepted = false, error_code = 'proof_rejected', response_tx_hash = "
        "mine.response_tx_hash"
        " FROM mine WHERE r.id = mine.id AND NOT mine.accepted AND " +
        guard(Transition::Reject) +
        " RETURNING r.kind, r.ticket, r.gateway_id, r.status, r.id, r.error_code, " + returnMove() +
        "),\n"
        "settled AS (SELECT * FROM completed UNION ALL"
        " SELECT kind, ticket, gateway_id, status, id, " +
        std::string(kMove) +
        " FROM rejected),\n"
        "ended AS (DELETE FROM live_request q USING settled s"
        " WHERE q.kind = s.kind AND q.ticket = s.ticket)" +
        noteFailures("rejected") + "\nSELECT kind, gateway_id, status, id, " + std::string(kMove) +
        " FROM settled";
    return text;
}

const Write &settleShares()
{
    static const Write text =
        "WITH input AS MATERIALIZED (SELECT * FROM unnest($1::bytea[])"
        " WITH ORDINALITY AS i(gateway_id, place)),\n"
        "mine AS MATERIALIZED (SELECT r.id, n.shares" +
        beforeMove() +
        " FROM input i JOIN gateway_reference g ON g.kind = 'user_decrypt'"
        " AND g.gateway_id = i.gateway_id"
        " JOIN request r ON r.id = g.request_id AND r.gateway_id = g.gateway_id"
        " CROSS JOIN LATERAL (SELECT count(*) AS shares FROM kms_share s"
        " WHERE s.gateway_id = i.gateway_id) n WHERE " +
        lookedUpOneByOne("i.place") + " AND " + guard(Transition::Complete) +
        " AND n.shares >= r.resolved_threshold ORDER BY r.id"
        " FOR NO KEY UPDATE OF r FOR KEY SHARE OF g),\n"
        "completed AS (UPDATE request r SET " +
        assignments(Transition::Complete) +
        ", shares_seen = mine.shares FROM mine WHERE r.id = mine.id AND " +
        guard(Transition::Complete) + " RETURNING r.kind, r.ticket, r.gateway_id, r.id, " +
        returnMove() +
        "),\n"
        "ended AS (DELETE FROM live_request q USING completed c"
        " WHERE q.kind = c.kind AND q.ticket = c.ticket)\n"
        "SELECT gateway_id, id, " +
        std::string(kMove) + " FROM completed";
    return text;
}

std::string columns(Payload payload)
{
    return std::string(
               "r.id, r.job_id, r.kind, r.variant, r.status, r.live, r.dedup, r.content_hash, ") +
           (payload == Payload::Left ? "NULL::bytea AS payload" : "r.payload") +
           ", r.accepted, r.gateway_id, r.tx_hash, r.response_tx_hash, r.error_code,"
           " r.error_detail, r.resolved_threshold, r.shares_seen, r.ticket, r.owner,"
           " r.created_at, r.status_at, NULL::bytea AS trail, r.resubmits";
}

namespace
{
// The requests whose `key` is in $1.
std::string polled(const std::string &key, const std::string &type)
{
    return "SELECT r.id, r.job_id, r.kind, NULL AS variant, r.status, NULL AS live, NULL AS dedup,"
           " NULL AS content_hash, NULL AS payload, r.accepted, r.gateway_id, NULL AS tx_hash,"
           " NULL AS response_tx_hash, r.error_code, r.error_detail, r.resolved_threshold,"
           " NULL AS shares_seen, r.ticket, r.owner, NULL AS created_at, NULL AS status_at,"
           " NULL AS trail, NULL AS resubmits, " +
           millisInStatus() + ", a.result, i.place FROM unnest($1::" + type +
           "[]) WITH ORDINALITY AS i(key, place)" + " JOIN request r ON r." + key + " = i.key" +
           " LEFT JOIN gateway_answer a ON NOT r.live AND a.kind = r.kind"
           " AND a.gateway_id = r.gateway_id WHERE " +
           lookedUpOneByOne("i.place");
}
}  // namespace

const std::string &polls()
{
    static const std::string text = polled("job_id", "uuid");
    return text;
}

const std::string &pollAll()
{
    static const std::string text = polled("id", "bigint");
    return text;
}
}  // namespace relayer::models::sql
