#include "models/share_store.h"

#include "models/execute.h"
#include "models/pg_array.h"
#include "models/pg_values.h"
#include "models/share_sql.h"

#include <algorithm>

namespace relayer::models
{
using core::ShareTransition;
using drogon::Task;
using drogon::orm::Result;

namespace
{
// A share that was there when it was inserted, and had been purged when it was looked for.
constexpr int kRounds = 10;

// Nothing: the database's own.
std::optional<std::int64_t> timeOf(const ShareStore::Clock &clock)
{
    return clock ? std::optional(clock()) : std::nullopt;
}

struct Keys
{
    PgArray rounds{PgType::Bytea};
    PgArray proposals{PgType::Int4};
    PgArray positions{PgType::Int8};
    PgArray indexes{PgType::Int4};
    PgArray digests{PgType::Bytea};

    void add(const core::ShareKey &key, const core::Hash32 &digest)
    {
        rounds.add(core::ByteView(key.round));
        proposals.add(std::int32_t{key.proposal});
        positions.add(std::int64_t{key.treePosition});
        indexes.add(std::int32_t{key.shareIndex});
        digests.add(core::ByteView(digest));
    }
};

using Places = std::vector<const NewVoteShare *>;

Task<Result> askToEnqueue(ConnectionsPtr writer, Places shares, std::optional<std::int64_t> now)
{
    Keys keys;
    PgArray witnesses(PgType::Bytea);
    PgArray witnessKeys(PgType::Bytea);
    PgArray times(PgType::Int8);
    PgArray ends(PgType::Int8);
    for (const NewVoteShare *share : shares)
    {
        keys.add(share->key, share->digest);
        witnesses.add(core::ByteView(share->sealed.witness));
        witnessKeys.add(core::ByteView(share->sealed.key));
        times.add(share->submitAt);
        ends.add(share->voteEndTime);
    }
    co_return co_await execute(std::move(writer), &sql::enqueueShares(),
                               std::move(keys.rounds).finish(), std::move(keys.proposals).finish(),
                               std::move(keys.positions).finish(), std::move(keys.indexes).finish(),
                               std::move(keys.digests).finish(), std::move(witnesses).finish(),
                               std::move(witnessKeys).finish(), std::move(times).finish(),
                               std::move(ends).finish(), now);
}

Task<Result> askWhatIsKnown(ConnectionsPtr writer, Keys keys)
{
    co_return co_await execute(std::move(writer), &sql::knownShares(),
                               std::move(keys.rounds).finish(), std::move(keys.proposals).finish(),
                               std::move(keys.positions).finish(), std::move(keys.indexes).finish(),
                               std::move(keys.digests).finish());
}

Enqueued outcomeOf(const drogon::orm::Row &row, bool fresh)
{
    return !row[1].as<bool>() ? Enqueued::Conflict : fresh ? Enqueued::Queued : Enqueued::Duplicate;
}

Task<std::vector<Enqueued>> write(ConnectionsPtr writer, ShareStore::Clock clock,
                                  std::shared_ptr<const Places> batch)
{
    std::vector<std::optional<Enqueued>> outcomes(batch->size());
    for (int round = 0; round < kRounds; ++round)
    {
        Places open;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < batch->size(); ++i)
        {
            if (!outcomes[i])
            {
                open.push_back((*batch)[i]);
                places.push_back(i);
            }
        }
        if (open.empty())
        {
            break;
        }
        const auto placeOf = [&places](const drogon::orm::Row &row) {
            return places.at(static_cast<std::size_t>(row[0].as<std::int64_t>() - 1));
        };
        const Result inserted = co_await askToEnqueue(writer, open, timeOf(clock));
        for (const auto &row : inserted)
        {
            outcomes[placeOf(row)] = outcomeOf(row, row[2].as<bool>());
        }
        if (inserted.size() == open.size())
        {
            break;
        }
        Keys keys;
        for (const NewVoteShare *share : open)
        {
            keys.add(share->key, share->digest);
        }
        const Result known = co_await askWhatIsKnown(writer, std::move(keys));
        for (const auto &row : known)
        {
            auto &outcome = outcomes[placeOf(row)];
            outcome = outcome.value_or(outcomeOf(row, false));
        }
    }
    std::vector<Enqueued> all;
    all.reserve(outcomes.size());
    for (const auto &outcome : outcomes)
    {
        if (!outcome)
        {
            throw StoreError(StoreError::Code::Unavailable, "the share is being purged");
        }
        all.push_back(*outcome);
    }
    co_return all;
}

std::optional<core::Hash32> hashOrNothing(const drogon::orm::Field &field)
{
    return field.isNull() ? std::nullopt : std::optional(hashOf(field));
}

TakenShare takenFrom(const drogon::orm::Row &row)
{
    TakenShare share;
    share.id = row[0].as<std::int64_t>();
    share.key.round = hashOf(row[1]);
    share.key.proposal = static_cast<std::uint8_t>(row[2].as<std::int32_t>());
    share.key.treePosition = static_cast<std::uint32_t>(row[3].as<std::int64_t>());
    share.key.shareIndex = static_cast<std::uint8_t>(row[4].as<std::int32_t>());
    share.sealed.witness = bytesOf(row[5]);
    share.sealed.key = bytesOf(row[6]);
    share.attempts = static_cast<std::size_t>(row[7].as<std::int32_t>());
    share.submitAt = row[8].as<std::int64_t>();
    share.voteEndTime = row[9].as<std::int64_t>();
    share.nullifier = hashOrNothing(row[10]);
    share.txHash = hashOrNothing(row[11]);
    share.dueMicros = row[12].as<std::int64_t>();
    return share;
}

// `first` is the column of the round; the counts follow.
RoundShares sharesFrom(const drogon::orm::Row &row, std::size_t first)
{
    RoundShares shares;
    shares.round = hashOf(row[first]);
    for (std::size_t state = 0; state < core::kShareStates; ++state)
    {
        shares.in.at(state) = row[first + 1 + state].as<std::int64_t>();
    }
    return shares;
}
}  // namespace

ShareStore::ShareStore(ConnectionsPtr writer, Clock clock, GroupLimits limits)
    : writer_(writer),
      clock_(clock),
      enqueues_(
          Enqueues::create(limits, [writer, clock](const std::shared_ptr<const Places> &batch) {
              return write(writer, clock, batch);
          }))
{}

Task<Enqueued> ShareStore::enqueue(NewVoteShare share)
{
    co_return co_await enqueues_->submit(std::move(share));
}

Task<std::optional<Enqueued>> ShareStore::known(core::ShareKey key, core::Hash32 digest)
{
    Keys keys;
    keys.add(key, digest);
    const Result rows = co_await askWhatIsKnown(writer_, std::move(keys));
    if (rows.empty())
    {
        co_return std::nullopt;
    }
    co_return outcomeOf(rows[0], false);
}

Task<std::vector<TakenShare>> ShareStore::take(Claimer claimer, std::size_t limit,
                                               std::chrono::milliseconds ahead)
{
    const Result rows =
        co_await execute(writer_, &sql::takeShares(), claimer, static_cast<std::int64_t>(limit),
                         timeOf(clock_), millis(ahead));
    std::vector<TakenShare> taken;
    taken.reserve(rows.size());
    std::transform(rows.begin(), rows.end(), std::back_inserter(taken), takenFrom);
    co_return taken;
}

Task<ShareStore::Until> ShareStore::untilNext()
{
    const Result rows = co_await execute(writer_, &sql::untilNextShare(), timeOf(clock_));
    const auto time = [&rows](std::size_t column) -> std::optional<std::chrono::microseconds> {
        const auto field = rows.at(0)[column];
        if (field.isNull())
        {
            return std::nullopt;
        }
        return std::chrono::microseconds(std::max<std::int64_t>(0, field.as<std::int64_t>()));
    };
    co_return Until{time(0), time(1)};
}

Task<bool> ShareStore::noteSent(ShareId id, Claimer claimer, core::Hash32 nullifier,
                                std::optional<core::Hash32> txHash)
{
    const Result rows =
        co_await execute(writer_, &sql::noteSentShare(), id, claimer,
                         binaryParameter(core::ByteView(nullifier)), binaryOrNull(txHash));
    co_return !rows.empty();
}

Task<bool> ShareStore::submit(ShareId id, Claimer claimer)
{
    return move(ShareTransition::Submit, id, claimer, {}, std::nullopt);
}

Task<bool> ShareStore::retry(ShareId id, Claimer claimer, std::chrono::milliseconds wait,
                             std::string error)
{
    return move(ShareTransition::Retry, id, claimer, wait, std::move(error));
}

Task<bool> ShareStore::fail(ShareId id, Claimer claimer, std::string error)
{
    return move(ShareTransition::Fail, id, claimer, {}, std::move(error));
}

Task<bool> ShareStore::giveBack(ShareId id, Claimer claimer, std::chrono::milliseconds wait)
{
    return move(ShareTransition::GiveBack, id, claimer, wait, std::nullopt);
}

Task<bool> ShareStore::move(ShareTransition transition, ShareId id, Claimer claimer,
                            std::chrono::milliseconds wait, std::optional<std::string> error)
{
    const Result rows = co_await execute(writer_, &sql::moveShare(transition), id, claimer,
                                         timeOf(clock_), millis(wait), std::move(error));
    co_return !rows.empty();
}

Task<std::size_t> ShareStore::freeAbandoned(std::chrono::milliseconds lease, std::size_t limit)
{
    const Result rows = co_await execute(writer_, &sql::freeAbandonedShares(), millis(lease),
                                         static_cast<std::int64_t>(limit));
    co_return rows.size();
}

Task<std::optional<std::int64_t>> ShareStore::endOfRound(core::Hash32 round)
{
    const Result rows =
        co_await execute(writer_, &sql::endOfRound(), binaryParameter(core::ByteView(round)));
    if (rows.empty())
    {
        co_return std::nullopt;
    }
    co_return rows[0][0].as<std::int64_t>();
}

Task<> ShareStore::rememberRound(core::Hash32 round, std::int64_t end)
{
    co_await execute(writer_, &sql::rememberRound(), binaryParameter(core::ByteView(round)), end);
}

Task<ShareStore::Over> ShareStore::closeRounds()
{
    // In two statements, so that shares are counted as of when their round had its row: a round
    // that somebody else has purged meanwhile has none.
    co_await execute(writer_, &sql::adoptRounds(), timeOf(clock_));
    const Result rows = co_await execute(writer_, &sql::closeRounds(), timeOf(clock_));
    Over over;
    for (const auto &row : rows)
    {
        over.asOf = row[0].as<std::int64_t>();
        over.any = row[1].as<bool>();
        if (!row[2].isNull())
        {
            over.rounds.push_back(sharesFrom(row, 2));
        }
    }
    co_return over;
}

Task<std::size_t> ShareStore::purge(std::int64_t asOf, std::size_t limit)
{
    const Result rows =
        co_await execute(writer_, &sql::purgeShares(), asOf, static_cast<std::int64_t>(limit));
    if (rows.size() < limit)
    {
        co_await execute(writer_, &sql::purgeRounds(), asOf);
    }
    co_return rows.size();
}

Task<std::vector<RoundShares>> ShareStore::counts()
{
    const Result rows = co_await execute(writer_, &sql::countShares());
    std::vector<RoundShares> counts;
    counts.reserve(rows.size());
    for (const auto &row : rows)
    {
        counts.push_back(sharesFrom(row, 0));
    }
    co_return counts;
}
}  // namespace relayer::models
