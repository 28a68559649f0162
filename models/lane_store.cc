#include "models/lane_store.h"

#include "models/execute.h"
#include "models/pg_array.h"
#include "models/pg_values.h"
#include "models/request_sql.h"
#include "models/request_writers.h"

#include <set>
#include <string_view>
#include <utility>

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;

namespace
{
drogon::orm::RawParameter idsOf(const std::vector<std::int64_t> &ids)
{
    PgArray array(PgType::Int8);
    for (const std::int64_t id : ids)
    {
        array.add(id);
    }
    return std::move(array).finish();
}

// What can not be written because it stands twice in one commit: a request, or a hash.
std::vector<RequestId> repeated(const std::vector<NewAttempt> &attempts)
{
    std::vector<RequestId> twice;
    std::set<RequestId> requests;
    std::set<TxHash> hashes;
    for (const NewAttempt &attempt : attempts)
    {
        const bool newRequest = requests.insert(attempt.request).second;
        const bool newHash = hashes.insert(attempt.version.hash).second;
        if (!newRequest || !newHash)
        {
            twice.push_back(attempt.request);
        }
    }
    return twice;
}

AttemptsCommitted committedFrom(const Result &rows, std::int64_t firstNonce,
                                const std::vector<NewAttempt> &attempts)
{
    using Outcome = AttemptsCommitted::Outcome;
    AttemptsCommitted committed;
    if (rows.size() != attempts.size() || rows.empty())
    {
        throw StoreError(StoreError::Code::Refused, "a commit came back incomplete");
    }
    if (rows[0][0].isNull())
    {
        committed.outcome = Outcome::LaneLost;
        return committed;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        if (!rows[i][2].isNull())
        {
            committed.attempts.push_back(rows[i][2].as<std::int64_t>());
        }
        else if (!rows[i][1].as<bool>())
        {
            committed.lost.push_back(attempts[i].request);
        }
    }
    if (committed.attempts.size() == attempts.size())
    {
        committed.outcome = Outcome::Committed;
        return committed;
    }
    // All requests are ours and nothing was written: attempts stand where the next nonce points.
    const bool moved = rows[0][0].as<std::int64_t>() != firstNonce || committed.lost.empty();
    committed.outcome = moved ? Outcome::NonceMoved : Outcome::RowsLost;
    if (moved)
    {
        committed.lost.clear();
    }
    return committed;
}
}  // namespace

LaneStore::LaneStore(ConnectionsPtr writer, StatusNewsPtr news)
    : writer_(std::move(writer)), news_(std::move(news))
{}

Task<LaneState> LaneStore::hold(LaneHold lane, core::Address address,
                                std::chrono::milliseconds lease, std::int64_t chainNonce)
{
    // A name and its key belong together for good: nonces are the key's. Whoever gets the lane gets
    // the requests of its open attempts, too: the one who lost it may live on and never move them.
    static const Write take =
        "WITH free AS MATERIALIZED (SELECT s.name FROM signer_lane s"
        " WHERE s.name = $1::text AND s.address = $3::bytea"
        " AND (s.owner IS NULL OR s.owner = $2::bigint OR s.lease_until < now())"
        " FOR UPDATE OF s),\n"
        "held AS (UPDATE signer_lane s SET owner = $2::bigint,"
        " lease_until = now() + $4::bigint * interval '1 millisecond', updated_at = now(),"
        " next_nonce = greatest(s.next_nonce, $5::bigint)"
        " FROM free WHERE s.name = free.name"
        " RETURNING s.name, s.next_nonce),\n"
        "carried AS MATERIALIZED (SELECT r.id FROM held JOIN tx_attempt a ON a.lane = held.name"
        " AND a.open JOIN request r ON r.id = a.request_id"
        " WHERE r.live AND r.owner IS DISTINCT FROM $2::bigint"
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "taken AS (UPDATE request r SET owner = $2::bigint FROM carried c WHERE r.id = c.id"
        " AND r.live)\n"
        "SELECT (SELECT next_nonce FROM held),"
        " EXISTS (SELECT FROM signer_lane o WHERE o.name = $1::text AND o.address = $3::bytea),"
        " EXISTS (SELECT FROM signer_lane o"
        " WHERE (o.name = $1::text) <> (o.address = $3::bytea))";
    // On its own, and for any conflict: of many that make a lane at once, one that named only the
    // conflict of names would be refused for that of keys.
    static const Write make =
        "INSERT INTO signer_lane (name, address) VALUES ($1::text, $2::bytea)"
        " ON CONFLICT DO NOTHING";
    LaneState state;
    for (const bool made : {false, true})
    {
        const Result rows =
            co_await execute(writer_, &take, lane.lane, lane.claimer,
                             binaryParameter(core::ByteView(address)), millis(lease), chainNonce);
        state.held = !rows.at(0)[0].isNull();
        state.nextNonce = state.held ? rows[0][0].as<std::int64_t>() : 0;
        state.otherKey = rows[0][2].as<bool>();
        if (made || state.otherKey || rows[0][1].as<bool>())
        {
            break;
        }
        co_await execute(writer_, &make, lane.lane, binaryParameter(core::ByteView(address)));
    }
    co_return state;
}

Task<std::optional<std::int64_t>> LaneStore::renew(LaneHold lane, std::chrono::milliseconds lease)
{
    static const std::string text =  // tidy: allow writes: it is renewed again soon
        "UPDATE signer_lane SET lease_until = now() + $3::bigint * interval '1 millisecond'"
        " WHERE name = $1::text AND owner = $2::bigint RETURNING next_nonce";
    const Result rows = co_await execute(writer_, &text, lane.lane, lane.claimer, millis(lease));
    if (rows.empty())
    {
        co_return std::nullopt;
    }
    co_return rows[0][0].as<std::int64_t>();
}

Task<std::size_t> LaneStore::heldLanes()
{
    static const std::string text =
        "SELECT count(*) FROM signer_lane WHERE owner IS NOT NULL AND lease_until > now()";
    const Result rows = co_await execute(writer_, &text);
    co_return rows.at(0)[0].as<std::size_t>();
}

Task<std::vector<LaneStore::Lane>> LaneStore::all()
{
    static const std::string text =
        "SELECT l.name, l.address, l.next_nonce, CASE WHEN l.lease_until > now() THEN i.name END"
        " AS holder, (SELECT count(*) FROM tx_attempt a WHERE a.lane = l.name"
        " AND a.state = 'signed') AS open"
        " FROM signer_lane l LEFT JOIN instance i ON i.epoch = l.owner ORDER BY l.name";
    const Result rows = co_await execute(writer_, &text);
    std::vector<Lane> lanes;
    for (const auto &row : rows)
    {
        const core::Bytes address = bytesOf(row[1]);
        Lane &lane = lanes.emplace_back();
        lane.name = row[0].as<std::string>();
        std::copy_n(address.begin(), lane.address.size(), lane.address.begin());
        lane.nextNonce = row[2].as<std::int64_t>();
        lane.holder = row[3].isNull() ? "" : row[3].as<std::string>();
        lane.openTransactions = row[4].as<std::int64_t>();
    }
    co_return lanes;
}

Task<AttemptsCommitted> LaneStore::commit(LaneHold lane, std::int64_t firstNonce,
                                          std::vector<NewAttempt> attempts)
{
    AttemptsCommitted nothing;
    nothing.lost = repeated(attempts);
    if (attempts.empty() || !nothing.lost.empty())
    {
        nothing.outcome = attempts.empty() ? AttemptsCommitted::Outcome::Committed
                                           : AttemptsCommitted::Outcome::RowsLost;
        co_return nothing;
    }
    PgArray requests(PgType::Int8);
    PgArray hashes(PgType::Bytea);
    PgArray maxFees(PgType::Text);
    PgArray priorityFees(PgType::Text);
    PgArray gasLimits(PgType::Text);
    PgArray noOps(PgType::Bool);
    PgArray raws(PgType::Bytea);
    for (const NewAttempt &attempt : attempts)
    {
        requests.add(attempt.request);
        hashes.add(attempt.version.hash);
        maxFees.add(std::string_view(attempt.version.maxFeePerGas));
        priorityFees.add(std::string_view(attempt.version.maxPriorityFeePerGas));
        gasLimits.add(std::string_view(std::to_string(attempt.version.gasLimit)));
        noOps.add(attempt.version.noOp);
        raws.add(core::ByteView(attempt.version.raw));
    }
    const Target target(writer_, tablesIn<3>);
    const Result rows = co_await execute(
        target, &sql::commitAttempts(), lane.lane, lane.claimer, firstNonce,
        std::move(requests).finish(), std::move(hashes).finish(), std::move(maxFees).finish(),
        std::move(priorityFees).finish(), std::move(gasLimits).finish(), std::move(noOps).finish(),
        std::move(raws).finish());
    AttemptsCommitted committed = committedFrom(rows, firstNonce, attempts);
    if (committed.outcome == AttemptsCommitted::Outcome::Committed)
    {
        std::vector<Move> moved;
        moved.reserve(attempts.size());
        for (std::size_t i = 0; i < attempts.size(); ++i)
        {
            moved.push_back(moveFrom(attempts[i].request, rows.at(i), 3));
        }
        tell(news_, moved);
    }
    co_return committed;
}

Task<bool> LaneStore::addVersion(LaneHold lane, AttemptId attempt, TxVersion version,
                                 std::optional<core::Failure> closingWith)
{
    // Why a request is given up is said once, and from then on only no-ops are added: the newest
    // version is what is sent, and a late bump must not bring the request back. A version that is
    // there already was written by a try whose answer was lost.
    static const Write text =
        sql::holdingTheLane() +
        "mine AS MATERIALIZED (SELECT a.id FROM tx_attempt a JOIN lane ON lane.name = a.lane"
        " WHERE a.id = $3::bigint AND a.open AND (a.closing_code IS NULL OR $11::text::bool)"
        " FOR NO KEY UPDATE OF a),\n"
        "closing AS (UPDATE tx_attempt a SET closing_code = $4::text, closing_detail = $5::text,"
        " updated_at = now() FROM mine WHERE a.id = mine.id AND a.closing_code IS NULL"
        " AND $4::text IS NOT NULL),\n"
        "added AS (INSERT INTO tx_version (attempt_id, hash, raw, max_fee_per_gas,"
        " max_priority_fee_per_gas, gas_limit, no_op, first_sent_at, last_sent_at)"
        " SELECT mine.id, $6::bytea, $7::bytea, $8::text::numeric, $9::text::numeric,"
        " $10::text::numeric, $11::text::bool, now(), now() FROM mine"
        " ON CONFLICT DO NOTHING RETURNING attempt_id)\n"
        "SELECT id FROM mine WHERE EXISTS (SELECT FROM added) OR EXISTS (SELECT FROM tx_version v"
        " WHERE v.attempt_id = mine.id AND v.hash = $6::bytea)";
    std::optional<std::string> code;
    std::optional<std::string> detail;
    if (closingWith)
    {
        code = std::string(core::name(closingWith->code));
        detail = closingWith->detail;
    }
    const Result rows = co_await execute(
        writer_, &text, lane.lane, lane.claimer, attempt, code, detail,
        binaryParameter(version.hash), binaryParameter(core::ByteView(version.raw)),
        version.maxFeePerGas, version.maxPriorityFeePerGas, std::to_string(version.gasLimit),
        std::string(version.noOp ? "true" : "false"));
    co_return !rows.empty();
}

Task<std::vector<AttemptId>> LaneStore::countSends(LaneHold lane, std::vector<AttemptId> attempts)
{
    // What is sent again is the newest version.
    static const Write text =
        sql::holdingTheLane() +
        "mine AS MATERIALIZED (SELECT a.id FROM tx_attempt a JOIN lane ON lane.name = a.lane"
        " WHERE a.id = ANY ($3::bigint[]) AND a.open ORDER BY a.id FOR NO KEY UPDATE OF a),\n"
        "counted AS (UPDATE tx_attempt a SET sends = a.sends + 1, updated_at = now() FROM mine"
        " WHERE a.id = mine.id),\n"
        "newest AS MATERIALIZED (SELECT DISTINCT ON (v.attempt_id) v.attempt_id, v.hash"
        " FROM mine JOIN tx_version v ON v.attempt_id = mine.id"
        " ORDER BY v.attempt_id, v.created_at DESC, v.hash),\n"
        "sent AS (UPDATE tx_version v SET last_sent_at = now() FROM newest"
        " WHERE v.attempt_id = newest.attempt_id AND v.hash = newest.hash)\n"
        "SELECT id FROM mine";
    const Result rows = co_await execute(writer_, &text, lane.lane, lane.claimer, idsOf(attempts));
    std::set<AttemptId> open;
    for (const auto &row : rows)
    {
        open.insert(row[0].as<std::int64_t>());
    }
    std::erase_if(attempts, [&open](AttemptId id) { return !open.contains(id); });
    co_return attempts;
}

Task<> LaneStore::markMined(LaneHold lane, std::vector<Mined> mined)
{
    PgArray hashes(PgType::Bytea);
    PgArray blocks(PgType::Int8);
    std::vector<AttemptId> ids;
    for (const Mined &each : mined)
    {
        ids.push_back(each.attempt);
        hashes.add(each.hash);
        blocks.add(each.block);
    }
    co_await execute(writer_, &sql::markMined(), lane.lane, lane.claimer, idsOf(ids),
                     std::move(hashes).finish(), std::move(blocks).finish());
}

Task<> LaneStore::markConsumed(LaneHold lane, AttemptId attempt)
{
    static const Write text =
        sql::holdingTheLane() +
        "mine AS MATERIALIZED (SELECT a.id FROM tx_attempt a JOIN lane ON lane.name = a.lane"
        " WHERE a.id = $3::bigint AND a.open FOR NO KEY UPDATE OF a)\n"
        "UPDATE tx_attempt a SET state = 'consumed', open = false, updated_at = now() FROM mine"
        " WHERE a.id = mine.id AND a.open";
    co_await execute(writer_, &text, lane.lane, lane.claimer, attempt);
}

Task<bool> LaneStore::reopen(LaneHold lane, AttemptId attempt)
{
    const Result rows =
        co_await execute(writer_, &sql::reopenAttempt(), lane.lane, lane.claimer, attempt);
    if (rows.empty())
    {
        co_return false;
    }
    if (!rows[0][1].isNull())
    {
        tell(news_, std::vector{moveFrom(rows[0][1].as<std::int64_t>(), rows[0], 2)});
    }
    co_return true;
}

Task<std::vector<RequestId>> LaneStore::stranded(Claimer claimer, std::size_t limit,
                                                 RequestId after)
{
    static const std::string text =
        "SELECT r.id FROM live_request l JOIN request r ON r.id = l.request_id"
        " WHERE r.owner = $1::bigint AND r.status = 'tx_in_flight' AND NOT EXISTS"
        " (SELECT FROM tx_attempt a WHERE a.request_id = r.id AND a.open)"
        " AND r.id > $3::bigint ORDER BY r.id LIMIT $2::bigint";
    const Result rows =
        co_await executeTwice(writer_, &text, claimer, static_cast<std::int64_t>(limit), after);
    std::vector<RequestId> ids;
    for (const auto &row : rows)
    {
        ids.push_back(row[0].as<std::int64_t>());
    }
    co_return ids;
}

Task<std::optional<core::Hash32>> LaneStore::genesis(LaneHold lane, core::Hash32 now)
{
    static const Write text =
        "UPDATE signer_lane SET genesis_hash = coalesce(genesis_hash, $3::bytea)"
        " WHERE name = $1::text AND owner = $2::bigint RETURNING genesis_hash";
    const Result rows = co_await execute(writer_, &text, lane.lane, lane.claimer,
                                         binaryParameter(core::ByteView(now)));
    co_return rows.empty() ? std::nullopt : std::optional(hashOf(rows[0][0]));
}

Task<bool> LaneStore::startOver(LaneHold lane, std::int64_t nonce)
{
    // In pieces, since a lane may have a long past. Who dies in between finds the old next nonce,
    // notices the other chain again, and comes back here.
    static const Write forget =
        sql::holdingTheLane() +
        "past AS MATERIALIZED (SELECT a.id FROM tx_attempt a JOIN lane ON lane.name = a.lane"
        " ORDER BY a.nonce LIMIT 5000)\n"
        "DELETE FROM tx_attempt a USING past WHERE a.id = past.id RETURNING a.id";
    static const Write begin =
        "UPDATE signer_lane s SET next_nonce = $3::bigint, genesis_hash = NULL, updated_at = now()"
        " WHERE s.name = $1::text AND s.owner = $2::bigint"
        " AND NOT EXISTS (SELECT FROM tx_attempt a WHERE a.lane = s.name) RETURNING s.name";
    for (;;)
    {
        const Result gone = co_await execute(writer_, &forget, lane.lane, lane.claimer);
        if (gone.empty())
        {
            break;
        }
    }
    const Result rows = co_await execute(writer_, &begin, lane.lane, lane.claimer, nonce);
    co_return !rows.empty();
}
}  // namespace relayer::models
