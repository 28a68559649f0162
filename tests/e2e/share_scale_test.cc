// What many shares that wait cost a server: its start, its memory, and its database while nothing
// is due. Short here, long with RELAYER_TEST_FULL=1; the numbers are printed.
#include "e2e/share_server.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <thread>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;

// Statements of others than this session, as PostgreSQL counts them.
std::int64_t transactions(const TestDatabase &database)
{
    database.query("SELECT pg_stat_force_next_flush()");
    return std::stoll(database.value(
        "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"));
}

struct Cost
{
    double startSeconds = 0;
    std::size_t residentKiB = 0;
    double perSecond = 0;
};

Cost costOf(const ShareWorldOutside &world, const ShareWorldOutside::Environment &settings,
            std::chrono::seconds idle)
{
    Cost cost;
    const auto begin = Clock::now();
    auto server = std::make_unique<ServerProcess>(world.options(settings));
    EXPECT_TRUE(server->becomesHealthy()) << server->output();
    HttpClient client(server->port());
    const bool on = !settings.contains("ENABLED");
    EXPECT_TRUE(becomes([&] {
        const auto reply = client.get(kHelperStatus);
        return reply && reply->status == (on ? 200 : 503);
    }));
    cost.startSeconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const std::int64_t before = transactions(world.database);
    const auto end = Clock::now() + idle;
    EXPECT_TRUE(becomes([&] { return Clock::now() > end; }));
    // Two of these are ours.
    cost.perSecond = static_cast<double>(transactions(world.database) - before - 2) /
                     static_cast<double>(idle.count());
    cost.residentKiB = server->residentKiB();
    return cost;
}

TEST(ShareScale, ManyThatWaitCostLittle)
{
    RELAYER_NEEDS_SERVER();
    const bool full = fullTests();
    const int count = full ? 100'000 : 10'000;
    const std::chrono::seconds idle(full ? 20 : 3);
    const ShareWorldOutside world;
    world.database.query(
        "INSERT INTO scheduled_share (round_id, share_index, proposal_id, tree_position,"
        " payload_digest, witness, witness_key, submit_at, next_attempt_at, vote_end_time)"
        " SELECT decode(repeat('11', 32), 'hex'), 1, 1, i, decode(repeat('22', 32), 'hex'),"
        " decode(repeat('33', 700), 'hex'), decode(repeat('44', 68), 'hex'), s, to_timestamp(s)," +
        std::to_string(world.end) + " FROM (SELECT i, " + std::to_string(secondsNow() + 3600) +
        " + i AS s FROM generate_series(1, " + std::to_string(count) + ") i) t");
    const ShareWorldOutside::Environment usual = {{"MAINTENANCE", "30s"}};
    const Cost without = costOf(world, {{"ENABLED", "false"}}, idle);
    const Cost with = costOf(world, usual, idle);
    std::cout << "# " << count << " shares that wait: ready after " << with.startSeconds << " s ("
              << without.startSeconds << " s without them), " << with.residentKiB / 1024 << " MiB ("
              << without.residentKiB / 1024 << " MiB), idle " << with.perSecond
              << " transactions a second (" << without.perSecond << ")\n";
    if (!underSanitizer())
    {
        EXPECT_LT(with.residentKiB, without.residentKiB + 20'000) << "none of them is in memory";
    }
    if (full)
    {
        EXPECT_LT(with.perSecond - without.perSecond, 1.0);
    }
    EXPECT_EQ(world.count("received"), std::to_string(count));
}
}  // namespace
}  // namespace relayer::test
