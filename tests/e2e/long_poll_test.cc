// Polls that are held until something happens, through the real program.
#include "e2e/waiting_server.h"

#include <chrono>
#include <csignal>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

const HttpHeaders kWait = {{"Prefer", "respond-async, wait=30"}};

class LongPoll : public WaitingServer
{};

void expectPlain(const HttpReply &reply)
{
    EXPECT_EQ(reply.status, 202) << reply.body;
    EXPECT_EQ(reply.header("preference-applied"), "");
    EXPECT_EQ(reply.header("retry-after"), "7");
}
}  // namespace

TEST_F(LongPoll, EndsWhenTheStatusChangesAndShowsTheNewOne)
{
    serve();
    const PostedJob job = postJob();
    HttpClient waiting(server_->port());
    const std::string before = moment();
    ASSERT_TRUE(waiting.send(
        "GET " + job.path + " HTTP/1.1\r\nHost: x\r\nPrefer: wait=30\r\nX-Request-ID: w1\r\n\r\n"));
    awaitReadSince(before);
    moveTo(job, "tx_in_flight");
    notice(job);
    const auto reply = waiting.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 202);
    EXPECT_EQ(reply->header("preference-applied"), "wait=30");
    EXPECT_EQ(reply->header("retry-after"), "7");
    EXPECT_EQ(reply->body, R"({"status":"queued","requestId":"w1","job_id":")" + job.id +
                               R"(","state":"tx_in_flight","eta_seconds":7,"elapsed_seconds":0})");
}

TEST_F(LongPoll, EndsWithTheResultWhoeverEndedTheJobAndWithoutANotice)
{
    serve();
    const PostedJob job = postJob();
    HttpClient waiting(server_->port());
    const std::string before = moment();
    ASSERT_TRUE(waiting.send("GET " + job.path + "?wait=30 HTTP/1.1\r\nHost: x\r\n\r\n"));
    awaitReadSince(before);
    reject(job);
    const auto reply = waiting.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->json()["result"]["accepted"], false);
}

TEST_F(LongPoll, IsHeldNoLongerThanTheConfigurationAllows)
{
    serve({{"RELAYER_HTTP__LONG_POLL__MAX_WAIT", "1s"}});
    const PostedJob job = postJob();
    const auto begin = Clock::now();
    const auto reply = client().get(job.path, kWait).value();
    EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(900));
    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.header("preference-applied"), "wait=1");
    EXPECT_EQ(reply.json()["state"], "processing");
    EXPECT_GE(reply.json()["elapsed_seconds"].asInt(), 1);
    // Who comes back is known still, and shown the same without a read.
    const std::string before = moment();
    const auto again = client().get(job.path, kWait).value();
    EXPECT_EQ(again.json()["state"], "processing");
    EXPECT_GE(again.json()["elapsed_seconds"].asInt(), 2);
    EXPECT_EQ(database_->value("SELECT count(*) FROM pg_stat_activity"
                               " WHERE datname = current_database() AND query LIKE"
                               " '%r.job_id = i.key%' AND pid <> pg_backend_pid()"
                               " AND query_start > '" +
                               before + "'"),
              "0");
}

TEST_F(LongPoll, OfAJobThatHasEndedIsAnsweredAtOnce)
{
    serve();
    const PostedJob job = postJob();
    reject(job);
    const auto begin = Clock::now();
    const auto reply = client().get(job.path, kWait).value();
    EXPECT_LT(Clock::now() - begin, seconds(15));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("preference-applied"), "wait=30");
}

TEST_F(LongPoll, OfNoJobOrOfOneOfAnotherKindIsNotHeld)
{
    serve();
    const PostedJob job = postJob();
    EXPECT_EQ(client().get("/v2/public-decrypt/" + job.id, kWait)->status, 404);
    EXPECT_EQ(client().get("/v2/input-proof/9b6a35ad-0b44-4a09-a5b7-7bbba91b3c1b", kWait)->status,
              404);
    EXPECT_EQ(client().get("/v2/input-proof/nonsense?wait=5", kWait)->status, 400);
}

TEST_F(LongPoll, WhatCanNotBeHeldIsAPlainPoll)
{
    serve({{"RELAYER_HTTP__LONG_POLL__MAX_WAITERS", "0"}});
    const PostedJob job = postJob();
    expectPlain(client().get(job.path, kWait).value());
    expectPlain(client().get(job.path + "?wait=x").value());
    expectPlain(client().get(job.path + "?wait=0").value());
    expectPlain(client().get(job.path).value());
}

TEST_F(LongPoll, AHeadIsNotHeld)
{
    serve();
    const PostedJob job = postJob();
    const auto begin = Clock::now();
    const auto reply = client().request("HEAD", job.path, "", kWait).value();
    EXPECT_LT(Clock::now() - begin, seconds(15));
    EXPECT_EQ(reply.status, 202);
}

TEST_F(LongPoll, WhatIsAskedBehindItOnTheSameConnectionWaitsForIt)
{
    serve();
    const PostedJob job = postJob();
    HttpClient waiting(server_->port());
    const std::string before = moment();
    ASSERT_TRUE(waiting.send("GET " + job.path + "?wait=30 HTTP/1.1\r\nHost: x\r\n\r\n" +
                             "GET /liveness HTTP/1.1\r\nHost: x\r\n\r\n"));
    awaitReadSince(before);
    moveTo(job, "tx_in_flight");
    notice(job);
    EXPECT_EQ(waiting.receive().value().json()["state"], "tx_in_flight");
    EXPECT_EQ(waiting.receive().value().status, 200);
}

TEST_F(LongPoll, AClientThatGoesLeavesItsPlace)
{
    serve({{"RELAYER_HTTP__LONG_POLL__MAX_WAITERS", "1"},
           {"RELAYER_HTTP__LONG_POLL__MAX_WAIT", "1m"}});
    const PostedJob job = postJob();
    const std::string path = job.path + "?wait=60";
    {
        HttpClient leaving(server_->port());
        const std::string before = moment();
        ASSERT_TRUE(leaving.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"));
        awaitReadSince(before);
        expectPlain(client().get(path).value());  // the one place is taken
    }
    // As soon as the place is free, a poll is held: until then it is answered at once.
    HttpClient next(server_->port(), seconds(3));
    const auto deadline = Clock::now() + seconds(20);
    bool held = false;
    while (!held && Clock::now() < deadline)
    {
        held = !next.get(path);
    }
    EXPECT_TRUE(held);
}

TEST_F(LongPoll, IsAnsweredWhenTheServerStops)
{
    serve();
    const PostedJob job = postJob();
    HttpClient waiting(server_->port());
    const std::string before = moment();
    ASSERT_TRUE(waiting.send("GET " + job.path + "?wait=30 HTTP/1.1\r\nHost: x\r\n\r\n"));
    awaitReadSince(before);
    server_->kill(SIGTERM);
    const auto reply = waiting.receive();
    ASSERT_TRUE(reply) << server_->output();
    EXPECT_EQ(reply->status, 202);
    EXPECT_EQ(reply->header("retry-after"), "7");
    EXPECT_EQ(server_->exitCode(), 0) << server_->output();
}
}  // namespace relayer::test
