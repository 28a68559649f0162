// kill -9 in the middle of many admissions: every 202 that a client saw is in the database.
#include "e2e/admission_storm.h"
#include "e2e/requests.h"
#include "support/private_postgres.h"
#include "support/test_database.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace relayer::test
{
namespace
{
const std::string kAllRows = "SELECT job_id, encode(content_hash, 'hex') FROM request";

using Rows = std::vector<std::vector<std::string>>;

// How many of those that were answered 202 are not there as one row with their job id and content.
std::size_t missingIn(const Rows &rows, const StormOutcome &outcome)
{
    std::map<std::string, std::string> hashOfJob;
    std::map<std::string, int> rowsOfHash;
    for (const auto &row : rows)
    {
        hashOfJob[row[0]] = row[1];
        ++rowsOfHash[row[1]];
    }
    std::size_t missing = 0;
    for (const auto &[content, jobId] : outcome.admitted)
    {
        const std::string hash = core::toHex(core::contentHash(proofOf(content)));
        missing += hashOfJob[jobId] == hash && rowsOfHash[hash] == 1 ? 0 : 1;
    }
    return missing;
}

void expectStruckInTheMiddle(const StormOutcome &outcome, const StormPlan &plan)
{
    EXPECT_GE(outcome.admitted.size(), plan.strikeAt);
    EXPECT_LT(outcome.admitted.size(), plan.contents);
    EXPECT_GT(outcome.refused + outcome.unanswered, 0U);
}

void expectEveryAdmissionIn(const Rows &rows, const StormOutcome &outcome, const std::string &what)
{
    const std::size_t missing = missingIn(rows, outcome);
    EXPECT_EQ(missing, 0U) << "of " << outcome.admitted.size() << " that were answered 202";
    std::cout << "# " << what << ": " << outcome.admitted.size() << " answered 202, "
              << outcome.refused << " refused, " << outcome.unanswered << " unanswered, "
              << outcome.untried << " not sent; " << rows.size() << " rows, " << missing
              << " of the 202 missing" << std::endl;
}

// Every content is answered 202 by a server that works again, with the job id that was told before.
void expectAllAdmittedAgain(ServerProcess &server, const StormPlan &before,
                            const StormOutcome &outcome)
{
    StormPlan plan = before;
    plan.port = server.port();
    plan.strike = nullptr;
    const StormOutcome again = storm(plan);
    EXPECT_EQ(again.admitted.size(), plan.contents);
    for (const auto &[content, jobId] : outcome.admitted)
    {
        const auto found = again.admitted.find(content);
        ASSERT_TRUE(found != again.admitted.end()) << content;
        EXPECT_EQ(found->second, jobId) << content;
    }
}

void expectNothingLostWhenTheServerIsKilled(std::size_t strikeAt)
{
    const TestDatabase database(TestDatabase::Schema::Empty);
    StormPlan plan;
    plan.strikeAt = strikeAt;
    StormOutcome outcome;
    {
        ServerProcess server(onDatabase(database.url()));
        ASSERT_TRUE(server.becomesHealthy()) << server.output();
        plan.port = server.port();
        plan.strike = [&server] { server.kill(SIGKILL); };
        outcome = storm(plan);
        EXPECT_EQ(server.exitCode(), 128 + SIGKILL);
    }
    expectStruckInTheMiddle(outcome, plan);
    const Rows rows = database.query(kAllRows);
    expectEveryAdmissionIn(rows, outcome, "kill -9 of the server");

    ServerProcess next(onDatabase(database.url()));
    ASSERT_TRUE(next.becomesHealthy()) << next.output();
    expectAllAdmittedAgain(next, plan, outcome);
    EXPECT_EQ(database.value("SELECT count(*) FROM request"), std::to_string(plan.contents));
}

void expectNothingLostWhenPostgresIsKilled(std::size_t strikeAt)
{
    PrivatePostgres postgres;
    ServerProcess server(onDatabase(postgres.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    std::size_t killed = 0;
    StormPlan plan;
    plan.port = server.port();
    plan.strikeAt = strikeAt;
    plan.strike = [&] { killed = postgres.killAll(); };
    const StormOutcome outcome = storm(plan);
    EXPECT_GT(killed, 1U);
    EXPECT_EQ(outcome.unanswered + outcome.untried, 0U) << server.output();
    for (const auto &[status, count] : outcome.statuses)
    {
        EXPECT_TRUE(status == 202 || status == 503) << count << " answers with " << status;
    }
    expectStruckInTheMiddle(outcome, plan);

    postgres.start();
    const Rows rows = postgres.query(kAllRows);
    expectEveryAdmissionIn(rows, outcome, "kill -9 of PostgreSQL");
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    expectAllAdmittedAgain(server, plan, outcome);
    EXPECT_EQ(postgres.query("SELECT count(*) FROM request")[0][0], std::to_string(plan.contents));
}

TEST(Kill, EveryAnsweredAdmissionSurvivesAKillOfTheServer)
{
    RELAYER_NEEDS_SERVER();
    expectNothingLostWhenTheServerIsKilled(1500);
}

TEST(Kill, EveryAnsweredAdmissionSurvivesAKillOfPostgres)
{
    RELAYER_NEEDS_SERVER();
    expectNothingLostWhenPostgresIsKilled(1500);
}

TEST(Kill, ItDoesSoAtWhateverMomentItStrikes)
{
    RELAYER_NEEDS_SERVER();
    if (!fullTests())
    {
        GTEST_SKIP() << "allowed: many rounds, only with RELAYER_TEST_FULL=1 (./test --full)";
    }
    for (const std::size_t strikeAt : {1UL, 200UL, 800UL, 2300UL, 3700UL, 4800UL})
    {
        expectNothingLostWhenTheServerIsKilled(strikeAt);
        expectNothingLostWhenPostgresIsKilled(strikeAt);
    }
}
}  // namespace
}  // namespace relayer::test
