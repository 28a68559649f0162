// How the program starts and stops: migrations, refusals, exit codes, and what it keeps to itself.
#include "e2e/requests.h"
#include "support/source_dir.h"
#include "support/test_database.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>

namespace relayer::test
{
namespace
{
std::size_t occurrences(const std::string &text, const std::string &what)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    {
        ++count;
    }
    return count;
}

// Another user and password for the same database.
std::string withCredentials(const std::string &url, const std::string &credentials)
{
    return "postgresql://" + credentials + url.substr(url.find('@'));
}

TEST(Start, OfTwoServersOnOneEmptyDatabaseExactlyOneAppliesEachMigration)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    ServerProcess one(onDatabase(database.url(), "one"));
    ServerProcess two(onDatabase(database.url(), "two"));
    ASSERT_TRUE(one.becomesHealthy()) << one.output();
    ASSERT_TRUE(two.becomesHealthy()) << two.output();
    const auto rows = database.query(
        "SELECT to_char(version, 'FM0000') || '_' || name, count(*) FROM schema_migration"
        " GROUP BY version, name ORDER BY version");
    ASSERT_GE(rows.size(), 4U);
    for (const auto &row : rows)
    {
        EXPECT_EQ(row[1], "1") << row[0];
        const std::string line = "step=migrated migration=" + row[0];
        EXPECT_EQ(occurrences(one.output() + two.output(), line), 1U)
            << line << "\n"
            << one.output() << two.output();
    }
    const auto first = HttpClient(one.port()).post(kInputProof, proofBody(1).text()).value();
    const auto second = HttpClient(two.port()).post(kInputProof, proofBody(1).text()).value();
    EXPECT_EQ(first.status, 202);
    EXPECT_EQ(second.status, 202);
    EXPECT_EQ(first.json()["result"]["jobId"], second.json()["result"]["jobId"]);
}

// Whoever was replaced while it lived may claim until it notices, for an epoch that nobody knows.
TEST(Start, WhatItsPredecessorClaimsAfterwardsIsFreedOnceItsLeaseIsOver)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = onDatabase(database.url(), "one");
    options.environment["RELAYER_INSTANCE__LEASE"] = "1s";
    options.environment["RELAYER_INSTANCE__HEARTBEAT"] = "300ms";
    ServerProcess first(options);
    ASSERT_TRUE(first.printed("step=enrolled")) << first.output();
    const auto epoch = std::stoll(database.value("SELECT epoch FROM instance"));
    ServerProcess second(options);
    ASSERT_TRUE(second.printed("step=enrolled")) << second.output();
    const auto late =
        place(database,
              {.kind = core::Kind::PublicDecrypt, .status = core::Status::Queued, .owner = epoch});
    EXPECT_TRUE(
        second.printed("step=leftovers_freed from_epoch=" + std::to_string(epoch) + " requests=1"))
        << second.output();
    EXPECT_EQ(database.value("SELECT coalesce(owner::text, 'nobody') FROM request WHERE id = " +
                             std::to_string(late.id)),
              "nobody");
}

TEST(Start, ADatabaseThatIsNewerThanTheProgramIsRefused)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    database.query(
        "INSERT INTO schema_migration (version, name, checksum)"
        " SELECT 9999, 'from_the_future', checksum FROM schema_migration LIMIT 1");
    ServerProcess server(onDatabase(database.url()));
    const auto code = server.exitCode();
    ASSERT_TRUE(code) << server.output();
    EXPECT_EQ(*code, 70) << server.output();
    EXPECT_TRUE(server.printed("9999")) << server.output();
    EXPECT_TRUE(server.printed("newer")) << server.output();
}

TEST(Start, AWrongConfigurationEndsWith78AndNamesEachPath)
{
    ServerOptions options = onDatabase("postgresql://a:b@127.0.0.1:1/x");
    options.configuration = R"({"plugins":[{"name":"relayer::plugins::Settings","config":{
        "http":{"max_handles":0},"database":{"write_conections":3},"nonsense":1}}]})";
    options.environment["RELAYER_LOG__LEVEL"] = "loud";
    ServerProcess server(options);
    EXPECT_EQ(server.exitCode(), 78) << server.output();
    for (const std::string path :
         {"http.max_handles", "database.write_conections", "nonsense", "RELAYER_LOG__LEVEL"})
    {
        EXPECT_TRUE(server.printed(path)) << path << "\n" << server.output();
    }
}

TEST(Start, WithoutNominalTimesEachOfThemIsNamed)
{
    ServerOptions options = onDatabase("postgresql://a:b@127.0.0.1:1/x");
    options.withNominalTimes = false;
    ServerProcess server(options);
    EXPECT_EQ(server.exitCode(), 78) << server.output();
    for (const std::string name : {"readiness_check_seconds", "input_proof_processing_seconds",
                                   "user_decrypt_processing_seconds",
                                   "public_decrypt_processing_seconds", "tx_confirmation_ms"})
    {
        EXPECT_TRUE(server.printed("http.retry_after.nominal_times." + name + ": is required"))
            << server.output();
    }
}

TEST(Start, SigtermEndsItWithZero)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    ServerProcess server(onDatabase(database.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    ASSERT_EQ(client.post(kInputProof, proofBody(1).text()).value().status, 202);
    server.kill(SIGTERM);
    EXPECT_EQ(server.exitCode(), 0) << server.output();
}

std::string shippedConfiguration()
{
    std::stringstream text;
    text << std::ifstream(sourceDir() / "config.json").rdbuf();
    return text.str();
}

// Where it runs and keeps its configuration. Its /proc/PID/cwd is closed to all but root.
std::filesystem::path folderOf(const ServerProcess &server)
{
    std::ifstream file("/proc/" + std::to_string(server.process()) + "/cmdline");
    std::string argument;
    while (std::getline(file, argument, '\0') && argument != "--config")
    {
    }
    std::getline(file, argument, '\0');
    return std::filesystem::path(argument).parent_path();
}

TEST(Start, ACrashLeavesNoCoreFile)
{
    const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &unlimited);  // inherited; where we may not, it is 0 already
    ServerOptions options = onDatabase("postgresql://a:b@127.0.0.1:1/x");
    options.configuration = shippedConfiguration();
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    const std::string process = "/proc/" + std::to_string(server.process());
    std::stringstream limits;
    limits << std::ifstream(process + "/limits").rdbuf();
    const std::string name = "Max core file size";
    const std::size_t at = limits.str().find(name);
    ASSERT_NE(at, std::string::npos) << limits.str();
    std::istringstream numbers(limits.str().substr(at + name.size()));
    std::string soft;
    std::string hard;
    numbers >> soft >> hard;
    EXPECT_EQ(soft + " " + hard, "0 0");
    const auto folder = folderOf(server);
    ASSERT_TRUE(std::filesystem::exists(folder / "given.json")) << folder;
    server.kill(SIGABRT);
    EXPECT_EQ(server.exitCode(), 128 + SIGABRT) << server.output();
    for (const auto &file : std::filesystem::directory_iterator(folder))
    {
        EXPECT_FALSE(file.path().filename().string().starts_with("core")) << file.path();
    }
}

TEST(Start, SigtermEndsAServerWhoseDatabaseIsAwayWithZero)
{
    ServerProcess server(onDatabase("postgresql://a:b@127.0.0.1:1/x"));
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    server.kill(SIGTERM);
    EXPECT_EQ(server.exitCode(), 0) << server.output();
}

TEST(Start, ThePasswordOfTheDatabaseIsNeverPrintedNotEvenAtTrace)
{
    RELAYER_NEEDS_SERVER();
    // Migrated, so that the role owns nothing and can be dropped.
    const TestDatabase database;
    const std::string secret = "pa%20ss-w0rd-geheim";
    const std::string decoded = "pa ss-w0rd-geheim";
    const std::string role = "leak_" + database.value("SELECT current_database()");
    database.query("CREATE ROLE " + role + " LOGIN SUPERUSER PASSWORD '" + decoded + "'");
    std::string output;
    {
        const std::string url = withCredentials(database.url(), role + ":" + secret);
        ServerProcess server(onDatabase(url, "right", "trace"));
        EXPECT_TRUE(server.becomesHealthy()) << server.output();
        HttpClient client(server.port());
        EXPECT_EQ(client.post(kInputProof, proofBody(1).text()).value().status, 202);
        database.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        EXPECT_TRUE(client.post(kInputProof, proofBody(2).text()));
        server.kill(SIGTERM);
        EXPECT_EQ(server.exitCode(), 0) << server.output();
        output = server.output();
    }
    {
        const std::string url = withCredentials(database.url(), role + ":wrong-" + secret);
        ServerProcess server(onDatabase(url, "wrong", "trace"));
        EXPECT_TRUE(server.becomesUnhealthy()) << server.output();
        EXPECT_TRUE(server.printed("step=database_unreachable"));
        output += server.output();
    }
    database.query("DROP ROLE " + role);
    EXPECT_EQ(output.find("w0rd-geheim"), std::string::npos) << output.substr(
        output.find("w0rd-geheim") - std::min<std::size_t>(300, output.find("w0rd-geheim")), 600);
    EXPECT_NE(output.find("step=admitted"), std::string::npos) << output;
}
}  // namespace
}  // namespace relayer::test
