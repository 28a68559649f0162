// The database away, and back: the server stays up, says so, and recovers by itself.
#include "e2e/requests.h"
#include "support/private_postgres.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
constexpr auto kPatience = std::chrono::seconds(60);

// Posts until the answer is 202, and expects nothing worse than 503 on the way.
bool admitsAgain(ServerProcess &server, std::uint64_t number)
{
    HttpClient client(server.port());
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline)
    {
        const auto reply = client.post(kInputProof, proofBody(number).text());
        if (!reply || (reply->status != 202 && reply->status != 503))
        {
            ADD_FAILURE() << (reply ? reply->body : "no answer");
            return false;
        }
        if (reply->status == 202)
        {
            return true;
        }
    }
    return false;
}

void expectUnavailable(ServerProcess &server, std::uint64_t number)
{
    HttpClient client(server.port());
    EXPECT_EQ(client.get("/liveness").value().status, 200);
    const HttpReply health = client.get("/healthz").value();
    EXPECT_EQ(health.status, 503);
    EXPECT_EQ(health.body, R"({"status":"unhealthy","dependencies":{"database":"fail"}})");
    const HttpReply post = client.post(kInputProof, proofBody(number).text()).value();
    const HttpReply poll =
        client.get(std::string(kInputProof) + "/00000000-0000-4000-8000-000000000000").value();
    for (const HttpReply &reply : {post, poll})
    {
        EXPECT_EQ(reply.status, 503) << reply.body;
        EXPECT_EQ(reply.header("retry-after"), "7");
        EXPECT_EQ(labelOf(reply), "gateway_not_reachable");
        EXPECT_EQ(reply.json()["requestId"].asString(), reply.header("x-request-id"));
    }
}

TEST(Outage, AServerThatStartsWithoutItsDatabaseBecomesHealthyWhenTheDatabaseComes)
{
    RELAYER_NEEDS_SERVER();
    PrivatePostgres postgres;
    postgres.stop();
    ServerProcess server(onDatabase(postgres.url()));
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    expectUnavailable(server, 1);

    postgres.start();
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    EXPECT_TRUE(admitsAgain(server, 1));
}

TEST(Outage, ARestartOfTheDatabaseNeedsNoRestartOfTheServer)
{
    RELAYER_NEEDS_SERVER();
    PrivatePostgres postgres;
    ServerProcess server(onDatabase(postgres.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    ASSERT_TRUE(admitsAgain(server, 1));

    postgres.stop();
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    expectUnavailable(server, 2);
    postgres.start();
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    EXPECT_TRUE(admitsAgain(server, 2));

    ASSERT_GT(postgres.killAll(), 1U);
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    expectUnavailable(server, 3);
    postgres.start();
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    EXPECT_TRUE(admitsAgain(server, 3));
    EXPECT_EQ(postgres.query("SELECT count(*) FROM request")[0][0], "3");
}

TEST(Outage, ConnectionsThatAreCutAreMadeAgainAndNoRequestGetsWorseThan503)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database(TestDatabase::Schema::Empty);
    ServerProcess server(onDatabase(database.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    for (std::uint64_t round = 0; round < 3; ++round)
    {
        database.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        EXPECT_TRUE(admitsAgain(server, round));
    }
}
}  // namespace
}  // namespace relayer::test
