#include "models/inbox_store.h"

#include "models/execute.h"
#include "models/pg_array.h"
#include "models/pg_values.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Field;
using drogon::orm::Result;
using drogon::orm::Row;

namespace
{
StoreError malformed()
{
    return {StoreError::Code::Refused, "the database returned a malformed event"};
}

// Events as the columns of one statement.
struct Columns
{
    PgArray kinds{PgType::Text};
    PgArray gatewayIds{PgType::Bytea};
    PgArray requests{PgType::Bool};
    PgArray blockNumbers{PgType::Int8};
    PgArray blockHashes{PgType::Bytea};
    PgArray logIndexes{PgType::Int4};
    PgArray txHashes{PgType::Bytea};
    PgArray addresses{PgType::Bytea};
    PgArray topics{PgType::Bytea};
    PgArray datas{PgType::Bytea};

    void add(const InboxEvent &event)
    {
        kinds.add(core::name(event.kind));
        gatewayIds.add(core::ByteView(event.gatewayId));
        requests.add(event.request);
        blockNumbers.add(event.blockNumber);
        blockHashes.add(core::ByteView(event.blockHash));
        logIndexes.add(event.logIndex);
        txHashes.add(core::ByteView(event.txHash));
        addresses.add(core::ByteView(event.address));
        core::Bytes joined;
        for (const core::Hash32 &topic : event.topics)
        {
            joined.insert(joined.end(), topic.begin(), topic.end());
        }
        topics.add(core::ByteView(joined));
        datas.add(core::ByteView(event.data));
    }
};

// The cursor as columns of one row, or of none.
struct CursorColumns
{
    PgArray listeners{PgType::Text};
    PgArray chainIds{PgType::Text};
    PgArray genesisHashes{PgType::Bytea};
    PgArray blockNumbers{PgType::Int8};
    PgArray blockHashes{PgType::Bytea};

    void add(const ChainCursor &cursor)
    {
        listeners.add(std::string_view(cursor.listener));
        chainIds.add(std::string_view(std::to_string(cursor.chainId)));
        genesisHashes.add(core::ByteView(cursor.genesisHash));
        blockNumbers.add(cursor.blockNumber);
        blockHashes.add(core::ByteView(cursor.blockHash));
    }
};

// What decides stands apart from what is large. Rows go in by their place on the chain, so that
// listeners that deliver the same wait for each other in the same order.
//
// Whether an id may yet become ours: a request of its kind has an open attempt, or its attempt was
// closed a moment ago and the receipt is still on its way into the database. Receipt, status and
// reference commit together, so every snapshot shows one of the three. Or a reorg has given its
// request another id: then the event that tells so is here, and nobody has looked at it.
const Write &deliverText()
{
    static const Write text =
        "WITH given AS MATERIALIZED (SELECT kind::request_kind, gateway_id, request, block_number,"
        " block_hash, log_index, tx_hash, place FROM unnest($1::text[], $2::bytea[], $3::bool[],"
        " $4::bigint[], $5::bytea[], $6::int[], $7::bytea[]) WITH ORDINALITY AS i(kind, gateway_id,"
        " request, block_number, block_hash, log_index, tx_hash, place)),\n"
        "perhaps AS MATERIALIZED (SELECT k.kind FROM (SELECT DISTINCT kind FROM given"
        " WHERE NOT request) k WHERE EXISTS (SELECT FROM tx_attempt a CROSS JOIN LATERAL"
        " (SELECT r.kind FROM request r WHERE r.id = a.request_id OFFSET 0) r"
        " WHERE a.open AND r.kind = k.kind)"
        " OR EXISTS (SELECT FROM signer_lane s CROSS JOIN LATERAL (SELECT a.request_id"
        " FROM tx_attempt a WHERE a.lane = s.name ORDER BY a.nonce DESC LIMIT 500) recent"
        " CROSS JOIN LATERAL (SELECT r.kind, r.status FROM request r"
        " WHERE r.id = recent.request_id OFFSET 0) r"
        " WHERE r.kind = k.kind AND r.status = 'tx_in_flight')"
        " OR EXISTS (SELECT FROM gateway_event e WHERE e.handled_at IS NULL AND e.request"
        " AND e.kind = k.kind)"
        " OR EXISTS (SELECT FROM given o JOIN tx_version v ON v.hash = o.tx_hash"
        " WHERE o.request AND o.kind = k.kind)),\n"
        "judged AS MATERIALIZED (SELECT g.*, CASE WHEN g.request THEN EXISTS (SELECT"
        " FROM tx_version v WHERE v.hash = g.tx_hash) ELSE EXISTS (SELECT FROM gateway_reference x"
        " WHERE x.kind = g.kind AND x.gateway_id = g.gateway_id) END AS ours FROM given g),\n"
        "wanted AS MATERIALIZED (SELECT j.*, CASE WHEN j.ours THEN NULL ELSE now() + $11::bigint"
        " * interval '1 millisecond' END AS expires_at FROM judged j WHERE j.ours"
        " OR (NOT j.request AND j.kind IN (SELECT kind FROM perhaps))),\n"
        "fresh AS (INSERT INTO gateway_event (kind, gateway_id, request, block_number, block_hash,"
        " log_index, tx_hash, address, topics, data, expires_at)"
        " SELECT w.kind, w.gateway_id, w.request, w.block_number, w.block_hash, w.log_index,"
        " w.tx_hash, b.address, b.topics, b.data, w.expires_at FROM wanted w"
        " JOIN unnest($8::bytea[], $9::bytea[], $10::bytea[]) WITH ORDINALITY"
        " AS b(address, topics, data, place) ON b.place = w.place"
        " ORDER BY w.block_number, w.log_index, w.block_hash, w.tx_hash"
        " ON CONFLICT DO NOTHING RETURNING id),\n"
        "back AS (UPDATE gateway_event e SET removed = false, handled_at = NULL,"
        " received_at = now(), expires_at = w.expires_at FROM wanted w"
        " WHERE e.block_hash = w.block_hash AND e.log_index = w.log_index"
        " AND e.tx_hash = w.tx_hash AND e.removed RETURNING e.id),\n"
        "moved AS (INSERT INTO chain_cursor AS c (listener, chain_id, genesis_hash, block_number,"
        " block_hash) SELECT i.listener, i.chain_id::numeric, i.genesis_hash, i.block_number,"
        " i.block_hash FROM unnest($12::text[], $13::text[], $14::bytea[], $15::bigint[],"
        " $16::bytea[]) AS i(listener, chain_id, genesis_hash, block_number, block_hash)"
        " ON CONFLICT (listener) DO UPDATE SET block_number = excluded.block_number,"
        " block_hash = excluded.block_hash, updated_at = now()"
        " WHERE c.chain_id = excluded.chain_id AND c.genesis_hash = excluded.genesis_hash"
        " AND (c.block_number < excluded.block_number OR (c.block_number = excluded.block_number"
        " AND c.block_hash <> excluded.block_hash)))\n"
        "SELECT (SELECT count(*) FROM fresh) + (SELECT count(*) FROM back),"
        " (SELECT count(*) FROM wanted)";
    return text;
}

core::Address addressOf(const Field &field)
{
    const core::Bytes bytes = bytesOf(field);
    core::Address address{};
    if (bytes.size() != address.size())
    {
        throw malformed();
    }
    std::copy(bytes.begin(), bytes.end(), address.begin());
    return address;
}

std::vector<core::Hash32> topicsOf(const Field &field)
{
    const core::Bytes bytes = bytesOf(field);
    constexpr std::size_t kWord = 32;
    std::vector<core::Hash32> topics(bytes.size() / kWord);
    for (std::size_t i = 0; i < topics.size(); ++i)
    {
        const auto *begin = bytes.data() + i * kWord;
        std::copy(begin, begin + kWord, topics[i].begin());
    }
    return topics;
}

PendingEvent pendingFrom(const Row &row)
{
    const auto kind = core::parseKind(row[1].as<std::string_view>());
    const auto status = core::parseStatus(row[12].as<std::string_view>());
    if (!kind || !status)
    {
        throw malformed();
    }
    PendingEvent pending;
    pending.id = row[0].as<std::int64_t>();
    pending.event.kind = *kind;
    pending.event.gatewayId = hashOf(row[2]);
    pending.event.request = row[3].as<bool>();
    pending.event.blockNumber = row[4].as<std::int64_t>();
    pending.event.blockHash = hashOf(row[5]);
    pending.event.logIndex = row[6].as<std::int32_t>();
    pending.event.txHash = hashOf(row[7]);
    pending.event.address = addressOf(row[8]);
    pending.event.topics = topicsOf(row[9]);
    pending.event.data = bytesOf(row[10]);
    pending.requestId = row[11].as<std::int64_t>();
    pending.status = *status;
    pending.inStatus = std::chrono::milliseconds(row[13].as<std::int64_t>());
    return pending;
}
std::optional<ChainCursor> cursorFrom(const Result &rows, std::string listener)
{
    if (rows.empty())
    {
        return std::nullopt;
    }
    ChainCursor cursor;
    cursor.listener = std::move(listener);
    cursor.chainId = unsignedOf(rows[0][0]);
    cursor.genesisHash = hashOf(rows[0][1]);
    cursor.blockNumber = rows[0][2].as<std::int64_t>();
    cursor.blockHash = hashOf(rows[0][3]);
    return cursor;
}
}  // namespace

InboxStore::InboxStore(ConnectionsPtr writer, ConnectionsPtr reader)
    : writer_(std::move(writer)), reader_(std::move(reader))
{}

Task<Delivered> InboxStore::deliver(std::vector<InboxEvent> events,
                                    std::optional<ChainCursor> cursor,
                                    std::chrono::milliseconds keepFor)
{
    Delivered delivered;
    if (events.empty() && !cursor)
    {
        co_return delivered;
    }
    Columns columns;
    for (const InboxEvent &event : events)
    {
        columns.add(event);
    }
    CursorColumns place;
    if (cursor)
    {
        place.add(*cursor);
    }
    const Target target(writer_, cursor ? Table::Cursor : Table::Other);
    const Result rows = co_await execute(
        target, &deliverText(), std::move(columns.kinds).finish(),
        std::move(columns.gatewayIds).finish(), std::move(columns.requests).finish(),
        std::move(columns.blockNumbers).finish(), std::move(columns.blockHashes).finish(),
        std::move(columns.logIndexes).finish(), std::move(columns.txHashes).finish(),
        std::move(columns.addresses).finish(), std::move(columns.topics).finish(),
        std::move(columns.datas).finish(), millis(keepFor), std::move(place.listeners).finish(),
        std::move(place.chainIds).finish(), std::move(place.genesisHashes).finish(),
        std::move(place.blockNumbers).finish(), std::move(place.blockHashes).finish());
    delivered.stored = rows.at(0)[0].as<std::uint64_t>();
    const auto wanted = rows[0][1].as<std::uint64_t>();
    delivered.known = wanted - delivered.stored;
    delivered.foreign = events.size() - wanted;
    co_return delivered;
}

Task<std::optional<ChainCursor>> InboxStore::cursor(std::string listener)
{
    static const std::string text =
        "SELECT chain_id, genesis_hash, block_number, block_hash FROM chain_cursor"
        " WHERE listener = $1::text";
    const Target target(writer_, Table::Cursor);
    const Result rows = co_await executeTwice(target, &text, listener);
    co_return cursorFrom(rows, std::move(listener));
}

Task<std::optional<ChainCursor>> InboxStore::furthestCursor(std::string listener)
{
    static const std::string text =
        "SELECT chain_id, genesis_hash, block_number, block_hash FROM chain_cursor"
        " ORDER BY block_number DESC LIMIT 1";
    const Target target(writer_, Table::Cursor);
    const Result rows = co_await executeTwice(target, &text);
    co_return cursorFrom(rows, std::move(listener));
}

Task<> InboxStore::setCursor(ChainCursor cursor)
{
    static const Write text =
        "INSERT INTO chain_cursor (listener, chain_id, genesis_hash, block_number, block_hash)"
        " VALUES ($1::text, $2::text::numeric, $3::bytea, $4::bigint, $5::bytea)"
        " ON CONFLICT (listener) DO UPDATE SET chain_id = excluded.chain_id,"
        " genesis_hash = excluded.genesis_hash, block_number = excluded.block_number,"
        " block_hash = excluded.block_hash, updated_at = now()";
    const Target target(writer_, Table::Cursor);
    co_await executeTwice(target, &text, cursor.listener, std::to_string(cursor.chainId),
                          binaryParameter(cursor.genesisHash), cursor.blockNumber,
                          binaryParameter(cursor.blockHash));
}

Task<InboxStore::Counts> InboxStore::counts()
{
    static const std::string text =
        "SELECT count(*) FILTER (WHERE handled_at IS NULL AND NOT removed), count(*)"
        " FROM gateway_event";
    const Result rows = co_await executeTwice(reader_, &text);
    Counts counts;
    counts.unhandled = rows.at(0)[0].as<std::uint64_t>();
    counts.all = rows.at(0)[1].as<std::uint64_t>();
    co_return counts;
}

Task<std::vector<PendingEvent>> InboxStore::pending(EventId after, std::size_t limit)
{
    static const std::string text =
        "SELECT e.id, e.kind, e.gateway_id, e.request, e.block_number, e.block_hash, e.log_index,"
        " e.tx_hash, e.address, e.topics, e.data, r.id, r.status,"
        " (extract(epoch FROM now() - r.status_at) * 1000)::bigint FROM gateway_event e"
        " CROSS JOIN LATERAL (SELECT CASE WHEN e.request THEN (SELECT a.request_id"
        " FROM tx_version v JOIN tx_attempt a ON a.id = v.attempt_id WHERE v.hash = e.tx_hash)"
        " ELSE (SELECT g.request_id FROM gateway_reference g WHERE g.kind = e.kind"
        " AND g.gateway_id = e.gateway_id) END AS id OFFSET 0) concerned"
        " JOIN request r ON r.id = concerned.id"
        " WHERE e.handled_at IS NULL AND e.id > $1::bigint ORDER BY e.id LIMIT $2::bigint";
    const Result rows =
        co_await executeTwice(reader_, &text, after, static_cast<std::int64_t>(limit));
    std::vector<PendingEvent> events;
    events.reserve(rows.size());
    for (const auto &row : rows)
    {
        events.push_back(pendingFrom(row));
    }
    co_return events;
}

Task<> InboxStore::markHandled(std::vector<EventId> events)
{
    static const Write text =
        "WITH mine AS MATERIALIZED (SELECT e.id FROM gateway_event e"
        " WHERE e.id = ANY ($1::bigint[]) AND e.handled_at IS NULL"
        " ORDER BY e.id FOR NO KEY UPDATE OF e)\n"
        "UPDATE gateway_event e SET handled_at = now() FROM mine WHERE e.id = mine.id"
        " AND e.handled_at IS NULL";
    PgArray ids(PgType::Int8);
    for (const EventId id : events)
    {
        ids.add(id);
    }
    const auto parameter = std::move(ids).finish();
    co_await executeTwice(writer_, &text, parameter);
}

Task<std::size_t> InboxStore::removeBlocks(std::vector<core::Hash32> blockHashes)
{
    // An answer that was kept from such a block is void, unless it ended its request: the ids may
    // go to other requests now, and the first answer to an id counts. References are made anew so
    // that whoever is about to end a request by what goes away here finds its reference gone.
    static const Write text =
        "WITH mine AS MATERIALIZED (SELECT e.id FROM gateway_event e"
        " WHERE e.block_hash = ANY ($1::bytea[]) AND NOT e.removed"
        " ORDER BY e.id FOR NO KEY UPDATE OF e),\n"
        "marked AS (UPDATE gateway_event e SET removed = true,"
        " handled_at = coalesce(e.handled_at, now()) FROM mine WHERE e.id = mine.id"
        " AND NOT e.removed RETURNING e.id, e.kind, e.gateway_id, e.request, e.tx_hash,"
        " e.block_number),\n"
        "void AS MATERIALIZED (SELECT DISTINCT m.kind, m.gateway_id, m.tx_hash, g.request_id"
        " FROM marked m LEFT JOIN gateway_reference g ON g.kind = m.kind"
        " AND g.gateway_id = m.gateway_id WHERE NOT m.request),\n"
        "waiting AS MATERIALIZED (SELECT r.id FROM request r"
        " WHERE r.id = ANY (ARRAY(SELECT request_id FROM void)) AND r.live"
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "free AS MATERIALIZED (SELECT v.* FROM void v WHERE v.request_id IS NULL"
        " OR v.request_id IN (SELECT id FROM waiting)),\n"
        "unbound AS (DELETE FROM gateway_reference g USING (SELECT DISTINCT kind, gateway_id"
        " FROM free WHERE request_id IS NOT NULL) f WHERE g.kind = f.kind"
        " AND g.gateway_id = f.gateway_id RETURNING g.kind, g.gateway_id, g.request_id),\n"
        "bound AS (INSERT INTO gateway_reference (kind, gateway_id, request_id)"
        " SELECT kind, gateway_id, request_id FROM unbound),\n"
        "answers AS (DELETE FROM gateway_answer a USING free f WHERE a.kind = f.kind"
        " AND a.gateway_id = f.gateway_id AND a.response_tx_hash = f.tx_hash),\n"
        "shares AS (DELETE FROM kms_share s USING free f WHERE f.kind = 'user_decrypt'"
        " AND s.gateway_id = f.gateway_id AND s.response_tx_hash = f.tx_hash"
        " RETURNING f.request_id),\n"
        // The same answer from the other branch came while this one was kept, and was dropped.
        "again AS (UPDATE gateway_event e SET handled_at = NULL FROM (SELECT DISTINCT kind,"
        " gateway_id FROM free) f WHERE e.block_number >= (SELECT min(block_number) FROM marked)"
        " AND e.kind = f.kind AND e.gateway_id = f.gateway_id AND NOT e.request AND NOT e.removed"
        " AND e.handled_at IS NOT NULL AND NOT EXISTS (SELECT FROM mine WHERE mine.id = e.id)),\n"
        "counted AS (UPDATE request r SET shares_seen = greatest(0, r.shares_seen - n.gone)"
        " FROM (SELECT request_id, count(*) AS gone FROM shares GROUP BY request_id) n"
        " WHERE r.id = n.request_id AND r.live)\n"
        "SELECT id FROM marked";
    PgArray hashes(PgType::Bytea);
    for (const core::Hash32 &hash : blockHashes)
    {
        hashes.add(core::ByteView(hash));
    }
    const Result rows = co_await execute(writer_, &text, std::move(hashes).finish());
    co_return rows.size();
}

Task<std::vector<InboxStore::SeenBlock>> InboxStore::blocksSince(std::int64_t block,
                                                                 std::size_t limit)
{
    static const std::string text =
        "SELECT DISTINCT e.block_number, e.block_hash FROM gateway_event e"
        " WHERE e.block_number >= $1::bigint AND NOT e.removed"
        " ORDER BY e.block_number, e.block_hash LIMIT $2::bigint";
    const Result rows =
        co_await executeTwice(writer_, &text, block, static_cast<std::int64_t>(limit));
    std::vector<SeenBlock> blocks;
    for (const auto &row : rows)
    {
        blocks.push_back({row[0].as<std::int64_t>(), hashOf(row[1])});
    }
    co_return blocks;
}

Task<std::size_t> InboxStore::expire(std::chrono::milliseconds keepHandled, std::size_t limit)
{
    // What became ours in the meantime waits to be handled, and stays until then.
    static const Write text =
        "WITH old AS MATERIALIZED (SELECT id FROM ((SELECT e.id FROM gateway_event e"
        " WHERE e.expires_at < now() AND e.handled_at IS NULL AND NOT EXISTS"
        " (SELECT FROM gateway_reference g WHERE g.kind = e.kind"
        " AND g.gateway_id = e.gateway_id) LIMIT $2::bigint)"
        " UNION ALL (SELECT e.id FROM gateway_event e"
        " WHERE e.handled_at < now() - $1::bigint * interval '1 millisecond'"
        " LIMIT $2::bigint)) either LIMIT $2::bigint),\n"
        "mine AS MATERIALIZED (SELECT e.id FROM gateway_event e JOIN old ON old.id = e.id"
        " ORDER BY e.id FOR UPDATE OF e SKIP LOCKED)\n"
        "DELETE FROM gateway_event e USING mine WHERE e.id = mine.id RETURNING e.id";
    const Result rows =
        co_await execute(writer_, &text, millis(keepHandled), static_cast<std::int64_t>(limit));
    co_return rows.size();
}

Task<> InboxStore::forget(std::optional<core::Hash32> genesis)
{
    // A chain that begins anew counts its ids anew. A hash in their place keeps answers with the
    // requests that have them, and clear of what the new chain will say.
    static const Write text =
        "WITH past AS (DELETE FROM chain_cursor c WHERE $1::bytea IS NULL"
        " OR c.genesis_hash <> $1::bytea RETURNING c.listener),\n"
        "due AS MATERIALIZED (SELECT WHERE $1::bytea IS NULL OR EXISTS (SELECT FROM past)),\n"
        "events AS (DELETE FROM gateway_event e USING due),\n"
        "answers AS (UPDATE gateway_answer SET gateway_id = sha256(gateway_id) FROM due),\n"
        "shares AS (UPDATE kms_share SET gateway_id = sha256(gateway_id) FROM due),\n"
        "referred AS (UPDATE gateway_reference SET gateway_id = sha256(gateway_id) FROM due)\n"
        "UPDATE request SET gateway_id = sha256(gateway_id) FROM due"
        " WHERE gateway_id IS NOT NULL";
    co_await execute(writer_, &text, binaryOrNull(genesis));
}
}  // namespace relayer::models
