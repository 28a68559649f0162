// What clients are told about when to come back: for each place where a request can stand, on the
// instance that took it in and on another one. Without a chain, so that requests stay where they
// are put. The numbers are those of the requirement's formulas, with config.json's nominal times.
#include "e2e/decrypt_server.h"
#include "support/await.h"

#include <chrono>

namespace relayer::test
{
namespace
{
using std::chrono::seconds;

class RetryAfterOverHttp : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
    }

    // One request goes in a second, and two are checked at the same time.
    std::unique_ptr<ServerProcess> instance(const std::string &name,
                                            const std::string &estimator = "nominal")
    {
        ServerOptions options = withEstimates(forDecryptions(*database_));
        options.environment["RELAYER_INSTANCE__NAME"] = name;
        options.environment["RELAYER_HTTP__RETRY_AFTER__ESTIMATOR"] = estimator;
        for (const std::string kind : {"INPUT_PROOF", "PUBLIC_DECRYPT", "USER_DECRYPT"})
        {
            options.environment["RELAYER_TX_THROTTLER__" + kind + "__PER_SECOND"] = "1";
        }
        const std::string readiness = "RELAYER_GATEWAY__READINESS_CHECKER__";
        options.environment[readiness + "PUBLIC_DECRYPT__MAX_CONCURRENCY"] = "2";
        auto server = std::make_unique<ServerProcess>(options);
        EXPECT_TRUE(server->becomesHealthy()) << server->output();
        return server;
    }

    struct Told
    {
        std::string header;
        int eta = 0;
    };
    static Told told(const HttpReply &reply)
    {
        EXPECT_EQ(reply.status, 202) << reply.body;
        const Told said{reply.header("retry-after"), reply.json()["eta_seconds"].asInt()};
        EXPECT_EQ(said.header, std::to_string(said.eta));
        return said;
    }
    // A path to poll, and what the post was told.
    std::string post(HttpClient &client, const Post &what, int eta)
    {
        const HttpReply reply = client.post(what.path, what.body).value();
        EXPECT_EQ(told(reply).eta, eta);
        return reply.header("location");
    }
    static std::string jobOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }
    void move(const std::string &path, const std::string &assignments)
    {
        database_->query("UPDATE request SET " + assignments + " WHERE job_id = '" + jobOf(path) +
                         "'");
    }
    // As if the chain had answered.
    void complete(const std::string &path)
    {
        const std::string job = "'" + jobOf(path) + "'";
        database_->query(
            "INSERT INTO gateway_answer (kind, gateway_id, accepted, result)"
            " VALUES ('input_proof', sha256(" +
            job + "), true, '\\x010000000000000000')");
        database_->query(
            "WITH ended AS (UPDATE request SET status = 'completed', status_at = now(),"
            " live = false, accepted = true, gateway_id = sha256(" +
            job + ") WHERE job_id = " + job +
            " RETURNING kind, ticket) DELETE FROM live_request l USING ended e"
            " WHERE l.kind = e.kind AND l.ticket = e.ticket");
    }
    // Until the instance has looked at the database.
    static testing::AssertionResult comesToSay(HttpClient &client, const std::string &path, int eta)
    {
        const auto deadline = std::chrono::steady_clock::now() + seconds(60);
        int last = 0;
        while (std::chrono::steady_clock::now() < deadline)
        {
            // Held for a second, since nothing happens to it.
            last = told(client.get(path + "?wait=1").value()).eta;
            if (last == eta)
            {
                return testing::AssertionSuccess();
            }
        }
        return testing::AssertionFailure() << path << " says " << last << " instead of " << eta;
    }
    static Post proof(std::uint64_t number)
    {
        return {std::string(kInputProof), proofBody(number).text()};
    }

    std::unique_ptr<TestDatabase> database_;
};
}  // namespace

TEST_F(RetryAfterOverHttp, AnInputProofIsToldByItsOwnPositionAndThenByItsState)
{
    const auto server = instance("one");
    HttpClient client(server->port());
    // (p/1 s + 2 s + 100 ms) and a fifth: 2.52, 3.72, 4.92, 6.12.
    static_cast<void>(post(client, proof(1), 3));
    static_cast<void>(post(client, proof(2), 4));
    const std::string third = post(client, proof(3), 5);
    EXPECT_EQ(told(client.get(third).value()).eta, 5);
    EXPECT_EQ(post(client, proof(3), 5), third) << "who joins is told of the job's place";

    move(third, "owner = 4711");
    EXPECT_EQ(told(client.get(third).value()).eta, 3) << "it has left the queue";
    move(third, "status = 'tx_in_flight'");
    EXPECT_EQ(told(client.get(third).value()).eta, 3) << "2 s and a fifth";
    move(third, "status = 'receipt_received', status_at = now()");
    EXPECT_EQ(told(client.get(third).value()).eta, 4);
    move(third, "status_at = now() - interval '70 seconds'");
    EXPECT_EQ(told(client.get(third).value()).eta, 10);
    move(third, "status_at = now() - interval '3 minutes'");
    EXPECT_EQ(told(client.get(third).value()).eta, 30);
    EXPECT_EQ(post(client, proof(3), 30), third);
    move(third, "status_at = now() - interval '6 minutes'");
    EXPECT_EQ(told(client.get(third).value()).eta, 60);
    move(third, "status_at = now() - interval '16 minutes'");
    EXPECT_EQ(told(client.get(third).value()).eta, 300);
}

TEST_F(RetryAfterOverHttp, WhoWaitsMovesUpWhenOthersGo)
{
    const auto server = instance("one");
    HttpClient client(server->port());
    const std::string first = post(client, proof(1), 3);
    const std::string second = post(client, proof(2), 4);
    move(first, "owner = 4711");
    EXPECT_TRUE(comesToSay(client, second, 3));
}

TEST_F(RetryAfterOverHttp, ADecryptionIsToldByItsLineAndBetweenTheQueuesByTheCheck)
{
    const auto server = instance("one");
    HttpClient client(server->port());
    // (p/2 s + 0 + 4 s + 100 ms) and a fifth: 4.92, 5.52, 6.12.
    static_cast<void>(post(client, postOf(publicOf(1)), 5));
    static_cast<void>(post(client, postOf(publicOf(2)), 6));
    const std::string third = post(client, postOf(publicOf(3)), 7);
    EXPECT_EQ(told(client.get(third).value()).eta, 7);
    move(third, "owner = 4711");
    EXPECT_EQ(told(client.get(third).value()).eta, 8) << "2 s + 4 s + 100 ms and a fifth: 7.32";
    move(third, "status = 'tx_in_flight'");
    EXPECT_EQ(told(client.get(third).value()).eta, 5) << "4 s and a fifth";
    move(third, "status = 'receipt_received', status_at = now() - interval '2 minutes 30 seconds'");
    EXPECT_EQ(told(client.get(third).value()).eta, 30);
}

TEST_F(RetryAfterOverHttp, AnyInstanceKnowsThePlaceOfARequestThatCameInElsewhere)
{
    const auto one = instance("one");
    HttpClient here(one->port());
    for (std::uint64_t number = 1; number < 6; ++number)
    {
        ASSERT_EQ(here.post(kInputProof, proofBody(number).text()).value().status, 202);
    }
    const std::string sixth = post(here, proof(6), 9);
    static_cast<void>(here.post(kInputProof, proofBody(7).text()));
    const auto two = instance("two");
    HttpClient there(two->port());
    // 5 s + 2 s + 100 ms and a fifth: 8.52.
    EXPECT_TRUE(comesToSay(there, sixth, 9));
    // One that comes in there stands behind all of them: 9.1 s and a fifth.
    const std::string eighth = post(there, proof(8), 11);
    EXPECT_TRUE(comesToSay(here, eighth, 11));
    EXPECT_EQ(told(there.get(sixth).value()).eta, 9);
}

TEST_F(RetryAfterOverHttp, APollThatWasHeldAndAnEventAreToldTheSame)
{
    const auto server = instance("one");
    HttpClient client(server->port());
    static_cast<void>(post(client, proof(1), 3));
    static_cast<void>(post(client, proof(2), 4));
    const std::string third = post(client, proof(3), 5);
    EXPECT_EQ(told(client.get(third + "?wait=1").value()).eta, 5);
    const HttpReply events = client.get(third + "/events", {{"Connection", "close"}}).value();
    EXPECT_NE(events.body.find("retry: 5000\n"), std::string::npos) << events.body;
    EXPECT_NE(events.body.find(R"("eta_seconds":5,)"), std::string::npos) << events.body;
}

TEST_F(RetryAfterOverHttp, TheMeasuredEstimatorLearnsFromWhatClientsFetch)
{
    const auto server = instance("one", "measured");
    HttpClient client(server->port());
    const std::string before = post(client, proof(1), 3);
    for (std::uint64_t number = 2; number < 32; ++number)
    {
        const HttpReply reply = client.post(kInputProof, proofBody(number).text()).value();
        ASSERT_EQ(reply.status, 202);
        complete(reply.header("location"));
        const HttpReply fetched = client.get(reply.header("location")).value();
        ASSERT_EQ(fetched.status, 200) << fetched.body;
    }
    EXPECT_TRUE(comesToSay(client, before, 1)) << "answers come at once here";
}

TEST_F(RetryAfterOverHttp, TheServersOwn503SaysWhenToComeAgainAndAJobsOwnDoesNot)
{
    {
        const auto server = instance("one");
        HttpClient client(server->port());
        const std::string first = post(client, proof(1), 3);
        move(first,
             "status = 'timed_out', live = false, dedup = false, error_code = 'response_timeout'");
        const HttpReply ended = client.get(first).value();
        EXPECT_EQ(ended.status, 503) << ended.body;
        EXPECT_EQ(ended.header("retry-after"), "");
    }
    ServerProcess away(withEstimates(onDatabase("postgresql://a:b@127.0.0.1:1/x")));
    ASSERT_TRUE(away.becomesUnhealthy()) << away.output();
    HttpClient client(away.port());
    for (const HttpReply &reply :
         {client.get("/healthz").value(), client.post(kInputProof, proofBody(1).text()).value()})
    {
        EXPECT_EQ(reply.status, 503) << reply.body;
        EXPECT_EQ(reply.header("retry-after"), "4") << "the first step of the backoff table";
    }
}
}  // namespace relayer::test
