// What the loop of the share scheduler keeps to: what it writes at the end, and what it is given in
// the configuration.
#include "integration/share_loop.h"
#include "support/eventually.h"

#include <gtest/gtest.h>

#include <iostream>

namespace relayer::test
{
namespace
{
using namespace std::chrono_literals;

TEST_F(ShareLoop, Row_2_11_WhatIsOnTheChainIsMarkedAndItsWitnessIsGone)
{
    ShareWorld &world = this->world(2);
    enqueue(1, kStart);
    ASSERT_EQ(database_->value("SELECT witness IS NOT NULL FROM scheduled_share"), "t");
    world.wake();
    world.settle();
    EXPECT_EQ(database_->query("SELECT state, waiting, witness, witness_key, owner"
                               " FROM scheduled_share"),
              (TestDatabase::Rows{{"submitted", "f", "NULL", "NULL", "NULL"}}));
}

// `share_scheduler.retry_waits`
TEST_F(ShareLoop, TheWaitsAreThoseThatAreConfigured)
{
    plugins::ShareRunOptions options = runOptions(2);
    options.waits = {1s, 10s};
    world_ = std::make_unique<ShareWorld>(*database_, kStart, options);
    world_->decide([](const auto &) { return kRefused; });
    enqueue(1, kStart);
    world_->wake();
    world_->settle();
    for (int alarms = 0; alarms < 10 && count("failed") == "0"; ++alarms)
    {
        world_->passToNextAlarm();
        world_->settle();
    }
    std::vector<std::int64_t> late;
    for (const auto &each : world_->begun())
    {
        late.push_back(each.late / 1'000'000);
    }
    EXPECT_EQ(late, (std::vector<std::int64_t>{0, 1, 11}));
    EXPECT_EQ(count("failed"), "1");
}

// `share_scheduler.max_held`: places are for proofs, and what waits for its block holds none.
TEST_F(ShareLoop, NoMoreAreHeldThanMayBe)
{
    plugins::ShareRunOptions options = runOptions(2);
    options.held = 3;
    world_ = std::make_unique<ShareWorld>(*database_, kStart, options);
    world_->decide([](const auto &) { return std::nullopt; });
    world_->provedAtOnce();
    for (std::uint32_t seed = 1; seed <= 6; ++seed)
    {
        enqueue(seed, kStart);
    }
    world_->wake();
    world_->settle();
    EXPECT_EQ(count("witnessed"), "3");
    EXPECT_EQ(world_->snapshot().proving, 0U);
    world_->finish(world_->begun().front().key, kSubmitted);
    world_->settle();
    EXPECT_EQ(count("witnessed"), "3") << "another one has its place";
    EXPECT_EQ(world_->begun().size(), 4U);
}

// "idle: less than one query a second"
TEST_F(ShareLoop, ManyThatWaitAskTheDatabaseLessThanOnceASecond)
{
    // What the store's sessions have done is counted for certain once they have ended.
    const auto transactions = [this] {
        world_.reset();
        EXPECT_TRUE(eventually([this] {
            return database_->value(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                       " AND pid <> pg_backend_pid()") == "0";
        }));
        database_->query("SELECT pg_stat_force_next_flush()");
        database_->query("SELECT pg_stat_clear_snapshot()");
        return std::stoll(database_->value(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"));
    };
    std::vector<std::pair<std::uint32_t, std::int64_t>> shares;
    for (std::uint32_t seed = 1; seed <= 10'000; ++seed)
    {
        shares.emplace_back(seed, kStart + 50'000);
    }
    static_cast<void>(world());
    enqueueMany(shares);
    const auto before = transactions();
    ShareWorld &idle = world(2);
    constexpr int kSeconds = 600;
    while (idle.now() < (kStart + kSeconds) * 1'000'000)
    {
        idle.maintain();  // as its timer does
        idle.settle();
        ASSERT_GT(idle.passToNextAlarm(), 0s);
        idle.settle();
    }
    EXPECT_EQ(count("received"), "10000");
    const auto asked = transactions() - before;
    std::cout << "# 10000 shares that wait: " << asked << " transactions in " << kSeconds
              << " s, those of the test and of its connections among them\n";
    EXPECT_GE(asked, kSeconds / 30) << "they are counted";
    EXPECT_LT(asked, kSeconds);
}
}  // namespace
}  // namespace relayer::test
