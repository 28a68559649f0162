// A database that is there and yet does not do what it should: slow, read-only, or silent at the
// wrong moment. Every request is answered within its bound, and all is well again by itself.
#include "e2e/requests.h"
#include "support/cutting_proxy.h"
#include "support/eventually.h"
#include "support/loopback.h"
#include "support/private_postgres.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <libpq-fe.h>
#include <memory>
#include <vector>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience(60);
// A request may wait for a statement before its own, and for its own twice; and machines are slow.
constexpr milliseconds kClientTimeout(1500);
constexpr milliseconds kBound = 4 * kClientTimeout + seconds(12);

ServerOptions impatientOn(const std::string &url)
{
    ServerOptions options = onDatabase(url);
    options.environment["RELAYER_DATABASE__STATEMENT_TIMEOUT"] = "1s";
    options.environment["RELAYER_DATABASE__CLIENT_TIMEOUT"] = "1500ms";
    options.environment["RELAYER_DATABASE__CONNECT_TIMEOUT"] = "1s";
    options.environment["RELAYER_INSTANCE__HEARTBEAT"] = "300ms";
    return options;
}

void expectRefusal(const std::optional<HttpReply> &reply)
{
    ASSERT_TRUE(reply) << "not answered within its bound";
    EXPECT_EQ(reply->status, 503) << reply->body;
    EXPECT_EQ(labelOf(*reply), "gateway_not_reachable");
    EXPECT_EQ(reply->header("retry-after"), "7");
}

std::string jobIdIn(const HttpReply &reply)
{
    return reply.json()["result"]["jobId"].asString();
}

// Posts until it is taken, and gives the job's id; nothing worse than 503 on the way.
std::string admitted(ServerProcess &server, std::uint64_t number)
{
    HttpClient client(server.port(), kBound);
    const auto deadline = Clock::now() + kPatience;
    for (;;)
    {
        const auto reply = client.post(kInputProof, proofBody(number).text());
        if (reply && reply->status == 202)
        {
            return jobIdIn(*reply);
        }
        expectRefusal(reply);
        if (testing::Test::HasFailure() || Clock::now() > deadline)
        {
            ADD_FAILURE() << "is not taken any more: " << server.output();
            return "";
        }
    }
}

// Many at once, half of them posts of these numbers and half polls of a job; all of their answers.
std::vector<std::optional<HttpReply>> askAtOnce(ServerProcess &server, std::uint64_t first,
                                                const std::string &jobId)
{
    constexpr std::uint64_t kMany = 40;
    const std::uint16_t port = server.port();
    std::vector<std::future<std::optional<HttpReply>>> asked;
    for (std::uint64_t i = 0; i < kMany; ++i)
    {
        asked.push_back(std::async(std::launch::async, [port, first, i, jobId] {
            HttpClient client(port, kBound);
            return i % 2 == 0 ? client.post(kInputProof, proofBody(first + i).text())
                              : client.get(std::string(kInputProof) + "/" + jobId);
        }));
    }
    std::vector<std::optional<HttpReply>> replies;
    replies.reserve(asked.size());
    for (auto &each : asked)
    {
        replies.push_back(each.get());
    }
    return replies;
}

// Whether so many posts at once, from this number on, are all taken.
bool allTaken(ServerProcess &server, std::uint64_t first)
{
    constexpr std::uint64_t kMany = 24;
    const std::uint16_t port = server.port();
    std::vector<std::future<bool>> taken;
    for (std::uint64_t i = 0; i < kMany; ++i)
    {
        taken.push_back(std::async(std::launch::async, [port, number = first + i] {
            HttpClient client(port, kBound);
            const auto reply = client.post(kInputProof, proofBody(number).text());
            return reply && reply->status == 202;
        }));
    }
    return std::ranges::count_if(taken, [](auto &each) { return each.get(); }) == kMany;
}

// Whether so many rounds of posts in a row are all taken before the time is over.
bool allTakenInARow(ServerProcess &server, int rounds, std::uint64_t first)
{
    const auto deadline = Clock::now() + kPatience;
    int inARow = 0;
    for (std::uint64_t number = first; inARow < rounds && Clock::now() < deadline; number += 100)
    {
        inARow = allTaken(server, number) ? inARow + 1 : 0;
    }
    return inARow == rounds;
}

// Nobody gets at the requests until it is let go of: what a disk that does not answer looks like.
class Hold
{
  public:
    explicit Hold(const TestDatabase &database)
        : connection_(PQconnectdb(database.url().c_str()), &PQfinish)
    {
        const std::unique_ptr<PGresult, decltype(&PQclear)> locked(
            PQexec(connection_.get(), "BEGIN; LOCK TABLE request IN ACCESS EXCLUSIVE MODE"),
            &PQclear);
        EXPECT_EQ(PQresultStatus(locked.get()), PGRES_COMMAND_OK);
    }

  private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

class DatabaseFault : public testing::Test
{
  protected:
    void makeReadOnly(bool readOnly)
    {
        database_.query("SET default_transaction_read_only = off");
        database_.query(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = " +
            std::string(readOnly ? "on" : "off") + "', current_database()); END $$");
    }
    void endSessions()
    {
        database_.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    }
    [[nodiscard]] int sessionsSince(const std::string &moment) const
    {
        return std::stoi(
            database_.value("SELECT count(*) FROM pg_stat_activity WHERE datname ="
                            " current_database() AND pid <> pg_backend_pid()"
                            " AND backend_start > '" +
                            moment + "'"));
    }
    [[nodiscard]] std::string rows() const
    {
        return database_.value("SELECT count(*) FROM request");
    }

    const TestDatabase database_{TestDatabase::Schema::Empty};
};
}  // namespace

TEST_F(DatabaseFault, WhileEveryStatementTakesTooLongEachRequestIsRefusedInTime)
{
    RELAYER_NEEDS_SERVER();
    ServerProcess server(impatientOn(database_.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    const std::string job = admitted(server, 1);
    {
        const Hold hold(database_);
        for (const auto &reply : askAtOnce(server, 100, job))
        {
            expectRefusal(reply);
        }
    }
    EXPECT_EQ(admitted(server, 1), job);
    admitted(server, 100);
    EXPECT_TRUE(server.becomesHealthy()) << server.output();
    const auto poll = HttpClient(server.port()).get(std::string(kInputProof) + "/" + job);
    EXPECT_EQ(poll.value().status, 202);
}

TEST_F(DatabaseFault, WhatWasCommittedWithoutAnAnswerIsTheSameJobWhenItIsPostedAgain)
{
    RELAYER_NEEDS_SERVER();
    const std::string &url = database_.url();
    CuttingProxy proxy(portIn(url));
    ServerProcess server(impatientOn(throughPort(url, proxy.port())));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitted(server, 1);
    proxy.holdAnswers();
    HttpClient client(server.port(), kBound);
    expectRefusal(client.post(kInputProof, proofBody(2).text()));
    EXPECT_EQ(rows(), "2") << "it was to be committed";
    const std::string job = database_.value("SELECT job_id FROM request ORDER BY id DESC LIMIT 1");
    proxy.heal();
    EXPECT_EQ(admitted(server, 2), job);
    EXPECT_EQ(rows(), "2");
}

TEST_F(DatabaseFault, WhatIsCommittedAfterWeGaveUpIsTheSameJobWhenItIsPostedAgain)
{
    RELAYER_NEEDS_SERVER();
    // The operator's own word on statement_timeout wins: longer than we wait.
    ServerProcess server(impatientOn(database_.url() + "?options=-c%20statement_timeout%3D60000"));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitted(server, 1);
    database_.query(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$");
    database_.query(
        "CREATE TRIGGER slow BEFORE INSERT ON request FOR EACH ROW EXECUTE FUNCTION slow()");
    HttpClient client(server.port(), kBound);
    expectRefusal(client.post(kInputProof, proofBody(2).text()));
    // Waits for the statement that is still at work.
    database_.query("DROP TRIGGER slow ON request");
    EXPECT_EQ(rows(), "2") << "it was to be committed";
    const std::string job = database_.value("SELECT job_id FROM request ORDER BY id DESC LIMIT 1");
    EXPECT_EQ(admitted(server, 2), job);
    EXPECT_EQ(rows(), "2");
}

TEST_F(DatabaseFault, WhileItIsReadOnlyPollsAreAnsweredAndPostsAreRefused)
{
    RELAYER_NEEDS_SERVER();
    ServerProcess server(impatientOn(database_.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    const std::string job = admitted(server, 1);
    makeReadOnly(true);
    endSessions();
    ASSERT_TRUE(server.printed("step=database_read_only")) << server.output();
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    HttpClient client(server.port(), kBound);
    expectRefusal(client.post(kInputProof, proofBody(2).text()));
    const auto deadline = Clock::now() + kPatience;
    int status = 0;
    while (status != 202 && Clock::now() < deadline)
    {
        const auto poll = client.get(std::string(kInputProof) + "/" + job);
        status = poll.value().status;
    }
    EXPECT_EQ(status, 202) << "a job can be polled";
    // For those sessions that begin from now on.
    makeReadOnly(false);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitted(server, 2);
}

// What a session was told at its start holds until its end: sessions that begin while the database
// is read-only refuse writes long after, beside others that do not.
TEST_F(DatabaseFault, SessionsThatBeganWhileItWasReadOnlyAreNotKept)
{
    RELAYER_NEEDS_SERVER();
    // No heartbeat while there is a mixture, as a rule: it would end it.
    ServerOptions options = impatientOn(database_.url());
    options.environment["RELAYER_INSTANCE__HEARTBEAT"] = "5s";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitted(server, 1);
    makeReadOnly(true);
    const std::string moment = database_.value("SELECT clock_timestamp()");
    const int ended = std::stoi(database_.value(
        "SELECT count(pg_terminate_backend(pid)) FROM"
        " (SELECT pid, row_number() OVER (ORDER BY pid) AS number FROM pg_stat_activity"
        "  WHERE datname = current_database() AND pid <> pg_backend_pid()) AS numbered"
        " WHERE number % 2 = 0"));
    ASSERT_GT(ended, 0);
    // Some of them may have been of the start, which do not come back.
    const int wanted = std::max(ended / 2, 1);
    ASSERT_TRUE(eventually([&] { return sessionsSince(moment) >= wanted; }, kPatience))
        << server.output();
    makeReadOnly(false);
    ASSERT_TRUE(allTakenInARow(server, 20, 100)) << "some are refused still: " << server.output();
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
}

// As Drogon has one now and then after PostgreSQL has ended sessions: the others work, and without
// new ones the pool would get smaller with each.
TEST_F(DatabaseFault, ASessionThatAnswersNothingIsReplacedThoughOthersDo)
{
    RELAYER_NEEDS_SERVER();
    const PrivatePostgres postgres;
    ServerProcess server(impatientOn(postgres.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    postgres.query("CREATE TABLE admitting (pid integer)");
    postgres.query(
        "CREATE FUNCTION note_session() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN INSERT INTO admitting VALUES (pg_backend_pid()); RETURN NULL; END'");
    postgres.query(
        "CREATE TRIGGER session AFTER INSERT ON request"
        " FOR EACH STATEMENT EXECUTE FUNCTION note_session()");
    ASSERT_TRUE(allTaken(server, 100)) << server.output();
    postgres.query("DROP TRIGGER session ON request");
    const auto admitting = postgres.query("SELECT pid FROM admitting LIMIT 1");
    ASSERT_FALSE(admitting.empty());
    const pid_t silent = std::stoi(admitting.front().front());
    ASSERT_EQ(kill(silent, SIGSTOP), 0);
    std::uint64_t number = 200;
    const auto deadline = Clock::now() + kPatience;
    while (server.output().find("step=sessions_begun_anew") == std::string::npos &&
           Clock::now() < deadline)
    {
        static_cast<void>(allTaken(server, number += 100));
    }
    EXPECT_EQ(
        postgres
            .query("SELECT count(*) FROM pg_stat_activity WHERE pid = " + std::to_string(silent))
            .front()
            .front(),
        "1")
        << "it was to stay";
    ASSERT_TRUE(server.printed("step=sessions_begun_anew: one may hear nothing any more"))
        << server.output();
    EXPECT_TRUE(allTakenInARow(server, 5, number += 100)) << server.output();
    EXPECT_EQ(server.output().find("step=client_replaced"), std::string::npos) << server.output();
    kill(silent, SIGCONT);
}

TEST_F(DatabaseFault, AServerThatStartsWhileItIsReadOnlyWorksWhenItIsNotAnyMore)
{
    RELAYER_NEEDS_SERVER();
    makeReadOnly(true);
    ServerProcess server(impatientOn(database_.url()));
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    HttpClient client(server.port(), kBound);
    expectRefusal(client.post(kInputProof, proofBody(1).text()));
    makeReadOnly(false);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitted(server, 1);
}
}  // namespace relayer::test
