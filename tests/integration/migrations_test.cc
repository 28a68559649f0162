// The schema: applied once, recorded, and refused when it is not ours to touch.
#include "models/migrator.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <thread>

namespace relayer::test
{
using models::Migration;
using models::MigrationReport;
using Outcome = MigrationReport::Outcome;

namespace
{
const std::vector<Migration> kTwo = {
    {1, "one", "CREATE TABLE one AS SELECT generate_series(1, 200000) AS id;"},
    {2, "two", "CREATE TABLE two (id int);"}};
}

TEST(Migrations, OfManyInstancesThatStartTogetherOneAppliesEach)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    std::vector<MigrationReport> reports(8);
    {
        std::vector<std::jthread> threads;
        for (auto &report : reports)
        {
            threads.emplace_back([&] { report = models::migrate(database.connection(), kTwo); });
        }
    }
    std::size_t applied = 0;
    for (const auto &report : reports)
    {
        EXPECT_EQ(report.outcome, Outcome::UpToDate) << report.message;
        applied += report.applied.size();
    }
    EXPECT_EQ(applied, kTwo.size());
    EXPECT_EQ(database.value("SELECT count(*) FROM schema_migration"), "2");
}

TEST(Migrations, OfThisProgramApplyToAnEmptyDatabaseAndAreUpToDateAfterwards)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    const auto &all = models::embeddedMigrations();
    EXPECT_EQ(models::migrate(database.connection(), all, false).outcome, Outcome::Pending);
    EXPECT_EQ(models::migrate(database.connection(), all).applied.size(), all.size());
    const auto again = models::migrate(database.connection(), all);
    EXPECT_EQ(again.outcome, Outcome::UpToDate);
    EXPECT_TRUE(again.applied.empty());
    EXPECT_EQ(models::migrate(database.connection(), all, false).outcome, Outcome::UpToDate);
}

TEST(Migrations, ADatabaseThatIsNewerThanTheProgramIsRefused)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    ASSERT_EQ(models::migrate(database.connection(), kTwo).outcome, Outcome::UpToDate);
    const auto report = models::migrate(database.connection(), {kTwo[0]});
    EXPECT_EQ(report.outcome, Outcome::Refused);
    EXPECT_NE(report.message.find("newer version"), std::string::npos) << report.message;
}

TEST(Migrations, OneThatChangedAfterItWasAppliedIsRefused)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    ASSERT_EQ(models::migrate(database.connection(), kTwo).outcome, Outcome::UpToDate);
    auto changed = kTwo;
    changed[0].sql += " -- a second thought";
    const auto report = models::migrate(database.connection(), changed);
    EXPECT_EQ(report.outcome, Outcome::Refused);
    EXPECT_NE(report.message.find("0001_one was changed"), std::string::npos) << report.message;
}

TEST(Migrations, OneThatFailsLeavesNothingBehindAndCanBeTriedAgain)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    auto broken = kTwo;
    broken[1].sql = "CREATE TABLE half (id int); CREATE TABLE half (id int);";
    const auto report = models::migrate(database.connection(), broken);
    EXPECT_EQ(report.outcome, Outcome::Refused);
    EXPECT_EQ(report.applied.size(), 1U);
    EXPECT_NE(report.message.find("0002_two failed"), std::string::npos) << report.message;
    EXPECT_EQ(database.value("SELECT to_regclass('half') IS NULL"), "t");
    EXPECT_EQ(models::migrate(database.connection(), kTwo).outcome, Outcome::UpToDate);
}

TEST(Migrations, AServerThatIsAwayIsWorthTryingAgainAndItsAddressIsNotTold)
{
    const auto report = models::migrate(
        "host=127.0.0.1 port=1 user=nobody password=s3cret dbname=x connect_timeout=2", kTwo);
    EXPECT_EQ(report.outcome, Outcome::Unreachable);
    EXPECT_EQ(report.message.find("127.0.0.1"), std::string::npos) << report.message;
    EXPECT_EQ(report.message.find("s3cret"), std::string::npos);
}

TEST(Migrations, EveryIndexAndTableSaysWhyItIsThere)
{
    // The reason stands in the line above each CREATE INDEX and in the key's line.
    for (const Migration &migration : models::embeddedMigrations())
    {
        std::string previous;
        std::size_t at = 0;
        while (at < migration.sql.size())
        {
            const auto end = std::min(migration.sql.find('\n', at), migration.sql.size());
            const std::string line = migration.sql.substr(at, end - at);
            if (line.starts_with("CREATE INDEX") || line.starts_with("CREATE UNIQUE INDEX"))
            {
                EXPECT_TRUE(previous.starts_with("--")) << migration.name << ": " << line;
            }
            previous = line;
            at = end + 1;
        }
    }
}
}  // namespace relayer::test
