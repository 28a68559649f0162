#include "models/sweep_store.h"

#include "models/execute.h"
#include "models/idempotency_store.h"
#include "models/pg_values.h"
#include "models/request_sql.h"
#include "models/request_writers.h"

#include <string>

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;
using std::chrono::milliseconds;

namespace
{
std::int64_t rows(std::size_t count)
{
    return static_cast<std::int64_t>(count);
}

std::vector<RequestId> idsOf(const Result &result)
{
    std::vector<RequestId> ids;
    ids.reserve(result.size());
    for (const auto &row : result)
    {
        ids.push_back(row[0].as<std::int64_t>());
    }
    return ids;
}

SweepStore::Page pageOf(const Result &result, const StatusNewsPtr &news)
{
    SweepStore::Page page;
    std::vector<Move> moved;
    for (const auto &row : result)
    {
        if (row[0].isNull())
        {
            const auto kind = core::parseKind(row[2].as<std::string_view>());
            page.next = {kind.value_or(core::Kind::InputProof), row[3].as<std::int64_t>()};
            continue;
        }
        ++page.rows;
        if (row[1].as<bool>())
        {
            moved.push_back(moveFrom(row[0].as<std::int64_t>(), row, 4));
        }
    }
    page.startOver = moved.size();
    tell(news, moved);
    return page;
}

// Rows of an id and sql::kMove.
std::vector<Move> movesOf(const Result &result)
{
    std::vector<Move> moves;
    moves.reserve(result.size());
    for (const auto &row : result)
    {
        moves.push_back(moveFrom(row[0].as<std::int64_t>(), row, 1));
    }
    return moves;
}
}  // namespace

Task<bool> SweepStore::lead(Claimer claimer, milliseconds lease)
{
    static const std::string text =  // tidy: allow writes: it is asked for again soon
        "INSERT INTO duty (name, owner, lease_until)"
        " VALUES ('sweep', $1::bigint, now() + $2::bigint * interval '1 millisecond')"
        " ON CONFLICT (name) DO UPDATE SET owner = excluded.owner,"
        " lease_until = excluded.lease_until"
        " WHERE duty.owner = excluded.owner OR duty.lease_until < now() RETURNING owner";
    const Result result = co_await execute(writer_, &text, claimer, millis(lease));
    co_return !result.empty();
}

Task<> SweepStore::resign(Claimer claimer)
{
    static const Write text = "DELETE FROM duty WHERE name = 'sweep' AND owner = $1::bigint";
    co_await execute(writer_, &text, claimer);
}

Task<std::vector<RequestId>> SweepStore::endOverdue(core::Kind kind, core::Status status,
                                                    milliseconds patience, core::Failure failure,
                                                    std::size_t limit)
{
    const Target target(writer_, tableOf(kind));
    const Result result = co_await execute(
        target, &sql::overdue(status), std::string(core::name(kind)), millis(patience), rows(limit),
        std::string(core::name(failure.code)), std::move(failure.detail));
    std::vector<RequestId> ids = idsOf(result);
    tell(news_, movesOf(result));
    co_return ids;
}

Task<SweepStore::Page> SweepStore::recoverHeld(Claimer claimer, LivePlace from, std::size_t limit)
{
    const Target target(writer_, tablesIn<4>);
    const Result result = co_await execute(target, &sql::recoverHeld(), claimer, rows(limit),
                                           std::string(core::name(from.kind)), from.ticket);
    co_return pageOf(result, news_);
}

Task<SweepStore::Page> SweepStore::release(Claimer claimer, core::Status status, LivePlace from,
                                           std::size_t limit)
{
    const Result result = co_await execute(writer_, &sql::releaseHeld(), claimer, rows(limit),
                                           std::string(core::name(from.kind)), from.ticket,
                                           std::string(core::name(status)));
    co_return pageOf(result, news_);
}

Task<SweepStore::Page> SweepStore::freeAbandoned(Claimer claimer, LivePlace from, std::size_t limit)
{
    const Target target(writer_, tablesIn<4>);
    const Result result = co_await execute(target, &sql::abandoned(), claimer, rows(limit),
                                           std::string(core::name(from.kind)), from.ticket);
    co_return pageOf(result, news_);
}

Task<std::size_t> SweepStore::freeAllAbandoned(Claimer claimer, std::size_t rowsAtATime)
{
    std::size_t sum = 0;
    std::optional<LivePlace> from(std::in_place);
    while (from)
    {
        const Page page = co_await freeAbandoned(claimer, *from, rowsAtATime);
        sum += page.rows;
        from = page.next;
    }
    co_return sum;
}

Task<std::size_t> SweepStore::forgetInstances(milliseconds silent)
{
    // An epoch that still holds a lane, or rows, is somebody's business yet.
    static const Write text =
        "DELETE FROM instance i WHERE i.heartbeat_at < now() - $1::bigint * interval '1 "
        "millisecond'"
        " AND NOT EXISTS (SELECT FROM signer_lane s WHERE s.owner = i.epoch"
        " AND s.lease_until > now())"
        " AND NOT EXISTS (SELECT FROM live_request l JOIN request r ON r.id = l.request_id"
        " WHERE r.owner = i.epoch) RETURNING i.epoch";
    const Result result = co_await execute(writer_, &text, millis(silent));
    co_return result.size();
}

Task<SweepStore::Purged> SweepStore::purge(Keep keep, RequestId after, std::size_t limit)
{
    // Ids follow the time of admission closely, and no request ends before it came: behind the
    // first that came too late for the shortest time nothing can be due. `NULL` keeps for ever.
    static const Write text =
        "WITH keep AS MATERIALIZED (SELECT kind, now() - ms * interval '1 millisecond' AS before"
        " FROM (VALUES ('input_proof'::request_kind, $3::bigint),"
        " ('public_decrypt'::request_kind, $4::bigint), ('user_decrypt'::request_kind, $5::bigint))"
        " AS k(kind, ms) WHERE ms IS NOT NULL),\n"
        "page AS MATERIALIZED (SELECT r.id, r.kind, r.live, r.status_at, r.created_at"
        " FROM request r WHERE r.id > $1::bigint ORDER BY r.id LIMIT $2::bigint),\n"
        "doomed AS MATERIALIZED (SELECT r.id FROM page p JOIN keep k ON k.kind = p.kind"
        " JOIN request r ON r.id = p.id WHERE NOT p.live AND p.status_at < k.before"
        " AND NOT EXISTS (SELECT FROM tx_attempt a WHERE a.request_id = p.id AND a.open OFFSET 0)"
        " ORDER BY r.id FOR UPDATE OF r SKIP LOCKED),\n"
        "ids AS MATERIALIZED (SELECT g.kind, g.gateway_id FROM doomed d"
        " JOIN gateway_reference g ON g.request_id = d.id),\n"
        "gone AS (DELETE FROM request r USING doomed d WHERE r.id = d.id AND NOT r.live"
        " RETURNING r.id),\n"
        "attempts AS (DELETE FROM tx_attempt a USING doomed d WHERE a.request_id = d.id"
        " AND NOT a.open),\n"
        "answers AS (DELETE FROM gateway_answer a USING ids WHERE a.kind = ids.kind"
        " AND a.gateway_id = ids.gateway_id),\n"
        "shares AS (DELETE FROM kms_share s USING ids WHERE ids.kind = 'user_decrypt'"
        " AND s.gateway_id = ids.gateway_id),\n"
        "referred AS (DELETE FROM gateway_reference g USING doomed d WHERE g.request_id = d.id),\n"
        "failed AS (DELETE FROM failed_request f USING doomed d WHERE f.request_id = d.id)\n"
        "SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM gone),"
        " coalesce((SELECT max(id) FROM page), 0),"
        " coalesce((SELECT min(p.created_at) FROM page p) > (SELECT max(before) FROM keep), true)";
    const auto ms = [&keep](core::Kind kind) -> std::optional<std::int64_t> {
        const auto &time = keep.at(static_cast<std::size_t>(kind));
        return time ? std::optional(millis(*time)) : std::nullopt;
    };
    const Result result =
        co_await execute(writer_, &text, after, rows(limit), ms(core::Kind::InputProof),
                         ms(core::Kind::PublicDecrypt), ms(core::Kind::UserDecrypt));
    Purged purged;
    purged.looked = static_cast<std::size_t>(result[0][0].as<std::int64_t>());
    purged.requests = static_cast<std::size_t>(result[0][1].as<std::int64_t>());
    purged.last = result[0][2].as<std::int64_t>();
    purged.tooYoung = result[0][3].as<bool>();
    co_return purged;
}

Task<std::size_t> SweepStore::purgeForeign(milliseconds keep, std::size_t limit)
{
    static const Write text =
        "WITH answers AS MATERIALIZED (SELECT a.kind, a.gateway_id FROM gateway_answer a"
        " WHERE a.arrived_at < now() - $1::bigint * interval '1 millisecond'"
        " AND NOT EXISTS (SELECT FROM gateway_reference g WHERE g.kind = a.kind"
        " AND g.gateway_id = a.gateway_id) ORDER BY a.arrived_at LIMIT $2::bigint),\n"
        "shares AS MATERIALIZED (SELECT s.gateway_id, s.share_index FROM kms_share s"
        " WHERE s.created_at < now() - $1::bigint * interval '1 millisecond'"
        " AND NOT EXISTS (SELECT FROM gateway_reference g WHERE g.kind = 'user_decrypt'"
        " AND g.gateway_id = s.gateway_id) ORDER BY s.created_at LIMIT $2::bigint),\n"
        "first AS (DELETE FROM gateway_answer a USING answers d WHERE a.kind = d.kind"
        " AND a.gateway_id = d.gateway_id RETURNING 1),\n"
        "second AS (DELETE FROM kms_share s USING shares d WHERE s.gateway_id = d.gateway_id"
        " AND s.share_index = d.share_index RETURNING 1)\n"
        "SELECT (SELECT count(*) FROM first) + (SELECT count(*) FROM second)";
    const Result result = co_await execute(writer_, &text, millis(keep), rows(limit));
    co_return static_cast<std::size_t>(result[0][0].as<std::int64_t>());
}

Task<std::size_t> SweepStore::purgeKeys(std::size_t limit)
{
    // Who claims one of these anew has it locked, and begins another day with it.
    static const Write text =
        "WITH over AS MATERIALIZED (SELECT k.client, k.key FROM idempotency_key k WHERE " +
        std::string(kKeyIsOver) +
        " ORDER BY k.created_at LIMIT $1::bigint FOR UPDATE OF k SKIP LOCKED)\n"
        "DELETE FROM idempotency_key k USING over o WHERE k.client = o.client AND k.key = o.key"
        " RETURNING 1";
    const Result result = co_await execute(writer_, &text, rows(limit));
    co_return result.size();
}
}  // namespace relayer::models
