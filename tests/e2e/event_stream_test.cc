// Streams of server-sent events, through the real program, to the byte.
#include "e2e/waiting_server.h"

#include <gmock/gmock.h>

#include <csignal>

namespace relayer::test
{
namespace
{
class EventStream : public WaitingServer
{
  protected:
    static bool open(HttpClient &client, const PostedJob &job, const std::string &headers = "")
    {
        return client.send("GET " + job.path +
                           "/events HTTP/1.1\r\nHost: x\r\nX-Request-ID: s1\r\n" + headers +
                           "\r\n");
    }

    static std::string live(const PostedJob &job, const std::string &state)
    {
        return "id: " + state +
               "\nevent: status\ndata: " + R"({"status":"queued","requestId":"s1","job_id":")" +
               job.id + R"(","state":")" + state + R"(","eta_seconds":7,"elapsed_seconds":0})" +
               "\n\n";
    }
};

const std::string kOpening = "retry: 7000\n\n";
const std::string kRejected =
    "id: failure\nevent: status\ndata: "
    R"({"status":"succeeded","requestId":"s1","result":{"accepted":false,"extraData":"0x00"}})"
    "\n\n";
}  // namespace

TEST_F(EventStream, TellsEachStatusAndEndsWithTheJob)
{
    serve();
    const PostedJob job = postJob();
    HttpClient stream(server_->port());
    moveTo(job, "processing");
    ASSERT_TRUE(open(stream, job));
    const auto head = stream.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    EXPECT_EQ(head->header("content-type"), "text/event-stream");
    EXPECT_EQ(head->header("cache-control"), "no-store");
    EXPECT_EQ(head->header("x-accel-buffering"), "no");
    EXPECT_EQ(head->header("transfer-encoding"), "chunked");
    EXPECT_EQ(head->header("x-request-id"), "s1");
    EXPECT_EQ(head->header("content-length"), "");
    EXPECT_EQ(stream.receiveChunk(), kOpening + live(job, "processing"));
    moveTo(job, "tx_in_flight");
    notice(job);
    EXPECT_EQ(stream.receiveChunk(), live(job, "tx_in_flight"));
    moveTo(job, "receipt_received");
    notice(job);
    EXPECT_EQ(stream.receiveChunk(), live(job, "receipt_received"));
    reject(job);
    notice(job);
    EXPECT_EQ(stream.receiveChunk(), kRejected);
    EXPECT_EQ(stream.receiveChunk(), "") << "the end";
    EXPECT_EQ(stream.get("/liveness").value().status, 200) << "the connection lives on";
    EXPECT_EQ(stream.connections(), 1);
}

TEST_F(EventStream, TellsWhoComesBackOnlyWhatIsNew)
{
    serve();
    const PostedJob job = postJob();
    HttpClient stream(server_->port());
    ASSERT_TRUE(open(stream, job, "Last-Event-ID: processing\r\n"));
    ASSERT_TRUE(stream.receive(true));
    EXPECT_EQ(stream.receiveChunk(), kOpening);
    moveTo(job, "tx_in_flight");
    notice(job);
    EXPECT_EQ(stream.receiveChunk(), live(job, "tx_in_flight"));

    reject(job);
    HttpClient late(server_->port());
    ASSERT_TRUE(open(late, job, "Last-Event-ID: tx_in_flight\r\n"));
    ASSERT_TRUE(late.receive(true));
    EXPECT_EQ(late.receiveChunk(), "retry: 1000\n\n" + kRejected) << "there is nothing to wait for";
    EXPECT_EQ(late.receiveChunk(), "");
    EXPECT_EQ(late.get(job.path + "/events", {{"Last-Event-ID", "failure"}}).value().status, 204)
        << "who has seen the end is told not to come back";
}

TEST_F(EventStream, SaysNowAndThenThatItIsAlive)
{
    serve(
        {{"RELAYER_HTTP__EVENTS__KEEP_ALIVE", "1s"}, {"RELAYER_HTTP__EVENTS__MAX_DURATION", "3s"}});
    const PostedJob job = postJob();
    HttpClient stream(server_->port());
    ASSERT_TRUE(open(stream, job));
    ASSERT_TRUE(stream.receive(true));
    ASSERT_THAT(stream.receiveChunk().value_or(""), testing::StartsWith(kOpening));
    EXPECT_EQ(stream.receiveChunk(), ": keep-alive\n\n");
    EXPECT_EQ(stream.receiveChunk(), ": keep-alive\n\n");
    EXPECT_EQ(stream.receiveChunk(), ": come back\n\n") << "no stream is for ever";
    EXPECT_EQ(stream.receiveChunk(), "");
}

TEST_F(EventStream, OnAConnectionThatClosesCarriesOneEvent)
{
    serve();
    const PostedJob job = postJob();
    moveTo(job, "processing");
    for (const std::string request :
         {" HTTP/1.0\r\nX-Request-ID: s1\r\n\r\n",
          " HTTP/1.1\r\nHost: x\r\nX-Request-ID: s1\r\nConnection: close\r\n\r\n"})
    {
        HttpClient once(server_->port());
        ASSERT_TRUE(once.send("GET " + job.path + "/events" + request));
        const auto reply = once.receive();
        ASSERT_TRUE(reply) << request;
        EXPECT_EQ(reply->header("content-type"), "text/event-stream");
        EXPECT_THAT(reply->body, testing::StartsWith(kOpening + "id: processing\nevent: status\n"));
    }

    HttpClient waiting(server_->port());
    const std::string before = moment();
    ASSERT_TRUE(waiting.send("GET " + job.path +
                             "/events HTTP/1.0\r\nX-Request-ID: s1\r\n"
                             "Last-Event-ID: processing\r\n\r\n"));
    awaitReadSince(before);
    moveTo(job, "tx_in_flight");
    notice(job);
    const auto reply = waiting.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, kOpening + live(job, "tx_in_flight"));
}

TEST_F(EventStream, AboveTheLimitThereIsNone)
{
    serve({{"RELAYER_HTTP__EVENTS__MAX_STREAMS", "1"}});
    const PostedJob job = postJob();
    {
        HttpClient first(server_->port());
        ASSERT_TRUE(open(first, job));
        ASSERT_TRUE(first.receive(true));
        const auto refused = client().get(job.path + "/events").value();
        EXPECT_EQ(refused.status, 503);
        EXPECT_EQ(refused.header("retry-after"), "7");
        EXPECT_EQ(refused.json()["status"], "failed");
        EXPECT_EQ(client().get(job.path).value().status, 202) << "a poll is always answered";
    }
    // The place of a client that went is free soon.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int status = 503;
    while (status == 503 && std::chrono::steady_clock::now() < deadline)
    {
        HttpClient next(server_->port());
        ASSERT_TRUE(open(next, job));
        status = next.receive(true).value().status;
    }
    EXPECT_EQ(status, 200);
}

TEST_F(EventStream, OfWhatIsNotThereIsAnError)
{
    serve();
    const PostedJob job = postJob();
    EXPECT_EQ(client().get("/v3/user-decrypt/" + job.id + "/events").value().status, 404);
    EXPECT_EQ(client().get("/v2/input-proof/nonsense/events").value().status, 400);
    const auto head = client().request("HEAD", job.path + "/events").value();
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("content-type"), "text/event-stream");
    EXPECT_EQ(client().post(job.path + "/events", "{}").value().status, 405);
}

TEST_F(EventStream, EndsWithAWordWhenTheServerStops)
{
    serve();
    const PostedJob job = postJob();
    HttpClient stream(server_->port());
    ASSERT_TRUE(open(stream, job));
    ASSERT_TRUE(stream.receive(true));
    ASSERT_TRUE(stream.receiveChunk());
    server_->kill(SIGTERM);
    EXPECT_EQ(stream.receiveChunk(), ": the server is closing\n\n") << server_->output();
    EXPECT_EQ(stream.receiveChunk(), "");
    EXPECT_EQ(server_->exitCode(), 0) << server_->output();
}
}  // namespace relayer::test
