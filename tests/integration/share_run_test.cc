// The loop of the share scheduler on a fake clock and a real database (helper-processor.md §1, the
// requirement's "Processor wakeups").
#include "integration/share_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace relayer::test
{
namespace
{
using core::AttemptEnd;
using plugins::ShareAttemptResult;
using namespace std::chrono_literals;

const ShareAttemptResult kAway = {AttemptEnd::ChainAway, "chain_away"};
// HTTP 500 at this share, from a chain that answered for it just before.
const ShareAttemptResult kChainError = {AttemptEnd::MayGoBetter, "chain_error", true};

// "exactly zero and the order exact for 10,000 shares"
TEST_F(ShareLoop, TenThousandSharesAreTakenInTheirSecondAndInOrder)
{
    ShareWorld &world = this->world();
    std::mt19937 random(5);
    std::vector<std::pair<std::uint32_t, std::int64_t>> shares;
    for (std::uint32_t seed = 1; seed <= 10'000; ++seed)
    {
        shares.emplace_back(seed, kStart + 1 + random() % 200);
    }
    enqueueMany(shares);
    world.wake();
    world.settle();
    int alarms = 0;
    while (world.begun().size() < shares.size() && ++alarms < 1000)
    {
        world.passToNextAlarm();
        world.settle();
    }
    const auto begun = world.begun();
    ASSERT_EQ(begun.size(), shares.size());
    std::vector<std::pair<std::int64_t, core::ShareKey>> order;
    order.reserve(begun.size());
    for (const auto &each : begun)
    {
        ASSERT_EQ(each.late, 0) << "microseconds";
        order.emplace_back(each.submitAt, each.key);
    }
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(count("submitted"), "10000");
}

TEST_F(ShareLoop, Row_1_ThoseOfOneSecondGoTogetherAsManyAsThereArePlaces)
{
    ShareWorld &world = this->world(3);
    world.decide([](const auto &) { return std::nullopt; });
    for (std::uint32_t seed = 1; seed <= 8; ++seed)
    {
        enqueue(seed, kStart + 5);
    }
    world.wake();
    world.settle();
    EXPECT_EQ(world.alarm(), 5s);
    world.passToNextAlarm();
    world.settle();
    EXPECT_EQ(world.begun().size(), 3U);
    EXPECT_EQ(world.snapshot().proving, 3U);
    // A slow one does not hold up the others.
    while (world.begun().size() < 8)
    {
        world.finish(world.begun().back().key, kSubmitted);
        world.settle();
        ASSERT_LE(world.snapshot().proving, 3U);
    }
    EXPECT_EQ(count("submitted"), "5");
    EXPECT_EQ(world.begun().front().late, world.begun().back().late);
}

TEST_F(ShareLoop, Row_1_ANewShareDoesNotWaitForMaintenance)
{
    ShareWorld &world = this->world();
    world.wake();
    world.settle();
    EXPECT_EQ(world.alarm(), 30s) << "nothing is scheduled";
    enqueue(1, 0);
    world.wake();
    world.settle();
    EXPECT_EQ(count("submitted"), "1");
    enqueue(2, kStart + 10);
    world.wake();
    world.settle();
    EXPECT_EQ(world.alarm(), 10s) << "an earlier one shortens the wait";
    enqueue(3, kStart + 100);
    world.wake();
    world.settle();
    EXPECT_EQ(world.alarm(), 10s);
    world.passToNextAlarm();
    world.settle();
    EXPECT_EQ(world.alarm(), 30s) << "maintenance, before the next share";
}

// helper-store.md §7, as settled: 2, 4, 8, 16, 32 s, failed on the sixth
TEST_F(ShareLoop, Rows_7_FiveWaitsThenFailed)
{
    ShareWorld &world = this->world();
    world.decide([](const auto &) { return kRefused; });
    enqueue(1, kStart);
    world.wake();
    world.settle();
    std::vector<std::int64_t> late;
    for (int alarms = 0; alarms < 20 && count("failed") == "0"; ++alarms)
    {
        world.passToNextAlarm();
        world.settle();
    }
    for (const auto &each : world.begun())
    {
        late.push_back(each.late / 1'000'000);
    }
    EXPECT_EQ(late, (std::vector<std::int64_t>{0, 2, 6, 14, 30, 62}));
    EXPECT_EQ(count("failed"), "1");
    EXPECT_EQ(database_->value("SELECT attempts FROM scheduled_share"), "6");
}

TEST_F(ShareLoop, AttemptsSurviveARestart)
{
    world().decide([](const auto &) { return kRefused; });
    enqueue(1, kStart);
    world_->wake();
    world_->settle();
    world_->passToNextAlarm();
    world_->settle();
    world_.reset();
    world_ = std::make_unique<ShareWorld>(*database_, kStart + 6, runOptions(2));
    world_->wake();
    world_->settle();
    ASSERT_EQ(world_->begun().size(), 1U);
    EXPECT_EQ(world_->begun()[0].attempts, 2U);
    EXPECT_EQ(world_->begun()[0].submitAt, kStart);
}

TEST_F(ShareLoop, PermanentAnswersFailAtOnce)
{
    ShareWorld &world = this->world();
    world.decide(
        [](const auto &) { return ShareAttemptResult{AttemptEnd::WillNotChange, "bad_field"}; });
    enqueue(1, kStart);
    world.wake();
    world.settle();
    EXPECT_EQ(count("failed"), "1");
    EXPECT_EQ(database_->value("SELECT error_code FROM scheduled_share"), "bad_field");
}

TEST_F(ShareLoop, AChainThatIsAwayHoldsTheQueueAndCostsNobodyAnAttempt)
{
    ShareWorld &world = this->world(2);
    world.decide([](const auto &) { return kAway; });
    for (std::uint32_t seed = 1; seed <= 50; ++seed)
    {
        enqueue(seed, kStart);
    }
    world.wake();
    world.settle();
    EXPECT_LE(world.begun().size(), 2U) << "the others are not even tried";
    EXPECT_TRUE(world.snapshot().chainAway);
    for (int outage = 0; outage < 20; ++outage)
    {
        world.pass(5s);
        world.settle();
    }
    EXPECT_LE(world.begun().size(), 42U);
    EXPECT_EQ(database_->value("SELECT max(attempts) FROM scheduled_share"), "0");
    world.decide([](const auto &) { return kSubmitted; });
    for (int i = 0; i < 20 && count("submitted") != "50"; ++i)
    {
        world.pass(5s);
        world.wake();
        world.settle();
    }
    EXPECT_EQ(count("submitted"), "50");
}

TEST_F(ShareLoop, AShareThatTheChainFailsAtCostsItselfAndNobodyElse)
{
    ShareWorld &world = this->world(2);
    world.decide([](const models::TakenShare &share) {
        return share.key == voteShare(1).key ? kChainError : kSubmitted;
    });
    enqueue(1, kStart);
    for (std::uint32_t seed = 2; seed <= 60; ++seed)
    {
        enqueue(seed, kStart + 2 * std::int64_t{seed});
    }
    world.wake();
    world.settle();
    for (int alarms = 0; alarms < 200 && count("submitted") != "59"; ++alarms)
    {
        world.passToNextAlarm();
        world.settle();
        ASSERT_FALSE(world.snapshot().chainAway);
    }
    EXPECT_EQ(count("submitted"), "59");
    EXPECT_EQ(count("failed"), "1") << "its budget is spent";
    for (const auto &each : world.begun())
    {
        EXPECT_TRUE(each.late == 0 || each.key == voteShare(1).key);
    }
}

TEST_F(ShareLoop, AChainThatFailsAtTwoSharesInARowIsAway)
{
    ShareWorld &world = this->world(1);
    world.decide([](const auto &) { return kChainError; });
    for (std::uint32_t seed = 1; seed <= 20; ++seed)
    {
        enqueue(seed, kStart);
    }
    world.wake();
    world.settle();
    EXPECT_TRUE(world.snapshot().chainAway);
    for (int outage = 0; outage < 20; ++outage)
    {
        world.pass(5s);
        world.settle();
    }
    EXPECT_LE(world.begun().size(), 25U) << "one of them at a time";
    EXPECT_EQ(database_->value("SELECT sum(attempts) FROM scheduled_share"), "1")
        << "of the first, of which it was not known";
    world.decide([](const auto &) { return kSubmitted; });
    for (int i = 0; i < 20 && count("submitted") != "20"; ++i)
    {
        world.pass(5s);
        world.wake();
        world.settle();
    }
    EXPECT_EQ(count("submitted"), "20");
}

// §10, in the order of the requirement: alert, purge, then process
TEST_F(ShareLoop, Rows_10_ARoundThatIsOverIsAlertedAndPurged)
{
    ShareWorld &world = this->world(2);
    world.decide([](const auto &share) {
        return share.submitAt == kStart ? kSubmitted
                                        : ShareAttemptResult{AttemptEnd::WillNotChange, "x"};
    });
    enqueue(1, kStart);
    enqueue(2, kStart + 1);
    world.wake();
    world.settle();
    world.pass(2s);
    world.wake();
    world.settle();
    EXPECT_TRUE(world.alerts().empty());
    world.pass(std::chrono::seconds(kEnd - kStart));
    world.wake();
    world.settle();
    const auto alerts = world.alerts();
    ASSERT_EQ(alerts.size(), 1U);
    EXPECT_EQ(alerts[0].in, (std::array<std::int64_t, 4>{0, 0, 1, 1}));
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share"), "0");
    EXPECT_EQ(database_->value("SELECT count(*) FROM voting_round"), "0");
    world.wake();
    world.settle();
    EXPECT_EQ(world.alerts().size(), 1U) << "once";
}

// helper-store.md §9: the row of a round can be "silently lost".
TEST_F(ShareLoop, Row_10_ARoundThatOnlyItsSharesKnowIsAlertedAndPurgedInItsTime)
{
    ShareWorld &world = this->world(2);
    database_->query("DELETE FROM voting_round");
    world.decide([](const auto &) { return ShareAttemptResult{AttemptEnd::WillNotChange, "x"}; });
    enqueue(1, kStart);
    world.wake();
    world.settle();
    world.pass(std::chrono::seconds(kEnd - kStart) - 10s);
    world.wake();
    world.settle();
    EXPECT_TRUE(world.alerts().empty());
    EXPECT_EQ(world.alarm(), 30s) << "maintenance";
    world.pass(10'999'999us);
    world.wake();
    world.settle();
    EXPECT_EQ(count("failed"), "1") << "its last second is not over";
    world.pass(1us);
    world.wake();
    world.settle();
    const auto alerts = world.alerts();
    ASSERT_EQ(alerts.size(), 1U);
    EXPECT_EQ(alerts[0].round, voteShare(1).key.round);
    EXPECT_EQ(alerts[0].in, (std::array<std::int64_t, 4>{0, 0, 0, 1}));
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share"), "0");
    EXPECT_EQ(database_->value("SELECT count(*) FROM voting_round"), "0");
}

// Whether its row is there or not.
TEST_F(ShareLoop, Row_10_ARoundIsAlertedOnceByAllInstancesWhateverBecomesOfItsPurge)
{
    for (const bool row : {true, false})
    {
        ShareWorld &one = world(2);
        ShareWorld two(*database_, kStart, runOptions(2));
        for (ShareWorld *each : {&one, &two})
        {
            each->decide(
                [](const auto &) { return ShareAttemptResult{AttemptEnd::WillNotChange, "x"}; });
        }
        enqueue(1, 0);
        one.wake();
        one.settle();
        ASSERT_EQ(count("failed"), "1");
        if (!row)
        {
            database_->query("DELETE FROM voting_round");
        }
        database_->query(
            "CREATE OR REPLACE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no'; END $$");
        database_->query(
            "CREATE TRIGGER no BEFORE DELETE ON scheduled_share EXECUTE FUNCTION no()");
        for (int i = 0; i < 3; ++i)
        {
            one.pass(std::chrono::seconds(kEnd - kStart + 1));
            two.pass(std::chrono::seconds(kEnd - kStart + 1));
            one.wake();
            two.wake();
            one.settle();
            two.settle();
        }
        EXPECT_EQ(one.alerts().size() + two.alerts().size(), 1U) << (row ? "with" : "without");
        EXPECT_EQ(count("failed"), "1") << "it could not be purged";
        database_->query("DROP TRIGGER no ON scheduled_share");
        two.wake();
        two.settle();
        EXPECT_EQ(count("failed"), "0");
        EXPECT_EQ(one.alerts().size() + two.alerts().size(), 1U) << (row ? "with" : "without");
    }
}

TEST_F(ShareLoop, ARoundWhoseSharesAreAllOnTheChainIsPurgedWithoutAnAlert)
{
    ShareWorld &world = this->world(2);
    enqueue(1, kStart);
    world.wake();
    world.settle();
    world.pass(std::chrono::seconds(kEnd + 1 - kStart));
    world.wake();
    world.settle();
    EXPECT_TRUE(world.alerts().empty());
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share"), "0");
}

TEST_F(ShareLoop, AStopGivesBackWhatWasTakenAndCostsNoAttempt)
{
    ShareWorld &world = this->world(2);
    world.decide([](const auto &) { return std::nullopt; });
    enqueue(1, kStart);
    enqueue(2, kStart);
    enqueue(3, kStart);
    world.wake();
    world.settle();
    EXPECT_EQ(count("witnessed"), "2");
    world.stop();
    EXPECT_EQ(count("received"), "3");
    EXPECT_EQ(database_->value("SELECT max(attempts) FROM scheduled_share"), "0");
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share WHERE owner IS NOT NULL"),
              "0");
}
}  // namespace
}  // namespace relayer::test
