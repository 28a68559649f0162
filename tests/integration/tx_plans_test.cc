// A statement is planned once, while its tables are small, and the plan lives on while they grow:
// one that reads a whole table then costs more with each request that ever was.

#include "models/planner_statistics.h"
#include "support/await.h"
#include "support/lying_chain.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace relayer::test
{
namespace
{
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kRequests = 2000;
constexpr std::size_t kBetweenHeartbeats = 400;

// Of a table whose changes have all been counted: a session reports them when it ends.
std::size_t rowsReadByScans(const TestDatabase &database, const std::string &table)
{
    const std::string counted =
        "SELECT coalesce(sum(n_tup_ins), 0) >= " + std::to_string(kRequests) +
        " FROM pg_stat_user_tables WHERE relname = '" + table + "'";
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (database.value(counted) != "t")
    {
        if (std::chrono::steady_clock::now() > deadline)
        {
            throw std::runtime_error("no statistics of " + table);
        }
    }
    return std::stoul(database.value(
        "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = '" + table + "'"));
}

std::vector<std::string> refresh(TestStore &store)
{
    models::PlannerStatistics statistics(store.writer());
    return await(statistics.refresh());
}

bool has(const std::vector<std::string> &names, const std::string &name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(PlannerStatistics, LooksAtATableAgainWhenItHasDoubled)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    EXPECT_EQ(refresh(store), std::vector<std::string>{}) << "all are empty";
    admitReady(store, core::Kind::InputProof, 300, 1);
    EXPECT_TRUE(has(refresh(store), "request"));
    EXPECT_EQ(database.value("SELECT reltuples FROM pg_class WHERE relname = 'request'"), "300");
    EXPECT_EQ(refresh(store), std::vector<std::string>{}) << "nothing came since";
    admitReady(store, core::Kind::InputProof, 100, 1000);
    EXPECT_FALSE(has(refresh(store), "request")) << "a third more";
    admitReady(store, core::Kind::InputProof, 400, 2000);
    EXPECT_TRUE(has(refresh(store), "request"));
}

TEST(TxPlans, WhatARequestCostsDoesNotGrowWithThoseThatWereBefore)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    LyingChain chain;
    {
        PipelineOptions options;
        options.nodeUrl = chain.node().url();
        options.key = std::string(63, '0') + "1";
        options.tx = impatientOptions();
        options.tx.contracts = chain.options().contracts;
        RunningPipeline pipeline(database, options);
        // As the heartbeat does it.
        for (std::size_t done = 0; done < kRequests; done += kBetweenHeartbeats)
        {
            admitReady(pipeline.store(), core::Kind::InputProof, kBetweenHeartbeats, 1 + done);
            pipeline.pullAll();
            ASSERT_TRUE(pipeline.becomes(
                [](const auto &s) { return s.preparing + s.signing + s.open == 0; }, kPatience));
            refresh(pipeline.store());
        }
    }
    EXPECT_EQ(chain.requests().size(), kRequests);
    // Tables of a few pages are read as a whole. A plan that went on doing so would read hundreds
    // of rows for each request, and more with each that comes.
    for (const char *table : {"request", "tx_attempt", "tx_version", "gateway_reference"})
    {
        EXPECT_LE(rowsReadByScans(database, table), 25 * kRequests) << table;
    }
}
}  // namespace
}  // namespace relayer::test
