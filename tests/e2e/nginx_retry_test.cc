// Which requests nginx asks the other instance for, and which it does not.
#include "e2e/behind_nginx.h"
#include "support/odd_instance.h"

#include <csignal>

namespace relayer::test
{
namespace
{
constexpr int kRequests = 10;

class NginxRetry : public BehindNginx
{
  protected:
    [[nodiscard]] std::string instancesAsked(const std::string &requestId) const
    {
        const auto lines = nginx_->logged(requestId);
        return lines.empty() ? "" : lines.front()["instances"].asString();
    }
};

TEST_F(NginxRetry, NobodyNoticesThatAnInstanceIsKilled)
{
    serveTwo();
    HttpClient client = nginx_->client();
    std::uint64_t next = 1;
    const auto postAndPoll = [&] {
        const auto posted = client.post(kInputProof, proofBody(next++).text()).value();
        ASSERT_EQ(posted.status, 202) << posted.body << nginx_->errors();
        ASSERT_EQ(client.get(posted.header("location")).value().status, 202) << nginx_->errors();
    };
    for (int i = 0; i < kRequests; ++i)
    {
        postAndPoll();  // over connections to both that are kept
    }
    second_->kill(SIGKILL);
    for (int i = 0; i < 2 * kRequests; ++i)
    {
        postAndPoll();
    }
    EXPECT_EQ(database_->value("SELECT count(*) FROM request"), std::to_string(3 * kRequests));
    EXPECT_EQ(client.connections(), 1);
}

TEST_F(NginxRetry, PollsThatAKilledInstanceHeldAreHeldByTheOther)
{
    serveTwo();
    std::vector<PostedJob> jobs;
    std::vector<std::unique_ptr<HttpClient>> waiting;
    for (int i = 0; i < 4; ++i)
    {
        jobs.push_back(postJob());
        waiting.push_back(std::make_unique<HttpClient>(nginx_->port(), std::chrono::seconds(20),
                                                       nginx_->certificate()));
        const std::string before = moment();
        ASSERT_TRUE(waiting.back()->send("GET " + jobs.back().path +
                                         "?wait=30 HTTP/1.1\r\nHost: x\r\nX-Request-ID: w" +
                                         std::to_string(i) + "\r\n\r\n"));
        awaitReadSince(before);
    }
    second_->kill(SIGKILL);
    std::size_t takenOver = 0;
    for (std::size_t i = 0; i < waiting.size(); ++i)
    {
        reject(jobs[i]);
        const auto reply = waiting[i]->receive();
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->status, 200) << reply->body;
        takenOver += instancesAsked("w" + std::to_string(i)).find(", ") != std::string::npos;
    }
    EXPECT_GE(takenOver, 1U);
}

TEST_F(NginxRetry, APostThatBreaksIsBroughtToTheOther)
{
    const OddInstance breaking(OddInstance::Way::Breaks);
    serveOneBeside(breaking.port());
    HttpClient client = nginx_->client();
    for (std::uint64_t i = 1; i <= kRequests; ++i)
    {
        const auto posted = client.post(kInputProof, proofBody(i).text()).value();
        EXPECT_EQ(posted.status, 202) << posted.body;
    }
    EXPECT_GE(breaking.requests(), kRequests / 2 - 1U) << "it was asked";
    EXPECT_EQ(database_->value("SELECT count(*) FROM request"), std::to_string(kRequests));
}

// Resubmitting or draining twice is not the same as once.
TEST_F(NginxRetry, WhatAnOperatorAskedForIsNotAskedTwice)
{
    const OddInstance breaking(OddInstance::Way::Breaks);
    serveOneBeside(breaking.port());
    HttpClient client = nginx_->client();
    const std::size_t before = breaking.requests();
    int done = 0;
    int unknown = 0;
    for (int i = 0; i < kRequests; ++i)
    {
        const auto reply =
            client.post("/admin/intake/pause", R"({"reason":"x"})", adminHeaders()).value();
        done += reply.status == 200 ? 1 : 0;
        unknown += reply.status == 502 && labelOf(reply) == "gateway_not_reachable" ? 1 : 0;
    }
    EXPECT_EQ(done + unknown, kRequests);
    EXPECT_EQ(breaking.requests() - before, static_cast<std::size_t>(unknown));
    EXPECT_GE(unknown, kRequests / 2 - 1);
    EXPECT_EQ(database_->value("SELECT count(*) FROM audit"), std::to_string(done));
}

TEST_F(NginxRetry, A503OfOursIsHandedOnAndNobodyElseAsked)
{
    const OddInstance other(OddInstance::Way::Answers);
    serveOneBeside(other.port(), {{"RELAYER_HTTP__EVENTS__MAX_STREAMS", "0"}});
    const PostedJob job = postJob();
    HttpClient client = nginx_->client();
    const std::size_t before = other.requests();
    std::size_t refused = 0;
    for (int i = 0; i < kRequests; ++i)
    {
        const auto reply =
            client.get(job.path + "/events", {{"X-Request-ID", "r" + std::to_string(i)}});
        if (reply.value().status != 503)
        {
            continue;
        }
        ++refused;
        EXPECT_EQ(labelOf(*reply), "gateway_not_reachable");
        EXPECT_EQ(reply->header("retry-after"), "7") << "ours, and not nginx's";
        EXPECT_EQ(instancesAsked(reply->header("x-request-id")),
                  "127.0.0.1:" + std::to_string(server_->port()));
    }
    EXPECT_GE(refused, kRequests / 2 - 1U);
    EXPECT_EQ(other.requests() - before, kRequests - refused);

    database_->query(
        "UPDATE request SET status = 'timed_out', live = false, dedup = false,"
        " error_code = 'response_timed_out' WHERE job_id = '" +
        job.id + "'");
    int ended = 0;
    for (int i = 0; i < 4; ++i)
    {
        const auto reply = client.get(job.path).value();
        ended += reply.status == 503 && labelOf(reply) == "response_timed_out" ? 1 : 0;
    }
    EXPECT_EQ(ended, 2) << "how a job has ended reaches its client";
}
}  // namespace
}  // namespace relayer::test
