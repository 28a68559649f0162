// The part of RequestStore that claims and finds. Statements that serve one row or one page at a
// time, so they go straight to a connection and not through a group commit.
#include "models/execute.h"
#include "models/pg_array.h"
#include "models/pg_values.h"
#include "models/request_sql.h"
#include "models/request_store.h"
#include "models/request_writers.h"

#include <algorithm>
#include <memory>

namespace relayer::models
{
using core::Kind;
using core::Status;
using drogon::Task;
using drogon::orm::Result;

namespace
{
std::vector<RequestRow> rowsOf(const Result &result)
{
    std::vector<RequestRow> rows;
    rows.reserve(result.size());
    for (const auto &row : result)
    {
        rows.emplace_back(row, 0);
    }
    return rows;
}

std::optional<RequestRow> firstOf(const Result &result)
{
    return result.empty() ? std::nullopt : std::optional<RequestRow>(RequestRow(result[0], 0));
}

auto arrayOf(const std::vector<RequestId> &ids)
{
    PgArray array(PgType::Int8);
    for (const RequestId id : ids)
    {
        array.add(id);
    }
    return std::move(array).finish();
}
}  // namespace

Task<std::size_t> RequestStore::settleWaiting(Kind kind, std::size_t limit)
{
    const Gate::Pass inside = gate_.enter();
    // Only those whose answer is here: a pass over many that still wait writes nothing.
    static const std::string waiting =
        "SELECT r.gateway_id FROM live_request l JOIN request r ON r.id = l.request_id"
        " WHERE l.kind = $1::text::request_kind AND r.status = 'receipt_received' AND "
        "(EXISTS (SELECT FROM gateway_answer a WHERE a.kind = r.kind"
        " AND a.gateway_id = r.gateway_id)"
        " OR (SELECT count(*) FROM kms_share s WHERE s.gateway_id = r.gateway_id)"
        " >= coalesce(r.resolved_threshold, 2147483647)) ORDER BY l.ticket LIMIT $2::bigint";
    const Target target(reader_, tableOf(kind));
    const Result rows = co_await executeTwice(target, &waiting, std::string(core::name(kind)),
                                              static_cast<std::int64_t>(limit));
    std::vector<Settlement> settlements;
    settlements.reserve(rows.size());
    for (const auto &row : rows)
    {
        settlements.push_back({kind, hashOf(row[0])});
    }
    auto batch = std::make_shared<std::vector<const Settlement *>>();
    for (const Settlement &settlement : settlements)
    {
        batch->push_back(&settlement);
    }
    const auto outcomes = co_await writeSettlements(writer_, batch, news_);
    const auto ended = std::count_if(outcomes.begin(), outcomes.end(),
                                     [](const auto &status) { return status.has_value(); });
    co_return static_cast<std::size_t>(ended);
}

Task<bool> RequestStore::resolveThreshold(RequestId id, std::int32_t threshold)
{
    const Gate::Pass inside = gate_.enter();
    static const Write text =
        "UPDATE request r SET resolved_threshold = $2::int WHERE r.id = $1::bigint AND r.live"
        " AND r.kind = 'user_decrypt' AND r.resolved_threshold IS NULL RETURNING r.id";
    const Target target(writer_, Table::UserDecrypt);
    const Result rows = co_await execute(target, &text, id, threshold);
    co_return !rows.empty();
}

Task<std::vector<RequestRow>> RequestStore::claim(Kind kind, Status status, Claimer claimer,
                                                  std::size_t limit, std::int64_t afterTicket)
{
    const Gate::Pass inside = gate_.enter();
    // The tickets are walked in their order and the walk ends with the last row that is taken,
    // however the statement was planned: no row beyond it is looked at, or locked.
    static const std::string text =  // tidy: allow writes: who moves the row needs its owner
        "WITH mine AS MATERIALIZED (SELECT free.id FROM (SELECT l.request_id FROM live_request l"
        " WHERE l.kind = $1::text::request_kind AND l.ticket > $2::bigint"
        " ORDER BY l.ticket OFFSET 0) line CROSS JOIN LATERAL (SELECT r.id FROM request r"
        " WHERE r.id = line.request_id AND r.status = $3::text::request_status"
        " AND r.owner IS NULL FOR NO KEY UPDATE OF r SKIP LOCKED) free LIMIT $4::bigint),\n"
        "claimed AS (UPDATE request r SET owner = $5::bigint FROM mine WHERE r.id = mine.id"
        " RETURNING r.*)\n"
        "SELECT " +
        sql::columns(sql::Payload::Taken) + ", " + sql::millisInStatus() +
        " FROM claimed r ORDER BY r.ticket";
    const Target target(writer_, tableOf(kind));
    const Result rows = co_await execute(target, &text, std::string(core::name(kind)), afterTicket,
                                         std::string(core::name(status)),
                                         static_cast<std::int64_t>(limit), claimer);
    for (const auto &row : rows)
    {
        if (news_)
        {
            news_->claimed(
                {row["id"].as<std::int64_t>(),
                 core::JobId::parse(row["job_id"].as<std::string_view>()).value_or(core::JobId()),
                 kind, status, millisFrom(row[sql::kColumns])});
        }
    }
    co_return rowsOf(rows);
}

Task<std::size_t> RequestStore::release(std::vector<RequestId> ids, Claimer claimer)
{
    const Gate::Pass inside = gate_.enter();
    static const Write text =
        "WITH mine AS MATERIALIZED (SELECT r.id FROM request r"
        " WHERE r.id = ANY ($1::bigint[]) AND r.owner = $2::bigint AND r.live"
        " ORDER BY r.id FOR NO KEY UPDATE OF r)\n"
        "UPDATE request r SET owner = NULL FROM mine WHERE r.id = mine.id"
        " AND r.owner = $2::bigint RETURNING r.id";
    const Result rows = co_await execute(writer_, &text, arrayOf(ids), claimer);
    co_return rows.size();
}

Task<std::vector<RequestId>> RequestStore::heldIds(Status status, Claimer claimer)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string text =
        "SELECT r.id FROM live_request l JOIN request r ON r.id = l.request_id"
        " WHERE r.status = $1::text::request_status AND r.owner = $2::bigint";
    // Not from a copy that lags behind: who asks has just claimed.
    const Result rows =
        co_await executeTwice(writer_, &text, std::string(core::name(status)), claimer);
    std::vector<RequestId> ids;
    ids.reserve(rows.size());
    for (const auto &row : rows)
    {
        ids.push_back(row[0].as<std::int64_t>());
    }
    co_return ids;
}

Task<QueueHead> RequestStore::queueHead(Kind kind, Status status, std::size_t countUpTo)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string text =
        "SELECT min(q.ticket), count(*) FROM (SELECT l.ticket FROM live_request l"
        " JOIN request r ON r.id = l.request_id WHERE l.kind = $1::text::request_kind"
        " AND r.status = $2::text::request_status AND r.owner IS NULL"
        " ORDER BY l.ticket LIMIT $3::bigint) q";
    const Target target(reader_, tableOf(kind));
    const Result rows = co_await executeTwice(target, &text, std::string(core::name(kind)),
                                              std::string(core::name(status)),
                                              static_cast<std::int64_t>(countUpTo));
    QueueHead head;
    if (!rows.at(0)[0].isNull())
    {
        head.ticket = rows[0][0].as<std::int64_t>();
    }
    head.waiting = rows[0][1].as<std::uint64_t>();
    co_return head;
}

Task<std::vector<std::int64_t>> RequestStore::queueTickets(Kind kind, Status status,
                                                           std::size_t limit)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string text =
        "SELECT l.ticket FROM live_request l"
        " JOIN request r ON r.id = l.request_id WHERE l.kind = $1::text::request_kind"
        " AND r.status = $2::text::request_status AND r.owner IS NULL"
        " ORDER BY l.ticket LIMIT $3::bigint";
    const Target target(reader_, tableOf(kind));
    const Result rows =
        co_await executeTwice(target, &text, std::string(core::name(kind)),
                              std::string(core::name(status)), static_cast<std::int64_t>(limit));
    std::vector<std::int64_t> tickets;
    tickets.reserve(rows.size());
    for (const auto &row : rows)
    {
        tickets.push_back(row[0].as<std::int64_t>());
    }
    co_return tickets;
}

Task<std::optional<RequestRow>> RequestStore::findByJobId(core::JobId jobId)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string text =
        "SELECT " + sql::columns(sql::Payload::Taken) + " FROM request r WHERE r.job_id = $1::uuid";
    const Result rows = co_await executeTwice(reader_, &text, binaryParameter(jobId.raw()));
    co_return firstOf(rows);
}

Task<std::optional<Poll>> RequestStore::poll(core::JobId jobId)
{
    const Gate::Pass inside = gate_.enter();
    co_return co_await polls_->submit(jobId);
}

Task<std::vector<Poll>> RequestStore::pollAll(std::vector<RequestId> ids)
{
    const Gate::Pass inside = gate_.enter();
    const Target target(reader_, tablesIn<2>);
    const Result rows = co_await executeTwice(target, &sql::pollAll(), arrayOf(ids));
    std::vector<Poll> polls;
    polls.reserve(rows.size());
    for (const auto &row : rows)
    {
        polls.push_back(pollFrom(row));
    }
    co_return polls;
}

Task<RequestStore::Statuses> RequestStore::statusesOf(std::vector<RequestId> ids)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string text =
        "SELECT r.id, r.status FROM unnest($1::bigint[]) WITH ORDINALITY AS i(id, place)"
        " JOIN request r ON r.id = i.id WHERE " +
        sql::lookedUpOneByOne("i.place");
    const Result rows = co_await executeTwice(reader_, &text, arrayOf(ids));
    Statuses statuses;
    statuses.reserve(rows.size());
    for (const auto &row : rows)
    {
        if (const auto status = core::parseStatus(row[1].as<std::string_view>()))
        {
            statuses.emplace_back(row[0].as<std::int64_t>(), *status);
        }
    }
    co_return statuses;
}

Task<std::vector<core::DecryptShare>> RequestStore::firstShares(GatewayId gatewayId,
                                                                std::size_t count)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string text =
        "SELECT share_index, arrival, payload, signature, extra_data FROM kms_share"
        " WHERE gateway_id = $1::bytea ORDER BY arrival, share_index LIMIT $2::bigint";
    const Result rows = co_await executeTwice(reader_, &text, binaryParameter(gatewayId),
                                              static_cast<std::int64_t>(count));
    std::vector<core::DecryptShare> shares;
    shares.reserve(rows.size());
    for (const auto &row : rows)
    {
        shares.push_back({row[0].as<std::int32_t>(), row[1].as<std::int64_t>(), bytesOf(row[2]),
                          bytesOf(row[3]), bytesOf(row[4])});
    }
    co_return shares;
}

Task<std::optional<Admission>> RequestStore::findStanding(Kind kind, core::ContentHash contentHash)
{
    const Gate::Pass inside = gate_.enter();
    PgArray kinds(PgType::Text);
    kinds.add(core::name(kind));
    PgArray hashes(PgType::Bytea);
    hashes.add(contentHash);
    const Result rows = co_await executeTwice(reader_, &sql::join(), std::move(kinds).finish(),
                                              std::move(hashes).finish());
    if (rows.empty())
    {
        co_return std::nullopt;
    }
    co_return admissionFrom(rows[0]);
}

Task<std::optional<RequestRow>> RequestStore::findByGatewayId(Kind kind, GatewayId gatewayId)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string text =
        "SELECT " + sql::columns(sql::Payload::Taken) +
        " FROM gateway_reference g JOIN request r ON r.id = g.request_id"
        " WHERE g.kind = $1::text::request_kind"
        " AND g.gateway_id = $2::bytea";
    const Target target(reader_, tableOf(kind));
    const Result rows = co_await executeTwice(target, &text, std::string(core::name(kind)),
                                              binaryParameter(gatewayId));
    co_return firstOf(rows);
}

Task<std::optional<RequestRow>> RequestStore::findByTxHash(TxHash txHash)
{
    const Gate::Pass inside = gate_.enter();
    // The request names its latest transaction only, and no index does.
    static const std::string text =
        "SELECT " + sql::columns(sql::Payload::Taken) +
        " FROM tx_version v JOIN tx_attempt a ON a.id = v.attempt_id"
        " JOIN request r ON r.id = a.request_id WHERE v.hash = $1::bytea";
    const Result rows = co_await executeTwice(reader_, &text, binaryParameter(txHash));
    co_return firstOf(rows);
}

Task<std::vector<RequestRow>> RequestStore::findByStatus(Kind kind, Status status,
                                                         std::int64_t beforeId, std::size_t limit)
{
    const Gate::Pass inside = gate_.enter();
    // A live status is looked up among the live requests. An ended one is read backwards through
    // the table: there is no index on status, which would make every status change dear
    // (docs/decisions.md).
    static const std::string among =
        "SELECT " + sql::columns(sql::Payload::Left) +
        " FROM live_request l JOIN request r ON r.id = l.request_id"
        " WHERE l.kind = $1::text::request_kind AND r.status = $2::text::request_status"
        " AND r.id < $3::bigint ORDER BY r.id DESC LIMIT $4::bigint";
    static const std::string backwards =
        "SELECT " + sql::columns(sql::Payload::Left) +
        " FROM request r WHERE r.kind = $1::text::request_kind"
        " AND r.status = $2::text::request_status AND r.id < $3::bigint"
        " ORDER BY r.id DESC LIMIT $4::bigint";
    const Result rows = co_await executeTwice(
        reader_, core::isTerminal(status) ? &backwards : &among, std::string(core::name(kind)),
        std::string(core::name(status)), beforeId, static_cast<std::int64_t>(limit));
    co_return rowsOf(rows);
}

Task<RequestStore::Counts> RequestStore::countByStatus(bool liveOnly)
{
    const Gate::Pass inside = gate_.enter();
    static const std::string live =
        "SELECT r.kind, r.status, count(*) FROM live_request l"
        " JOIN request r ON r.id = l.request_id GROUP BY r.kind, r.status";
    static const std::string all =
        "SELECT r.kind, r.status, count(*) FROM request r GROUP BY r.kind, r.status";
    const Result rows = co_await executeTwice(reader_, liveOnly ? &live : &all);
    Counts counts;
    for (const auto &row : rows)
    {
        const auto kind = core::parseKind(row[0].as<std::string_view>());
        const auto status = core::parseStatus(row[1].as<std::string_view>());
        if (kind && status)
        {
            counts[{*kind, *status}] = row[2].as<std::int64_t>();
        }
    }
    co_return counts;
}
}  // namespace relayer::models
