#include "models/request_writers.h"

#include "models/execute.h"
#include "models/pg_array.h"
#include "models/pg_values.h"
#include "models/request_sql.h"

#include <algorithm>
#include <map>
#include <set>

namespace relayer::models
{
using core::Kind;
using core::Status;
using drogon::orm::Result;

namespace
{
// While another transaction commits the same content there is no row to join yet; asking again
// waits for it. Needed more than once only if that row ends again at once.
constexpr int kAdmissionRounds = 10;

// Places in a batch that share one content: the first brings the row in, the others join it.
using Content = std::pair<Kind, core::ContentHash>;
using Places = std::map<Content, std::vector<std::size_t>>;

Status statusFrom(const drogon::orm::Field &field)
{
    const auto status = core::parseStatus(field.as<std::string_view>());
    if (!status)
    {
        throw StoreError(StoreError::Code::Refused, "the database returned an unknown status");
    }
    return *status;
}

TableSet tablesOf(const std::vector<const NewRequest *> &requests)
{
    TableSet tables;
    for (const NewRequest *request : requests)
    {
        tables.add(tableOf(request->kind));
    }
    return tables;
}

drogon::Task<Result> askToAdmit(ConnectionsPtr client, std::vector<const NewRequest *> requests)
{
    PgArray jobIds(PgType::Uuid);
    PgArray kinds(PgType::Text);
    PgArray variants(PgType::Text);
    PgArray statuses(PgType::Text);
    PgArray hashes(PgType::Bytea);
    PgArray payloads(PgType::Bytea);
    PgArray thresholds(PgType::Int4);
    for (const NewRequest *request : requests)
    {
        jobIds.add(request->jobId.raw());
        kinds.add(core::name(request->kind));
        variants.add(name(request->variant));
        statuses.add(core::name(core::initialStatus(request->kind)));
        hashes.add(request->contentHash);
        payloads.add(core::ByteView(request->payload));
        thresholds.add(request->threshold);
    }
    const Target target(std::move(client), tablesOf(requests));
    co_return co_await execute(target, &sql::admit(), std::move(jobIds).finish(),
                               std::move(kinds).finish(), std::move(variants).finish(),
                               std::move(statuses).finish(), std::move(hashes).finish(),
                               std::move(payloads).finish(), std::move(thresholds).finish());
}

drogon::Task<Result> askToJoin(ConnectionsPtr client, std::vector<const NewRequest *> requests)
{
    PgArray kinds(PgType::Text);
    PgArray hashes(PgType::Bytea);
    for (const NewRequest *request : requests)
    {
        kinds.add(core::name(request->kind));
        hashes.add(request->contentHash);
    }
    const Target target(std::move(client), tablesOf(requests));
    co_return co_await execute(target, &sql::join(), std::move(kinds).finish(),
                               std::move(hashes).finish());
}

// The first request of each content that has no outcome yet, in the order of arrival.
std::vector<const NewRequest *> firstsOf(const std::vector<const NewRequest *> &batch,
                                         const Places &open)
{
    std::vector<std::size_t> places;
    places.reserve(open.size());
    for (const auto &[content, all] : open)
    {
        places.push_back(all.front());
    }
    std::sort(places.begin(), places.end());
    std::vector<const NewRequest *> firsts;
    firsts.reserve(places.size());
    for (const std::size_t place : places)
    {
        firsts.push_back(batch[place]);
    }
    return firsts;
}

// Gives every place of a content that has a row its outcome.
void settle(const Result &rows, const std::vector<const NewRequest *> &batch, Places &open,
            std::vector<Admission> &outcomes)
{
    for (const auto &row : rows)
    {
        const auto kind = core::parseKind(row[0].as<std::string_view>());
        const auto found = open.find({kind.value_or(Kind::InputProof), hashOf(row[1])});
        if (!kind || found == open.end())
        {
            throw StoreError(StoreError::Code::Refused, "the database returned an unknown content");
        }
        const Admission admission = admissionFrom(row);
        for (const std::size_t place : found->second)
        {
            outcomes[place] = admission;
            // Told by the id, not by who inserted: so it stays true when a statement whose answer
            // was lost is asked again.
            outcomes[place].fresh = batch[place]->jobId == admission.jobId;
        }
        open.erase(found);
    }
}

Kind kindFrom(const drogon::orm::Field &field)
{
    const auto kind = core::parseKind(field.as<std::string_view>());
    if (!kind)
    {
        throw StoreError(StoreError::Code::Refused, "the database returned an unknown kind");
    }
    return *kind;
}
}  // namespace

Move moveFrom(RequestId id, const drogon::orm::Row &row, std::size_t column)
{
    Move move;
    move.id = id;
    move.kind = kindFrom(row[column]);
    move.jobId = core::JobId::parse(row[column + 1].as<std::string_view>()).value_or(core::JobId());
    move.from = statusFrom(row[column + 2]);
    move.to = statusFrom(row[column + 3]);
    move.inStatus = millisFrom(row[column + 4]);
    move.age = millisFrom(row[column + 5]);
    if (core::isTerminal(move.to) && !row[column + 6].isNull())
    {
        move.failure = core::parseFailureCode(row[column + 6].as<std::string_view>());
    }
    return move;
}

Admission admissionFrom(const drogon::orm::Row &row)
{
    Admission admission;
    admission.id = row[2].as<std::int64_t>();
    admission.jobId = core::JobId::parse(row[3].as<std::string_view>()).value_or(core::JobId());
    admission.status = statusFrom(row[4]);
    admission.ticket = row[5].as<std::int64_t>();
    admission.claimed = row[6].as<bool>();
    admission.inStatus = millisFrom(row[7]);
    return admission;
}

drogon::Task<std::vector<Admission>> writeAdmissions(ConnectionsPtr client,
                                                     BatchOf<NewRequest> batch)
{
    std::vector<Admission> outcomes(batch->size());
    Places open;
    for (std::size_t i = 0; i < batch->size(); ++i)
    {
        open[{(*batch)[i]->kind, (*batch)[i]->contentHash}].push_back(i);
    }

    for (int round = 0; round < kAdmissionRounds && !open.empty(); ++round)
    {
        const Result fresh = co_await askToAdmit(client, firstsOf(*batch, open));
        settle(fresh, *batch, open, outcomes);
        if (!open.empty())
        {
            const Result standing = co_await askToJoin(client, firstsOf(*batch, open));
            settle(standing, *batch, open, outcomes);
        }
    }
    if (!open.empty())
    {
        throw StoreError(StoreError::Code::Unavailable, "the content is being written by others");
    }
    co_return outcomes;
}

drogon::Task<std::vector<StepResult>> writeSteps(ConnectionsPtr client, core::Transition transition,
                                                 BatchOf<Step> batch, StatusNewsPtr news)
{
    PgArray ids(PgType::Int8);
    PgArray claimers(PgType::Int8);
    PgArray txHashes(PgType::Bytea);
    PgArray gatewayIds(PgType::Bytea);
    PgArray codes(PgType::Text);
    PgArray details(PgType::Text);
    for (const Step *step : *batch)
    {
        ids.add(step->id);
        claimers.add(step->claimer);
        txHashes.add(step->txHash);
        gatewayIds.add(step->gatewayId);
        if (step->failure)
        {
            codes.add(core::name(step->failure->code));
            details.add(std::string_view(step->failure->detail));
        }
        else
        {
            codes.addNull();
            details.addNull();
        }
    }
    const Target target(std::move(client), tablesIn<2>);
    const Result rows = co_await execute(
        target, &sql::transition(transition), std::move(ids).finish(), std::move(claimers).finish(),
        std::move(txHashes).finish(), std::move(gatewayIds).finish(), std::move(codes).finish(),
        std::move(details).finish());
    std::map<RequestId, std::int64_t> tickets;
    std::vector<Move> moved;
    for (const auto &row : rows)
    {
        moved.push_back(moveFrom(row[0].as<std::int64_t>(), row, 2));
        tickets.emplace(moved.back().id, row[1].as<std::int64_t>());
    }
    tell(news, moved);
    std::vector<StepResult> results(batch->size());
    for (std::size_t i = 0; i < batch->size(); ++i)
    {
        if (const auto won = tickets.find((*batch)[i]->id); won != tickets.end())
        {
            results[i] = {StepOutcome::Won, won->second};
        }
    }
    co_return results;
}

drogon::Task<std::vector<bool>> writeAnswers(ConnectionsPtr client, BatchOf<Answer> batch)
{
    PgArray kinds(PgType::Text);
    PgArray gatewayIds(PgType::Bytea);
    PgArray accepted(PgType::Bool);
    PgArray results(PgType::Bytea);
    PgArray txHashes(PgType::Bytea);
    TableSet tables;
    for (const Answer *answer : *batch)
    {
        tables.add(tableOf(answer->kind));
        kinds.add(core::name(answer->kind));
        gatewayIds.add(answer->gatewayId);
        accepted.add(answer->accepted);
        results.add(core::ByteView(answer->result));
        txHashes.add(answer->responseTxHash);
    }
    const Target target(std::move(client), tables);
    const Result rows = co_await execute(
        target, &sql::keepAnswers(), std::move(kinds).finish(), std::move(gatewayIds).finish(),
        std::move(accepted).finish(), std::move(results).finish(), std::move(txHashes).finish());
    std::set<std::pair<std::string, GatewayId>> fresh;
    for (const auto &row : rows)
    {
        fresh.emplace(row[0].as<std::string>(), hashOf(row[1]));
    }
    std::vector<bool> outcomes;
    outcomes.reserve(batch->size());
    for (const Answer *answer : *batch)
    {
        outcomes.push_back(
            fresh.contains({std::string(core::name(answer->kind)), answer->gatewayId}));
    }
    co_return outcomes;
}

drogon::Task<std::vector<bool>> writeShares(ConnectionsPtr client, BatchOf<Share> batch)
{
    PgArray gatewayIds(PgType::Bytea);
    PgArray indexes(PgType::Int4);
    PgArray payloads(PgType::Bytea);
    PgArray signatures(PgType::Bytea);
    PgArray extras(PgType::Bytea);
    PgArray txHashes(PgType::Bytea);
    for (const Share *share : *batch)
    {
        gatewayIds.add(share->gatewayId);
        indexes.add(share->index);
        payloads.add(core::ByteView(share->payload));
        signatures.add(core::ByteView(share->signature));
        extras.add(core::ByteView(share->extraData));
        txHashes.add(share->responseTxHash);
    }
    const Target target(std::move(client), Table::Shares);
    const Result rows = co_await execute(target, &sql::keepShares(), std::move(gatewayIds).finish(),
                                         std::move(indexes).finish(), std::move(payloads).finish(),
                                         std::move(signatures).finish(), std::move(extras).finish(),
                                         std::move(txHashes).finish());
    std::set<std::pair<GatewayId, std::int32_t>> fresh;
    for (const auto &row : rows)
    {
        fresh.emplace(hashOf(row[0]), row[1].as<std::int32_t>());
    }
    std::vector<bool> outcomes;
    outcomes.reserve(batch->size());
    for (const Share *share : *batch)
    {
        outcomes.push_back(fresh.contains({share->gatewayId, share->index}));
    }
    co_return outcomes;
}

drogon::Task<std::vector<std::optional<Status>>> writeSettlements(ConnectionsPtr client,
                                                                  BatchOf<Settlement> batch,
                                                                  StatusNewsPtr news)
{
    PgArray answerKinds(PgType::Text);
    PgArray answerIds(PgType::Bytea);
    PgArray shareIds(PgType::Bytea);
    bool answers = false;
    bool shares = false;
    for (const Settlement *settlement : *batch)
    {
        if (settlement->kind == Kind::UserDecrypt)
        {
            shareIds.add(settlement->gatewayId);
            shares = true;
            continue;
        }
        answerKinds.add(core::name(settlement->kind));
        answerIds.add(settlement->gatewayId);
        answers = true;
    }

    std::map<std::pair<Kind, GatewayId>, Status> ended;
    std::vector<Move> moved;
    if (answers)
    {
        const Target target(client, tablesIn<0>);
        const Result rows =
            co_await execute(target, &sql::settleAnswers(), std::move(answerKinds).finish(),
                             std::move(answerIds).finish());
        for (const auto &row : rows)
        {
            const auto kind = core::parseKind(row[0].as<std::string_view>());
            ended[{kind.value_or(Kind::InputProof), hashOf(row[1])}] = statusFrom(row[2]);
            moved.push_back(moveFrom(row[3].as<std::int64_t>(), row, 4));
        }
    }
    if (shares)
    {
        const Target target(client, Table::UserDecrypt);
        const Result rows =
            co_await execute(target, &sql::settleShares(), std::move(shareIds).finish());
        for (const auto &row : rows)
        {
            ended[{Kind::UserDecrypt, hashOf(row[0])}] = Status::Completed;
            moved.push_back(moveFrom(row[1].as<std::int64_t>(), row, 2));
        }
    }
    tell(news, moved);

    std::vector<std::optional<Status>> outcomes;
    outcomes.reserve(batch->size());
    for (const Settlement *settlement : *batch)
    {
        const auto found = ended.find({settlement->kind, settlement->gatewayId});
        outcomes.push_back(found == ended.end() ? std::nullopt : std::optional(found->second));
    }
    co_return outcomes;
}
}  // namespace relayer::models
