#include "models/operator_store.h"

#include "models/execute.h"
#include "models/operator_sql.h"
#include "models/pg_values.h"
#include "models/request_sql_operator.h"
#include "models/request_writers.h"

#include <algorithm>
#include <limits>

namespace relayer::models
{
using core::OperatorOutcome;
using drogon::Task;
using drogon::orm::Result;
using drogon::orm::Row;
using std::chrono::milliseconds;

namespace
{
// Ids follow the time of admission but for transactions that overlap.
constexpr milliseconds kOverlap = std::chrono::minutes(1);

core::RequestLine lineFrom(const Row &row)
{
    core::RequestLine line;
    line.id = row[0].as<std::int64_t>();
    line.jobId = core::JobId::parse(row[1].as<std::string_view>()).value_or(core::JobId());
    line.kind = core::parseKind(row[2].as<std::string_view>()).value_or(core::Kind::InputProof);
    line.variant = row[3].as<std::string>();
    line.status = core::parseStatus(row[4].as<std::string_view>()).value_or(core::Status::Failure);
    line.errorCode = row[5].isNull() ? std::string() : row[5].as<std::string>();
    line.createdAt = millisFrom(row[6]);
    line.statusAt = millisFrom(row[7]);
    line.inStatus = millisFrom(row[8]);
    return line;
}

std::optional<core::Hash32> hashOrNothing(const drogon::orm::Field &field)
{
    return field.isNull() ? std::nullopt : std::optional(hashOf(field));
}

std::optional<milliseconds> millisOrNothing(const drogon::orm::Field &field)
{
    return field.isNull() ? std::nullopt : std::optional(millisFrom(field));
}

std::optional<std::int64_t> numberOrNothing(const drogon::orm::Field &field)
{
    return field.isNull() ? std::nullopt : std::optional(field.as<std::int64_t>());
}

std::string textOrNothing(const drogon::orm::Field &field)
{
    return field.isNull() ? std::string() : field.as<std::string>();
}

template <typename Value>
std::optional<std::string> nameOf(const std::optional<Value> &value)
{
    return value ? std::optional(std::string(core::name(*value))) : std::nullopt;
}

std::optional<std::int64_t> millisOf(const std::optional<milliseconds> &time)
{
    return time ? std::optional(millis(*time)) : std::nullopt;
}

// What stands for one request, or for few.
drogon::orm::RawParameter nameParameter(const core::RequestSearch &search)
{
    if (search.jobId)
    {
        return binaryParameter(search.jobId->raw());
    }
    const auto &hash = search.txHash      ? search.txHash
                       : search.gatewayId ? search.gatewayId
                                          : search.contentHash;
    return binaryOrNull(hash);
}

core::RequestHistory historyFrom(const Row &row)
{
    constexpr std::size_t at = sql::kLineColumns;
    core::RequestHistory history;
    history.line = lineFrom(row);
    history.errorDetail = textOrNothing(row[at]);
    history.contentHash = hashOf(row[at + 1]);
    history.gatewayId = hashOrNothing(row[at + 2]);
    history.txHash = hashOrNothing(row[at + 3]);
    history.ticket = row[at + 4].as<std::int64_t>();
    history.claimedBy = textOrNothing(row[at + 5]);
    history.payloadBytes = row[at + 6].as<std::int64_t>();
    history.threshold = numberOrNothing(row[at + 7]);
    history.trail = core::readTrail(bytesOf(row[at + 8]));
    history.resubmits = row[at + 9].isNull()
                            ? std::nullopt
                            : core::JobId::parse(row[at + 9].as<std::string_view>());
    history.onItsWay = row[at + 10].as<bool>();
    return history;
}

// One row for each version; those of an attempt follow each other.
std::vector<core::AttemptRecord> attemptsFrom(const Result &rows)
{
    std::vector<core::AttemptRecord> attempts;
    std::int64_t last = 0;
    for (const auto &row : rows)
    {
        const auto id = row[0].as<std::int64_t>();
        if (attempts.empty() || id != last)
        {
            core::AttemptRecord attempt;
            attempt.lane = row[1].as<std::string>();
            attempt.nonce = row[2].as<std::int64_t>();
            attempt.state = row[3].as<std::string>();
            attempt.sends = row[4].as<std::int64_t>();
            attempt.signedAt = millisFrom(row[5]);
            attempt.minedHash = hashOrNothing(row[6]);
            attempt.minedBlock = numberOrNothing(row[7]);
            attempt.closingCode = textOrNothing(row[8]);
            attempts.push_back(std::move(attempt));
            last = id;
        }
        core::VersionRecord version;
        version.hash = hashOf(row[9]);
        version.maxFeePerGas = row[10].as<std::string>();
        version.maxPriorityFeePerGas = row[11].as<std::string>();
        version.gasLimit = row[12].as<std::string>();
        version.noOp = row[13].as<bool>();
        version.signedAt = millisFrom(row[14]);
        version.lastSentAt = millisOrNothing(row[15]);
        attempts.back().versions.push_back(std::move(version));
    }
    return attempts;
}

core::EventRecord eventFrom(const Row &row)
{
    core::EventRecord event;
    event.request = row[0].as<bool>();
    event.removed = row[1].as<bool>();
    event.block = row[2].as<std::int64_t>();
    event.logIndex = row[3].as<std::int64_t>();
    event.txHash = hashOf(row[4]);
    event.receivedAt = millisFrom(row[5]);
    event.handledAt = millisOrNothing(row[6]);
    return event;
}

// Below the first block of ours nothing can be about it.
std::int64_t firstBlockOf(const std::vector<core::AttemptRecord> &attempts)
{
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const core::AttemptRecord &attempt : attempts)
    {
        first = std::min(first, attempt.minedBlock.value_or(first));
    }
    return first;
}
}  // namespace

Task<std::optional<std::int64_t>> OperatorStore::firstSince(milliseconds age)
{
    const Result rows =
        co_await executeTwice(reader_, &sql::firstAdmittedSince(), millis(std::max(age, {})));
    co_return rows.empty() || rows[0][0].isNull() ? std::nullopt
                                                  : std::optional(rows[0][0].as<std::int64_t>());
}

Task<core::RequestPage> OperatorStore::find(core::RequestSearch search)
{
    const std::size_t limit = std::clamp<std::size_t>(search.limit, 1, core::kSearchLimitMax);
    const sql::Walk walk = sql::walkOf(search);
    const bool named = walk.edge == nullptr && walk.byName;
    std::int64_t from = 0;
    std::int64_t before = search.before.value_or(std::numeric_limits<std::int64_t>::max());
    if (!named && search.youngerThan)
    {
        const auto first = co_await firstSince(*search.youngerThan + kOverlap);
        from = first.value_or(0);
    }
    if (!named && search.olderThan)
    {
        const auto first = co_await firstSince(*search.olderThan - kOverlap);
        before = std::min(before, first.value_or(before));
    }
    const Result rows = co_await executeTwice(
        reader_, walk.text, nameParameter(search), nameOf(search.kind), nameOf(search.status),
        millisOf(search.olderThan), millisOf(search.youngerThan), before,
        static_cast<std::int64_t>(limit + 1), from);
    core::RequestPage page;
    for (const auto &row : rows)
    {
        if (page.lines.size() == limit)
        {
            page.next = page.lines.back().id;
            co_return page;
        }
        page.lines.push_back(lineFrom(row));
    }
    if (walk.edge != nullptr)
    {
        // Nothing more among those that were looked at; there may be some behind them.
        const Result edge = co_await executeTwice(reader_, walk.edge, before, from);
        page.next = edge.empty() ? std::nullopt : std::optional(edge[0][0].as<std::int64_t>());
    }
    co_return page;
}

Task<std::optional<core::RequestHistory>> OperatorStore::history(core::JobId job)
{
    const Result rows =
        co_await executeTwice(reader_, &sql::historyOfRequest(), binaryParameter(job.raw()));
    if (rows.empty())
    {
        co_return std::nullopt;
    }
    core::RequestHistory history = historyFrom(rows[0]);
    const std::int64_t id = history.line.id;
    history.attempts = attemptsFrom(co_await executeTwice(reader_, &sql::attemptsOfRequest(), id));
    const Result anew = co_await executeTwice(reader_, &sql::resubmissionsOf(), id);
    for (const auto &row : anew)
    {
        history.resubmittedAs.push_back(
            core::JobId::parse(row[0].as<std::string_view>()).value_or(core::JobId()));
    }
    if (!history.gatewayId)
    {
        co_return history;
    }
    const std::string kind(core::name(history.line.kind));
    const Result events =
        co_await executeTwice(reader_, &sql::eventsOfGatewayId(), kind,
                              binaryParameter(*history.gatewayId), firstBlockOf(history.attempts));
    for (const auto &row : events)
    {
        history.events.push_back(eventFrom(row));
    }
    const Result shares = co_await executeTwice(reader_, &sql::sharesOfGatewayId(),
                                                binaryParameter(*history.gatewayId));
    for (const auto &row : shares)
    {
        history.shares.push_back(
            {row[0].as<std::int64_t>(), millisFrom(row[1]), hashOrNothing(row[2])});
    }
    const Result answer = co_await executeTwice(reader_, &sql::answerToGatewayId(), kind,
                                                binaryParameter(*history.gatewayId));
    if (!answer.empty())
    {
        history.answer = {answer[0][0].as<bool>(), millisFrom(answer[0][1]),
                          hashOrNothing(answer[0][2])};
    }
    co_return history;
}

Task<std::vector<OperatorStore::ErrorCount>> OperatorStore::errors(milliseconds within)
{
    const Result rows = co_await executeTwice(reader_, &sql::errorsWithin(), millis(within));
    std::vector<ErrorCount> counts;
    for (const auto &row : rows)
    {
        counts.push_back(
            {core::parseKind(row[0].as<std::string_view>()).value_or(core::Kind::InputProof),
             row[1].as<std::string>(), row[2].as<std::int64_t>()});
    }
    co_return counts;
}

Task<std::vector<core::InstanceRecord>> OperatorStore::instances()
{
    const Result rows = co_await executeTwice(reader_, &sql::allInstances());
    std::vector<core::InstanceRecord> instances;
    for (const auto &row : rows)
    {
        instances.push_back({row[0].as<std::string>(), row[1].as<std::string>(), millisFrom(row[2]),
                             millisFrom(row[3]), row[4].as<bool>()});
    }
    co_return instances;
}

Task<std::vector<core::LaneRecord>> OperatorStore::lanes()
{
    const Result rows = co_await executeTwice(reader_, &sql::allLanes());
    std::vector<core::LaneRecord> lanes;
    for (const auto &row : rows)
    {
        core::LaneRecord lane;
        lane.name = row[0].as<std::string>();
        const core::Bytes address = bytesOf(row[1]);
        std::copy_n(address.begin(), std::min(address.size(), lane.address.size()),
                    lane.address.begin());
        lane.heldBy = textOrNothing(row[2]);
        lane.nextNonce = row[3].as<std::int64_t>();
        lane.open = row[4].as<std::int64_t>();
        lanes.push_back(std::move(lane));
    }
    co_return lanes;
}

Task<OperatorStore::Shares> OperatorStore::shares()
{
    Shares shares;
    const Result states = co_await executeTwice(reader_, &sql::sharesByState());
    for (const auto &row : states)
    {
        shares.states.emplace_back(row[0].as<std::string>(), row[1].as<std::int64_t>());
    }
    const Result due = co_await executeTwice(reader_, &sql::sharesThatAreDue());
    shares.rounds = due[0][0].as<std::int64_t>();
    shares.due = due[0][1].as<std::int64_t>();
    shares.oldestDueFor = millisOrNothing(due[0][2]);
    co_return shares;
}

Task<OperatorOutcome> OperatorStore::fail(core::JobId job, std::string reason, std::string actor)
{
    const core::Failure failure{core::FailureCode::StoppedByOperator, std::move(reason)};
    const Result rows =
        co_await execute(writer_, &sql::failByOperator(), binaryParameter(job.raw()),
                         std::string(core::name(failure.code)), failure.detail, std::move(actor));
    if (rows.empty())
    {
        co_return OperatorOutcome::NoSuchRequest;
    }
    if (!rows[0][1].as<bool>())
    {
        co_return OperatorOutcome::WrongState;
    }
    tell(news_, std::vector{moveFrom(rows[0][0].as<std::int64_t>(), rows[0], 2)});
    co_return OperatorOutcome::Done;
}

Task<OperatorOutcome> OperatorStore::dispatchAgain(core::JobId job, std::string actor)
{
    const Result rows = co_await execute(writer_, &sql::dispatchAgain(), binaryParameter(job.raw()),
                                         std::move(actor));
    if (rows.empty())
    {
        co_return OperatorOutcome::NoSuchRequest;
    }
    if (!rows[0][1].as<bool>())
    {
        co_return rows[0][2].as<bool>() ? OperatorOutcome::OnItsWay : OperatorOutcome::WrongState;
    }
    tell(news_, std::vector{moveFrom(rows[0][0].as<std::int64_t>(), rows[0], 3)});
    co_return OperatorOutcome::Done;
}

Task<OperatorOutcome> OperatorStore::submitAnew(core::JobId job, core::JobId fresh,
                                                std::string actor)
{
    const Result rows = co_await execute(writer_, &sql::submitAnew(), binaryParameter(job.raw()),
                                         binaryParameter(fresh.raw()), std::move(actor));
    if (rows.empty())
    {
        co_return OperatorOutcome::NoSuchRequest;
    }
    if (!rows[0][1].as<bool>())
    {
        co_return OperatorOutcome::WrongState;
    }
    co_return rows[0][2].as<bool>() ? OperatorOutcome::Done : OperatorOutcome::ContentInUse;
}
}  // namespace relayer::models
