// A statement is planned once, while its tables are small, and the plan lives on while they grow:
// one that reads a whole table then costs more with each request that ever was.

#include "models/planner_statistics.h"
#include "support/await.h"
#include "support/lying_chain.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

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

// By one session: sessions that insert side by side get pages in advance, and the table would have
// doubled long before its rows did.
void addKeys(const TestDatabase &database, int first, int count)
{
    database.query(
        "INSERT INTO idempotency_key (client, key, job_id, content_hash)"
        " SELECT 'client', g::text, gen_random_uuid(), decode(repeat('00', 32), 'hex')"
        " FROM generate_series(" +
        std::to_string(first) + ", " + std::to_string(first + count - 1) + ") g");
}

TEST(PlannerStatistics, LooksAtATableAgainWhenItHasDoubled)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    database.query("ALTER TABLE idempotency_key SET (autovacuum_enabled = false)");
    EXPECT_EQ(refresh(store), std::vector<std::string>{}) << "all are empty";
    addKeys(database, 1, 3000);
    EXPECT_EQ(refresh(store), std::vector<std::string>{"idempotency_key"});
    EXPECT_EQ(database.value("SELECT reltuples FROM pg_class WHERE relname = 'idempotency_key'"),
              "3000");
    EXPECT_EQ(refresh(store), std::vector<std::string>{}) << "nothing came since";
    addKeys(database, 10'000, 1000);
    EXPECT_EQ(refresh(store), std::vector<std::string>{}) << "a third more";
    addKeys(database, 20'000, 4000);
    EXPECT_EQ(refresh(store), std::vector<std::string>{"idempotency_key"});
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
    // Tables of a few pages are read as a whole, by each statement; the slower the machine, the
    // fewer requests share one. A plan that went on doing so would read a thousand rows for each
    // request here, and more with each that comes.
    for (const char *table : {"request", "tx_attempt", "tx_version", "gateway_reference"})
    {
        EXPECT_LE(rowsReadByScans(database, table), 100 * kRequests) << table;
    }
}
}  // namespace
}  // namespace relayer::test
