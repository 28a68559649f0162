// What the store and the loop of shares do when things go otherwise than planned, row by row of
// helper-store.md §3 to §7: on a fake clock and a real database.
#include "support/await.h"
#include "support/captured_log.h"
#include "support/eventually.h"
#include "support/share_world.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>

#include <limits>

namespace relayer::test
{
namespace
{
using models::Enqueued;
using namespace std::chrono_literals;

class ShareRows : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        startAt(kStart);
    }
    void startAt(std::int64_t second)
    {
        world_.reset();
        world_ = std::make_unique<ShareWorld>(*database_, second, runOptions(8));
    }
    Enqueued enqueue(const core::VoteShare &share, std::int64_t submitAt = 0,
                     std::int64_t end = kEnd)
    {
        const core::WitnessKeys keys({hash32(7)});
        return await(world_->shares()->enqueue(
            {share.key, core::digestOf(share), keys.seal(share, {}), submitAt, end}));
    }
    void turn()
    {
        world_->wake();
        world_->settle();
    }
    std::string column(const std::string &name)
    {
        return database_->value("SELECT " + name + " FROM scheduled_share");
    }
    // Every statement on shares fails until it is mended.
    void breakStatements() { database_->query("ALTER TABLE scheduled_share RENAME TO gone"); }
    void mendStatements() { database_->query("ALTER TABLE gone RENAME TO scheduled_share"); }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ShareWorld> world_;
};

TEST_F(ShareRows, Row_3_1_5_NoTimeIsNowAndATimeIsThatTime)
{
    ASSERT_EQ(enqueue(voteShare(1), 0), Enqueued::Queued);
    EXPECT_EQ(column("submit_at"), "0");
    EXPECT_EQ(column("extract(epoch FROM next_attempt_at)::bigint"), std::to_string(kStart));
    database_->query("DELETE FROM scheduled_share");
    ASSERT_EQ(enqueue(voteShare(1), kStart - 50), Enqueued::Queued) << "the past is allowed";
    EXPECT_EQ(column("extract(epoch FROM next_attempt_at)::bigint"), std::to_string(kStart - 50));
    turn();
    EXPECT_EQ(column("state"), "submitted");
}

TEST_F(ShareRows, Row_3_2_StateAttemptsAndTheEndOfTheRoundAreNotCompared)
{
    world_->decide([](const auto &) { return kRefused; });
    ASSERT_EQ(enqueue(voteShare(1)), Enqueued::Queued);
    turn();
    ASSERT_EQ(column("attempts"), "1");
    EXPECT_EQ(enqueue(voteShare(1), 0, kEnd + 5), Enqueued::Duplicate);
    EXPECT_EQ(column("vote_end_time"), std::to_string(kEnd)) << "the first stays";
}

TEST_F(ShareRows, Row_3_3_WhatIsBeingProvedIsKnownToo)
{
    world_->decide([](const auto &) { return std::nullopt; });
    ASSERT_EQ(enqueue(voteShare(1)), Enqueued::Queued);
    turn();
    ASSERT_EQ(column("state"), "witnessed");
    EXPECT_EQ(enqueue(voteShare(1)), Enqueued::Duplicate);
    core::VoteShare other = voteShare(1);
    other.commitments[4][4] ^= 1U;
    EXPECT_EQ(enqueue(other), Enqueued::Conflict);
}

TEST_F(ShareRows, Rows_4_And_12_AWaitBetweenAttemptsSurvivesARestart)
{
    world_->decide([](const auto &) { return kRefused; });
    ASSERT_EQ(enqueue(voteShare(1), kStart), Enqueued::Queued);
    turn();
    world_->passToNextAlarm();
    world_->settle();
    ASSERT_EQ(column("attempts"), "2");
    startAt(kStart + 3);
    turn();
    EXPECT_EQ(world_->begun().size(), 0U) << "not at once";
    EXPECT_EQ(world_->alarm(), 3s) << "four seconds after the second failure";
    world_->passToNextAlarm();
    world_->settle();
    ASSERT_EQ(world_->begun().size(), 1U);
    EXPECT_EQ(world_->begun()[0].attempts, 2U);
}

TEST_F(ShareRows, Row_5_AClaimThatFailsIsMadeAtTheNextWake)
{
    ASSERT_EQ(enqueue(voteShare(1), kStart), Enqueued::Queued);
    breakStatements();
    turn();
    EXPECT_EQ(world_->begun().size(), 0U);
    EXPECT_EQ(world_->alarm(), 1s);
    mendStatements();
    EXPECT_EQ(column("state"), "received");
    world_->passToNextAlarm();
    world_->settle();
    EXPECT_EQ(column("state"), "submitted");
    EXPECT_EQ(world_->begun().size(), 1U);
}

// The reference updates and then selects, and loses what it can not select. Here both are one
// statement: what fails behind the update undoes it.
TEST_F(ShareRows, Row_5_AClaimThatFailsBehindItsUpdateHasNotHappened)
{
    ASSERT_EQ(enqueue(voteShare(1), kStart), Enqueued::Queued);
    database_->query(
        "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'no'; END $$");
    database_->query(
        "CREATE TRIGGER no AFTER UPDATE ON scheduled_share FOR EACH ROW EXECUTE FUNCTION no()");
    turn();
    EXPECT_EQ(world_->begun().size(), 0U);
    EXPECT_EQ(column("state"), "received");
    EXPECT_EQ(column("owner IS NULL"), "t");
    database_->query("DROP TRIGGER no ON scheduled_share");
    world_->passToNextAlarm();
    world_->settle();
    EXPECT_EQ(column("state"), "submitted");
    EXPECT_EQ(world_->begun().size(), 1U);
}

// §6 and §7: the reference leaves such a share Witnessed until it is restarted.
TEST_F(ShareRows, Rows_6_And_7_AnEndThatCanNotBeWrittenIsWrittenLater)
{
    const CapturedLog log;
    startAt(kStart);  // its threads log there
    world_->decide([](const auto &) { return std::nullopt; });
    ASSERT_EQ(enqueue(voteShare(1)), Enqueued::Queued);
    ASSERT_EQ(enqueue(voteShare(2)), Enqueued::Queued);
    turn();
    ASSERT_EQ(world_->begun().size(), 2U);
    breakStatements();
    world_->finish(voteShare(1).key, kSubmitted);
    world_->finish(voteShare(2).key, kRefused);
    const auto inVain = [&log](std::int64_t id) {
        return log.says("step=share_move share=" + std::to_string(id) + ":");
    };
    EXPECT_TRUE(eventually([&] { return inVain(1) && inVain(2); }));
    EXPECT_EQ(world_->snapshot().held, 2U);
    mendStatements();
    world_->settle();
    const auto in = [this](const char *state) {
        return database_->value("SELECT count(*) FROM scheduled_share WHERE state = '" +
                                std::string(state) + "'");
    };
    EXPECT_TRUE(inVain(1) && inVain(2)) << log.text();
    EXPECT_EQ(in("submitted"), "1");
    EXPECT_EQ(in("received"), "1") << "it waits for its next attempt";
    EXPECT_EQ(database_->value("SELECT max(attempts) FROM scheduled_share"), "1");
}

// A claim comes as late as what is asked before it takes, so nothing is asked that need not be.
TEST_F(ShareRows, BeforeAClaimNobodyAsksForRoundsThatCanNotBeOverYet)
{
    await(world_->shares()->rememberRound(voteShare(1).key.round, kEnd));
    ASSERT_EQ(enqueue(voteShare(1), kStart + 10), Enqueued::Queued);
    turn();
    ASSERT_EQ(world_->alarm(), 10s);
    database_->query("ALTER TABLE voting_round RENAME TO gone_round");
    world_->passToNextAlarm();
    world_->settle();
    EXPECT_EQ(column("state"), "submitted");
    EXPECT_EQ(world_->alarm(), 1s) << "afterwards they are asked for";
    database_->query("ALTER TABLE gone_round RENAME TO voting_round");
}

TEST_F(ShareRows, Row_10_HowLongUntilTheFirstRoundIsOver)
{
    const auto shares = world_->shares();
    const auto next = [&] { return await(shares->untilNext()).roundOver; };
    EXPECT_EQ(next(), std::nullopt);
    await(shares->rememberRound(hash32(1), 0));
    EXPECT_EQ(next(), std::nullopt) << "never";
    await(shares->rememberRound(hash32(2), std::numeric_limits<std::int64_t>::max()));
    EXPECT_GT(next(), 24h) << "a time that no calendar knows";
    await(shares->rememberRound(hash32(3), kStart + 10));
    EXPECT_EQ(next(), 11s) << "its last second is not over yet";
    world_->pass(10'999'999us);
    EXPECT_EQ(next(), 1us);
    world_->pass(2s);
    EXPECT_EQ(next(), 0us);
}

TEST_F(ShareRows, Row_10_ARoundThatIsOverAtAWakeIsAlertedAndPurgedBeforeTheClaim)
{
    await(world_->shares()->rememberRound(voteShare(1).key.round, kStart + 20));
    ASSERT_EQ(enqueue(voteShare(1), kStart + 21, kStart + 20), Enqueued::Queued);
    turn();
    ASSERT_EQ(world_->alarm(), 21s);
    world_->passToNextAlarm();
    world_->settle();
    EXPECT_EQ(world_->alerts().size(), 1U);
    EXPECT_EQ(world_->begun().size(), 0U);
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share"), "0");
}

TEST_F(ShareRows, AShareThatEndsCausesNoCycleAsLongAsThereIsRoom)
{
    world_->decide([](const auto &) { return std::nullopt; });
    ASSERT_EQ(enqueue(voteShare(1)), Enqueued::Queued);
    ASSERT_EQ(enqueue(voteShare(2)), Enqueued::Queued);
    turn();
    const auto cycles = world_->snapshot().cycles;
    world_->finish(voteShare(1).key, kSubmitted);
    world_->settle();
    EXPECT_EQ(world_->snapshot().cycles, cycles) << "the schedule is as it was";
    world_->finish(voteShare(2).key, kRefused);
    world_->settle();
    EXPECT_GT(world_->snapshot().cycles, cycles) << "it is due again in two seconds";
    EXPECT_EQ(world_->alarm(), 2s);
}

TEST_F(ShareRows, Row_2_OneThatFailsDoesNotHoldUpTheOthersOfItsSecond)
{
    world_->decide([](const models::TakenShare &share) {
        return share.key == voteShare(2).key ? kRefused : kSubmitted;
    });
    for (std::uint32_t seed = 1; seed <= 3; ++seed)
    {
        ASSERT_EQ(enqueue(voteShare(seed), kStart), Enqueued::Queued);
    }
    turn();
    EXPECT_EQ(world_->begun().size(), 3U);
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share WHERE state = 'submitted'"),
              "2");
}
}  // namespace
}  // namespace relayer::test
