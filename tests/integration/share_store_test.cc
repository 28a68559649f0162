// Scheduled shares on a real database: what makes two posts the same share (helper-store.md §3),
// its states and their guards (§2, §4 to §7), rounds and their end (§9 to §12).
#include "models/share_store.h"

#include "models/instance_registry.h"
#include "support/await.h"
#include "support/test_store.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

namespace relayer::test
{
namespace
{
using core::ShareState;
using core::ShareTransition;
using models::Enqueued;
using models::ShareStore;
using models::TakenShare;
using namespace std::chrono_literals;

constexpr std::int64_t kStart = 1'700'000'000;
constexpr std::int64_t kEnd = kStart + 3600;
constexpr models::Claimer kMe = 11;
constexpr models::Claimer kOther = 12;

const core::WitnessKeys &keys()
{
    static const core::WitnessKeys made({hash32(77)});
    return made;
}

models::NewVoteShare newShare(const core::VoteShare &share, std::int64_t submitAt = 0)
{
    models::NewVoteShare fresh;
    fresh.key = share.key;
    fresh.digest = core::digestOf(share);
    fresh.sealed = keys().seal(share, {});
    fresh.submitAt = submitAt;
    fresh.voteEndTime = kEnd;
    return fresh;
}

class Shares : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        shares_ = std::make_unique<ShareStore>(store_->writer(), [this] { return now_.load(); });
    }

    void at(std::int64_t second, std::int64_t micros = 0) { now_ = second * 1'000'000 + micros; }
    Enqueued enqueue(std::uint32_t seed, std::int64_t submitAt = 0)
    {
        return await(shares_->enqueue(newShare(voteShare(seed), submitAt)));
    }
    std::vector<TakenShare> take(std::size_t limit = 1000, models::Claimer claimer = kMe)
    {
        return await(shares_->take(claimer, limit));
    }
    TakenShare takeOne()
    {
        const auto taken = take();
        EXPECT_EQ(taken.size(), 1U);
        return taken.empty() ? TakenShare() : taken.front();
    }
    std::string stateOf(std::uint32_t seed) { return column(seed, "state"); }
    std::string column(std::uint32_t seed, const std::string &name)
    {
        return database_->value("SELECT " + name + " FROM scheduled_share WHERE tree_position = " +
                                std::to_string(seed));
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::unique_ptr<ShareStore> shares_;
    std::atomic<std::int64_t> now_{kStart * 1'000'000};
};

// §3.1 steps 4 to 6, §3.3 while it waits
TEST_F(Shares, Rows_3_1_TheFirstIsQueuedTheSameIsADuplicateAnotherContradicts)
{
    EXPECT_EQ(enqueue(1, kStart + 10), Enqueued::Queued);
    EXPECT_EQ(enqueue(1, kStart + 10), Enqueued::Duplicate);
    core::VoteShare other = voteShare(1);
    other.primaryBlind[0] ^= 1;
    EXPECT_EQ(await(shares_->enqueue(newShare(other))), Enqueued::Conflict);
    EXPECT_EQ(await(shares_->known(other.key, core::digestOf(other))), Enqueued::Conflict);
    EXPECT_EQ(await(shares_->known(other.key, core::digestOf(voteShare(1)))), Enqueued::Duplicate);
    EXPECT_EQ(await(shares_->known(voteShare(2).key, core::digestOf(voteShare(2)))), std::nullopt);
    EXPECT_EQ(column(1, "attempts"), "0");
    EXPECT_EQ(stateOf(1), "received");
}

// §3.2: submit_at is not compared, and never changes
TEST_F(Shares, Row_3_2_TheFirstScheduleStays)
{
    enqueue(1, kStart + 10);
    EXPECT_EQ(enqueue(1, kStart + 99), Enqueued::Duplicate);
    EXPECT_EQ(column(1, "submit_at"), std::to_string(kStart + 10));
    EXPECT_EQ(column(1, "extract(epoch FROM next_attempt_at)::bigint"),
              std::to_string(kStart + 10));
}

// §3.2: each of the four is in the key
TEST_F(Shares, Row_3_2_FourThingsMakeAKey)
{
    core::VoteShare share = voteShare(1);
    EXPECT_EQ(await(shares_->enqueue(newShare(share))), Enqueued::Queued);
    const auto changed = [&share](auto change) {
        core::VoteShare other = share;
        change(other.key);
        return newShare(other);
    };
    EXPECT_EQ(await(shares_->enqueue(changed([](auto &k) { k.round[0] ^= 1; }))), Enqueued::Queued);
    EXPECT_EQ(await(shares_->enqueue(changed([](auto &k) { k.shareIndex ^= 1; }))),
              Enqueued::Queued);
    EXPECT_EQ(await(shares_->enqueue(changed([](auto &k) { k.proposal ^= 1; }))), Enqueued::Queued);
    EXPECT_EQ(await(shares_->enqueue(changed([](auto &k) { k.treePosition ^= 1; }))),
              Enqueued::Queued);
}

// §3.3: also when it has ended, and its witness is gone
TEST_F(Shares, Rows_3_3_WhatHasEndedIsStillKnown)
{
    enqueue(1);
    ASSERT_TRUE(await(shares_->submit(takeOne().id, kMe)));
    enqueue(2);
    ASSERT_TRUE(await(shares_->fail(takeOne().id, kMe, "proof_input")));
    for (const std::uint32_t seed : {1U, 2U})
    {
        EXPECT_EQ(enqueue(seed), Enqueued::Duplicate);
        core::VoteShare other = voteShare(seed);
        other.c1[0] ^= 1;
        EXPECT_EQ(await(shares_->enqueue(newShare(other))), Enqueued::Conflict);
        EXPECT_EQ(column(seed, "witness IS NULL AND witness_key IS NULL AND NOT waiting"), "t");
    }
    EXPECT_EQ(stateOf(1), "submitted");
    EXPECT_EQ(stateOf(2), "failed");
    EXPECT_EQ(column(2, "error_code"), "proof_input");
    EXPECT_EQ(take().size(), 0U);
}

// §3.3, concurrency: 10,000 equal posts, one is queued
TEST_F(Shares, Row_3_3_OfTenThousandAtOnceOneIsQueued)
{
    constexpr std::size_t kPosts = 10'000;
    std::vector<std::future<Enqueued>> posts;
    posts.reserve(kPosts);
    const models::NewVoteShare share = newShare(voteShare(1));
    for (std::size_t i = 0; i < kPosts; ++i)
    {
        posts.push_back(start(shares_->enqueue(share)));
    }
    std::map<Enqueued, std::size_t> outcomes;
    for (auto &post : posts)
    {
        ++outcomes[post.get()];
    }
    EXPECT_EQ(outcomes[Enqueued::Queued], 1U);
    EXPECT_EQ(outcomes[Enqueued::Duplicate], kPosts - 1);
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share"), "1");
}

TEST_F(Shares, Row_3_3_OfTwoContentsOnTwoInstancesOneIsQueuedAndTheOtherContradicts)
{
    ShareStore there(store_->writer());
    for (std::uint32_t seed = 1; seed <= 50; ++seed)
    {
        core::VoteShare other = voteShare(seed);
        other.c2[0] ^= 1;
        auto first = start(shares_->enqueue(newShare(voteShare(seed))));
        auto second = start(there.enqueue(newShare(other)));
        const std::multiset<Enqueued> both = {first.get(), second.get()};
        EXPECT_EQ(both, (std::multiset<Enqueued>{Enqueued::Queued, Enqueued::Conflict}));
    }
}

// Every (state, transition), against the table; and nobody moves what another holds.
TEST_F(Shares, Rows_2_EveryTransitionFromEveryStateEndsAsTheTableSays)
{
    std::uint32_t seed = 0;
    for (const ShareState state : core::kAllShareStates)
    {
        for (const ShareTransition transition : core::kAllShareTransitions)
        {
            for (const models::Claimer claimer : {kMe, kOther})
            {
                enqueue(++seed);
                const std::string row = " WHERE tree_position = " + std::to_string(seed);
                database_->query("UPDATE scheduled_share SET state = '" +
                                 std::string(core::name(state)) + "', owner = " +
                                 (state == ShareState::Witnessed ? std::to_string(kMe) : "NULL") +
                                 (core::isTerminal(state) ? ", waiting = false" : "") + row);
                const auto id = std::stoll(column(seed, "id"));
                bool moved = false;
                switch (transition)
                {
                    case ShareTransition::Take: moved = !take(1000, claimer).empty(); break;
                    case ShareTransition::Submit:
                        moved = await(shares_->submit(id, claimer));
                        break;
                    case ShareTransition::Retry:
                        moved = await(shares_->retry(id, claimer, 2s, "x"));
                        break;
                    case ShareTransition::Fail:
                        moved = await(shares_->fail(id, claimer, "x"));
                        break;
                    case ShareTransition::GiveBack:
                        moved = await(shares_->giveBack(id, claimer));
                        break;
                }
                const auto to = core::next(state, transition);
                const bool legal = to && (transition == ShareTransition::Take || claimer == kMe);
                EXPECT_EQ(moved, legal) << core::name(state) << " " << core::name(transition);
                EXPECT_EQ(stateOf(seed), core::name(legal ? *to : state));
                database_->query("DELETE FROM scheduled_share");
            }
        }
    }
    EXPECT_EQ(seed, core::kShareStates * core::kShareTransitions * 2);
}

// §5: all that is due and nothing else, in a fixed order
TEST_F(Shares, Rows_5_TakenAtTheirSecondInOrder)
{
    for (std::uint32_t seed = 1; seed <= 60; ++seed)
    {
        enqueue(seed, kStart + 1 + seed % 3);
    }
    at(kStart, 999'999);
    EXPECT_EQ(take().size(), 0U) << "a microsecond early";
    std::size_t count = 0;
    for (std::int64_t second = 1; second <= 3; ++second)
    {
        at(kStart + second);
        const auto first = take(7);
        const auto rest = take();
        std::vector<core::ShareKey> order;
        for (const auto *batch : {&first, &rest})
        {
            for (const TakenShare &share : *batch)
            {
                EXPECT_EQ(share.submitAt, kStart + second);
                order.push_back(share.key);
            }
        }
        EXPECT_EQ(first.size(), 7U);
        EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
        count += order.size();
    }
    EXPECT_EQ(count, 60U);
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share WHERE owner = 11"
                               " AND state = 'witnessed'"),
              "60");
}

TEST_F(Shares, Row_5_WhatIsTakenCanBeOpened)
{
    enqueue(5);
    const TakenShare taken = takeOne();
    EXPECT_EQ(keys().open(taken.key, taken.sealed), voteShare(5));
    EXPECT_EQ(taken.voteEndTime, kEnd);
    EXPECT_EQ(taken.nullifier, std::nullopt);
}

TEST_F(Shares, Row_5_NoTwoInstancesTakeTheSame)
{
    constexpr std::uint32_t kShares = 400;
    for (std::uint32_t seed = 1; seed <= kShares; ++seed)
    {
        enqueue(seed);
    }
    std::vector<std::jthread> threads;
    std::array<std::size_t, 4> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i)
    {
        threads.emplace_back([this, &taken, i] {
            while (true)
            {
                const auto batch = take(7, static_cast<models::Claimer>(100 + i));
                taken[i] += batch.size();
                if (batch.empty())
                {
                    return;
                }
            }
        });
    }
    threads.clear();
    // One that found all that were left locked by others may have stopped early.
    const std::size_t last = take().size();
    EXPECT_EQ(taken[0] + taken[1] + taken[2] + taken[3] + last, kShares);
}

// §7: what a failure writes
TEST_F(Shares, Rows_7_ARetryWaitsAndCounts)
{
    enqueue(1);
    auto taken = takeOne();
    EXPECT_TRUE(await(shares_->retry(taken.id, kMe, 2s, "chain_refused")));
    EXPECT_EQ(column(1, "attempts"), "1");
    EXPECT_EQ(column(1, "error_code"), "chain_refused");
    EXPECT_EQ(column(1, "submit_at"), "0");
    at(kStart + 1, 999'999);
    EXPECT_TRUE(take().empty());
    at(kStart + 2);
    taken = takeOne();
    EXPECT_EQ(taken.attempts, 1U);
    EXPECT_TRUE(await(shares_->fail(taken.id, kMe, "chain_refused")));
    EXPECT_EQ(column(1, "attempts"), "2");
}

TEST_F(Shares, GivenBackItCostsNothing)
{
    enqueue(1, kStart - 5);
    auto taken = takeOne();
    EXPECT_TRUE(await(shares_->giveBack(taken.id, kMe)));
    EXPECT_EQ(column(1, "attempts"), "0");
    taken = takeOne();
    EXPECT_TRUE(await(shares_->giveBack(taken.id, kMe, 5s)));
    EXPECT_TRUE(take().empty()) << "the chain is away";
    at(kStart + 5);
    EXPECT_EQ(takeOne().attempts, 0U);
}

// §8 and its properties
TEST_F(Shares, Rows_8_TheNextWake)
{
    const auto next = [this] { return await(shares_->untilNext()).share; };
    EXPECT_EQ(next(), std::nullopt) << "empty";
    enqueue(1, kStart + 100);
    EXPECT_EQ(next(), 100s);
    enqueue(2, kStart + 20);
    EXPECT_EQ(next(), 20s) << "an earlier one";
    at(kStart + 19, 500'000);
    EXPECT_EQ(next(), 500ms);
    at(kStart + 25);
    EXPECT_EQ(next(), 0s) << "in the past";
    const auto taken = takeOne();
    EXPECT_EQ(next(), 75s) << "one that is taken does not count";
    await(shares_->retry(taken.id, kMe, 4s, "x"));
    EXPECT_EQ(next(), 4s) << "one that waits for another try does";
    database_->query("DELETE FROM scheduled_share");
    EXPECT_EQ(next(), std::nullopt);
}

// §4, the requirement's table: what a start finds
TEST_F(Shares, Rows_4_AStartTakesBackWhatItsPredecessorHeld)
{
    models::InstanceRegistry instances(store_->writer());
    const auto before = await(instances.enrol("one", "1"));
    const auto neighbour = await(instances.enrol("two", "1"));
    for (std::uint32_t seed = 1; seed <= 5; ++seed)
    {
        enqueue(seed, kStart - 10 + seed);
    }
    enqueue(6, kStart + 1000);
    const auto mine = await(shares_->take(before.epoch, 3));
    const auto theirs = await(shares_->take(neighbour.epoch, 1));
    ASSERT_TRUE(await(shares_->submit(mine[0].id, before.epoch)));
    ASSERT_TRUE(await(shares_->fail(mine[1].id, before.epoch, "x")));
    EXPECT_EQ(await(shares_->freeAbandoned(30s, 100)), 0U) << "both are alive";

    const std::string schedule =
        "SELECT string_agg(tree_position || ' ' || submit_at || ' ' || next_attempt_at || ' ' ||"
        " attempts, ',' ORDER BY id) FROM scheduled_share";
    const std::string earlier = database_->value(schedule);
    static_cast<void>(await(instances.enrol("one", "1")));
    EXPECT_EQ(await(shares_->freeAbandoned(30s, 100)), 1U);
    EXPECT_EQ(database_->value(schedule), earlier) << "nothing else moved";
    EXPECT_EQ(stateOf(1), "submitted");
    EXPECT_EQ(stateOf(2), "failed");
    EXPECT_EQ(stateOf(3), "received") << "Witnessed: reset";
    EXPECT_EQ(stateOf(4), "witnessed") << "another instance's";
    EXPECT_EQ(stateOf(5), "received") << "Received: at its persisted time";
    EXPECT_FALSE(await(shares_->submit(mine[2].id, before.epoch))) << "too late";

    database_->query(
        "UPDATE instance SET heartbeat_at = now() - interval '31 seconds'"
        " WHERE name = 'two'");
    EXPECT_EQ(await(shares_->freeAbandoned(30s, 100)), 1U);
    EXPECT_FALSE(await(shares_->submit(theirs[0].id, neighbour.epoch)));
}

TEST_F(Shares, Row_12_WhatWasSentIsRememberedOverARestart)
{
    enqueue(1);
    const auto taken = takeOne();
    EXPECT_FALSE(await(shares_->noteSent(taken.id, kOther, hash32(1), hash32(2))));
    EXPECT_TRUE(await(shares_->noteSent(taken.id, kMe, hash32(1), hash32(2))));
    await(shares_->giveBack(taken.id, kMe));
    const auto again = takeOne();
    EXPECT_EQ(again.nullifier, hash32(1));
    EXPECT_EQ(again.txHash, hash32(2));
}

// §9
TEST_F(Shares, Rows_9_TheEndOfARoundIsRememberedOnce)
{
    const core::Hash32 round = hash32(4);
    EXPECT_EQ(await(shares_->endOfRound(round)), std::nullopt);
    await(shares_->rememberRound(round, kEnd));
    await(shares_->rememberRound(round, kEnd + 1));
    EXPECT_EQ(await(shares_->endOfRound(round)), kEnd);
}

// §10 and §11
TEST_F(Shares, Rows_10_ARoundThatIsOverIsSummedUpAndPurged)
{
    const core::Hash32 round = voteShare(1).key.round;
    await(shares_->rememberRound(round, kEnd));
    await(shares_->rememberRound(hash32(5), 0));
    for (std::uint32_t seed = 1; seed <= 6; ++seed)
    {
        enqueue(seed, seed <= 4 ? 0 : kEnd);
    }
    const auto taken = take();
    await(shares_->submit(taken[0].id, kMe));
    await(shares_->submit(taken[1].id, kMe));
    await(shares_->fail(taken[2].id, kMe, "x"));

    at(kEnd, 999'999);
    EXPECT_TRUE(await(shares_->closeRounds()).rounds.empty()) << "not in the second itself";
    at(kEnd + 1);
    const auto over = await(shares_->closeRounds());
    EXPECT_EQ(over.asOf, kEnd + 1);
    ASSERT_EQ(over.rounds.size(), 1U);
    EXPECT_EQ(over.rounds[0].round, round);
    EXPECT_EQ(over.rounds[0].in, (std::array<std::int64_t, 4>{2, 1, 2, 1}));
    const auto counts = await(shares_->counts());
    ASSERT_EQ(counts.size(), 1U);
    EXPECT_EQ(counts[0].in, over.rounds[0].in);
    const auto again = await(shares_->closeRounds());
    EXPECT_TRUE(again.rounds.empty()) << "each once";
    EXPECT_TRUE(again.any) << "but it is not purged yet";
    EXPECT_EQ(again.asOf, kEnd + 1);

    EXPECT_EQ(await(shares_->purge(over.asOf - 1, 4)), 0U);
    EXPECT_EQ(await(shares_->purge(over.asOf, 4)), 4U);
    EXPECT_EQ(await(shares_->endOfRound(round)), kEnd) << "some of its shares are left";
    EXPECT_EQ(await(shares_->purge(over.asOf, 4)), 2U);
    EXPECT_EQ(await(shares_->endOfRound(round)), std::nullopt);
    EXPECT_EQ(await(shares_->endOfRound(hash32(5))), 0) << "a round without an end is never over";
    EXPECT_TRUE(await(shares_->counts()).empty());
    EXPECT_EQ(enqueue(1), Enqueued::Queued) << "what is purged is forgotten";
}

TEST_F(Shares, ATimeThatNoCalendarKnowsIsFarAway)
{
    models::NewVoteShare share = newShare(voteShare(1));
    share.submitAt = std::numeric_limits<std::int64_t>::max();
    share.voteEndTime = share.submitAt;
    EXPECT_EQ(await(shares_->enqueue(share)), Enqueued::Queued);
    EXPECT_TRUE(take().empty());
    EXPECT_GT(await(shares_->untilNext()).share, 24h);
}

TEST_F(Shares, TheDatabasesClockIsTheOneThatCounts)
{
    ShareStore real(store_->writer());
    const auto now =
        std::stoll(database_->value("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint"));
    await(real.enqueue(newShare(voteShare(1), now)));
    await(real.enqueue(newShare(voteShare(2), now + 3600)));
    EXPECT_EQ(await(real.take(kMe, 10)).size(), 1U);
    const auto next = await(real.untilNext()).share;
    ASSERT_TRUE(next);
    EXPECT_GT(*next, 3500s);
    EXPECT_LE(*next, 3600s);
}

TEST_F(Shares, OnlySealedWitnessesAreKept)
{
    enqueue(9);
    const core::VoteShare share = voteShare(9);
    const std::string row = database_->value("SELECT s::text FROM scheduled_share s");
    for (const core::Hash32 &secret :
         {share.c1, share.c2, share.primaryBlind, share.sharesHash, share.commitments[7]})
    {
        EXPECT_EQ(row.find(core::toHex(secret)), std::string::npos);
    }
}
}  // namespace
}  // namespace relayer::test
