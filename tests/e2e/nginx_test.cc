// deploy/nginx.conf in a real nginx: what it carries, what it answers itself, and whom it lets in.
#include "e2e/behind_nginx.h"
#include "support/command_lines.h"
#include "support/odd_instance.h"
#include "support/test_mode.h"
#include "wire/envelope.h"

#include <gmock/gmock.h>

#include <chrono>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::string_view kNoJob = "/v2/input-proof/9b6a35ad-0b44-4a09-a5b7-7bbba91b3c1b";

class Nginx : public BehindNginx
{
  protected:
    // What nginx says itself is what we would say, byte by byte.
    static void expectOurs(const HttpReply &reply, int status, const wire::Problem &problem,
                           const std::string &retryAfter)
    {
        EXPECT_EQ(reply.status, status);
        EXPECT_EQ(reply.header("content-type"), "application/json");
        EXPECT_EQ(reply.header("retry-after"), retryAfter);
        const std::string id = reply.header("x-request-id");
        EXPECT_NE(id, "");
        EXPECT_EQ(reply.body, wire::failed(id, problem).body);
    }
};

TEST_F(Nginx, CarriesARequestToItsEndThroughTls)
{
    serveTwo();
    HttpClient client = nginx_->client();
    const auto posted = client.post(kInputProof, proofBody(1).text()).value();
    ASSERT_EQ(posted.status, 202) << posted.body;
    EXPECT_EQ(posted.header("retry-after"), "7");
    const std::string id = posted.json()["result"]["jobId"].asString();
    const std::string path = posted.header("location");
    EXPECT_EQ(path, std::string(kInputProof) + "/" + id);
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_EQ(client.get(path).value().status, 202) << "of either instance";
    }
    EXPECT_EQ(client.post(kInputProof, proofBody(1).text()).value().json()["result"]["jobId"], id);
    reject({id, path});
    const auto ended = client.get(path, {{"X-Request-ID", "e1"}}).value();
    EXPECT_EQ(ended.status, 200);
    EXPECT_EQ(ended.body, R"({"status":"succeeded","requestId":"e1","result":{"accepted":false,)"
                          R"("extraData":"0x00"}})");
    EXPECT_EQ(client.connections(), 1);
    EXPECT_EQ(ended.header("server"), "nginx") << "and not which one";
}

TEST_F(Nginx, HandsOnWhoAsksAndLogsNoSecret)
{
    serveTwo();
    HttpClient client = nginx_->client();
    const std::string trace = "0af7651916cd43dd8448eb211c80319c";
    const auto posted = client
                            .post(std::string(kInputProof) + "?key=sesame", proofBody(1).text(),
                                  {{"X-Request-ID", "from-the-client"},
                                   {"x-api-key", "sesame"},
                                   {"Authorization", "Bearer sesame"},
                                   {"traceparent", "00-" + trace + "-b7ad6b7169203331-01"}})
                            .value();
    EXPECT_EQ(posted.status, 202);
    EXPECT_EQ(posted.header("x-request-id"), "from-the-client");
    EXPECT_TRUE(eitherPrinted("request_id=from-the-client"));
    EXPECT_TRUE(eitherPrinted("trace_id=" + trace));

    const auto lines = nginx_->logged("from-the-client");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0]["method"], "POST");
    EXPECT_EQ(lines[0]["path"], std::string(kInputProof));
    EXPECT_EQ(lines[0]["status"], "202");
    EXPECT_EQ(lines[0]["client"], "127.0.0.1");
    EXPECT_EQ(lines[0].toStyledString().find("sesame"), std::string::npos);

    const auto odd = client.get(kNoJob, {{"X-Request-ID", "not \"sane\""}}).value();
    const std::string fresh = odd.header("x-request-id");
    EXPECT_EQ(fresh, odd.json()["requestId"].asString());
    EXPECT_EQ(nginx_->logged(fresh).size(), 1U) << "the same id everywhere: " << fresh;
}

TEST_F(Nginx, LetsEventsThroughOneByOne)
{
    serveTwo();
    const PostedJob job = postJob();
    HttpClient stream = nginx_->client();
    moveTo(job, "processing");
    ASSERT_TRUE(stream.send("GET " + job.path + "/events HTTP/1.1\r\nHost: x\r\n\r\n"));
    const auto head = stream.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    EXPECT_EQ(head->header("content-type"), "text/event-stream");
    EXPECT_THAT(stream.receiveChunk().value_or(""), testing::HasSubstr("id: processing\n"));
    for (const std::string state : {"tx_in_flight", "receipt_received"})
    {
        moveTo(job, state);
        notice(job);
        EXPECT_THAT(stream.receiveChunk().value_or(""),
                    testing::StartsWith("id: " + state + "\nevent: status\n"))
            << "before anything else happens";
    }
    reject(job);
    notice(job);
    EXPECT_THAT(stream.receiveChunk().value_or(""), testing::StartsWith("id: failure\n"));
    EXPECT_EQ(stream.receiveChunk(), "") << "the end";
    EXPECT_EQ(stream.get("/liveness").value().status, 200) << "the connection lives on";
}

TEST_F(Nginx, WakesALongPollAtOnce)
{
    serveTwo();
    const PostedJob job = postJob();
    HttpClient waiting = nginx_->client(seconds(60));
    const std::string before = moment();
    const auto begin = Clock::now();
    ASSERT_TRUE(
        waiting.send("GET " + job.path + " HTTP/1.1\r\nHost: x\r\nPrefer: wait=30\r\n\r\n"));
    awaitReadSince(before);
    moveTo(job, "tx_in_flight");
    notice(job);
    const auto reply = waiting.receive();
    ASSERT_TRUE(reply);
    EXPECT_LT(Clock::now() - begin, seconds(25));
    EXPECT_EQ(reply->status, 202);
    EXPECT_EQ(reply->header("preference-applied"), "wait=30");
    EXPECT_EQ(reply->json()["state"], "tx_in_flight");
}

// Without proxy_read_timeout nginx would give up when this poll is answered: after 60 s.
TEST_F(Nginx, HoldsTheLongestPollToItsEnd)
{
    if (!fullTests())
    {
        GTEST_SKIP() << "allowed: a minute, only with RELAYER_TEST_FULL=1 (./test --full)";
    }
    serveTwo({{"RELAYER_HTTP__LONG_POLL__MAX_WAIT", "1m"}});
    const PostedJob job = postJob();
    HttpClient waiting = nginx_->client(seconds(90));
    const auto begin = Clock::now();
    const auto reply = waiting.get(job.path + "?wait=60").value();
    EXPECT_GE(Clock::now() - begin, seconds(59));
    EXPECT_EQ(reply.status, 202) << reply.body;
    EXPECT_EQ(reply.header("preference-applied"), "wait=60");
}

TEST_F(Nginx, SaysWhatIsTooLargeAsWeWould)
{
    serveTwo();
    HttpClient client = nginx_->client();
    ProofBody large = proofBody(1);
    large.ciphertext.assign(2'500'000, 'a');
    const auto ours = client.post(kInputProof, large.text()).value();
    EXPECT_EQ(ours.status, 400) << "the relayer says itself how much it takes";
    EXPECT_THAT(ours.body, testing::HasSubstr("2097152 bytes"));

    ASSERT_TRUE(
        client.send("POST /v2/input-proof HTTP/1.1\r\nHost: x\r\nX-Request-ID: big\r\n"
                    "Content-Length: 5000000\r\n\r\n"));
    const auto refused = client.receive().value();
    EXPECT_EQ(refused.header("x-request-id"), "big");
    expectOurs(refused, 413, {wire::Label::RequestError, "The request body is too large", {}}, "");
}

TEST_F(Nginx, LimitsPostsAndNothingElse)
{
    serveTwo();
    HttpClient client = nginx_->client();
    HttpReply reply = client.post(kInputProof, "{}", from(kOutside)).value();
    int passed = 0;
    for (; reply.status == 400 && passed < 2000; ++passed)
    {
        reply = client.post(kInputProof, "{}", from(kOutside)).value();
    }
    EXPECT_GE(passed, 50) << "who asks whether a route is there is not throttled at once";
    expectOurs(reply, 429, wire::tooManyFromClient(), "2");
    for (int i = 0; i < 100; ++i)
    {
        const auto poll = client.get(kNoJob, from(kOutside));
        ASSERT_EQ(poll.value().status, 404) << "a poll";
    }
    EXPECT_EQ(client.post(kInputProof, "{}", from("203.0.113.8")).value().status, 400)
        << "another client";
}

TEST_F(Nginx, WithoutInstancesSaysWhenToComeAgain)
{
    standBefore(unusedPort(), unusedPort());
    HttpClient client = nginx_->client();
    for (const auto &reply :
         {client.get("/v2/keyurl").value(), client.post(kInputProof, proofBody(1).text()).value()})
    {
        expectOurs(reply, 502, wire::storeUnreachable(), "5");
        EXPECT_EQ(reply.header("access-control-allow-origin"), "");
    }
    const auto page = client.get("/v2/keyurl", {{"Origin", "https://app.example"}}).value();
    EXPECT_EQ(page.header("access-control-allow-origin"), "https://app.example");
    EXPECT_THAT(page.header("access-control-expose-headers"), testing::HasSubstr("Retry-After"));
    EXPECT_EQ(client.get("/v2/keyurl", {{"Origin", "https://evil.example"}})
                  .value()
                  .header("access-control-allow-origin"),
              "");
    // Wallets that bring shares read another shape, and validators a third.
    EXPECT_EQ(client.post("/shielded-vote/v1/shares", "{}").value().json()["status"], "error");
    EXPECT_TRUE(client.get("/api/ui-config").value().json()["error"].isString());
}

TEST_F(Nginx, OfInstancesThatDoNotListenSays504)
{
    const OddInstance one(OddInstance::Way::Deaf);
    const OddInstance other(OddInstance::Way::Deaf);
    nginx_.reset();
    standBefore(one.port(), other.port());
    expectOurs(nginx_->client().get("/v2/keyurl").value(), 504, wire::storeUnreachable(), "5");
}

TEST_F(Nginx, WhatIsNoRequestIsAnErrorOfOurs)
{
    standBefore(unusedPort(), unusedPort());
    const wire::Problem unclear = {
        wire::Label::RequestError, "The request could not be understood", {}};
    for (const std::string request :
         {"GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: odd\r\n\r\n"})
    {
        HttpClient client = nginx_->client();
        ASSERT_TRUE(client.send(request));
        const auto reply = client.receive().value();
        expectOurs(reply, reply.status, unclear, "");
        EXPECT_GE(reply.status, 400) << request;
    }
    const auto plain = HttpClient(nginx_->plainPort()).post("/v2/input-proof", "{}").value();
    EXPECT_EQ(plain.status, 308) << "with its method and body";
    EXPECT_EQ(plain.header("location"), "https://relayer.example.com/v2/input-proof");
}

TEST_F(Nginx, ShowsOperatorsRoutesToThoseInsideOnly)
{
    serveTwo();
    HttpClient client = nginx_->client();
    for (const AdminRoute &route : adminRoutes())
    {
        const auto reply =
            client.request(route.method, route.path, "", from(kOutside, adminHeaders())).value();
        expectOurs(reply, 404, wire::nothingAtThisPath(), "");
    }
    for (const std::string path :
         {"/ADMIN/config", "/Console/login", "//admin", "/%61dmin/config", "/admin%2Fconfig",
          "/v2/../admin/config", "/v2/..%2fadmin", "/./console", "/admin/", "/admin?x=/v2",
          "/metrics", "/health", "/x/%2e%2e/admin/config", "/console%3Fx", "/admin%0A",
          "/x#/../admin", "/v2\\..\\admin", "/admin/v2/x/events", "/.relayer/error"})
    {
        HttpClient outside = nginx_->client();
        const auto reply = outside.get(path, from(kOutside, adminHeaders())).value();
        EXPECT_EQ(reply.status, 404) << path;
        EXPECT_EQ(labelOf(reply), "not_found") << path;
        EXPECT_EQ(reply.header("server"), "nginx");
    }
    for (const std::string inside : {"127.0.0.1", "10.1.2.3", "192.168.7.7", "fd00::1"})
    {
        const auto welcome = client.get("/admin", from(inside, adminHeaders())).value();
        EXPECT_EQ(welcome.status, 200) << inside << ": " << welcome.body;
    }
    EXPECT_THAT(client.get("/admin", from("10.1.2.3", adminHeaders())).value().body,
                testing::HasSubstr("admin@10.1.2.3"))
        << "the audit knows from where";
    EXPECT_EQ(client.get("/admin").value().status, 401) << "the token is asked for all the same";
    const auto login = client.post("/console/login", "name=ada&token=" + kAdminToken,
                                   {{"Content-Type", "application/x-www-form-urlencoded"}});
    EXPECT_EQ(login.value().status, 303) << login.value().body;
    EXPECT_THAT(login.value().header("set-cookie"), testing::HasSubstr("Secure"));
}

TEST_F(Nginx, TellsTheRelayerWhoItsClientIs)
{
    serve(behindAProxy({{"RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE", "1"},
                        {"RELAYER_HTTP__CLIENT_LIMITS__BURST", "2"}}));
    standBefore(server_->port(), server_->port());
    HttpClient client = nginx_->client();
    std::uint64_t next = 1;
    const auto post = [&](const std::string &address) {
        return client.post(kInputProof, proofBody(next++).text(), from(address)).value();
    };
    EXPECT_EQ(post("203.0.113.1").status, 202);
    EXPECT_EQ(post("203.0.113.1").status, 202);
    const auto refused = post("203.0.113.1");
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.header("ratelimit-remaining"), "0") << "ours, and as it was";
    EXPECT_EQ(post("203.0.113.2").status, 202);
    EXPECT_EQ(post("203.0.113.2, 203.0.113.1").status, 429)
        << "what the client has put in front counts for nothing";
    EXPECT_EQ(post("203.0.113.1, 127.0.0.1").status, 429) << "two proxies of ours";
}

TEST_F(Nginx, BelievesNobodyElseWhoTheClientIs)
{
    serve(behindAProxy({{"RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE", "1"},
                        {"RELAYER_HTTP__CLIENT_LIMITS__BURST", "1"}}));
    standBefore(server_->port(), server_->port());
    const auto post = [&](std::uint64_t number) {
        // Not the address that may speak for others.
        const auto status =
            linesOf("curl -s --interface 127.0.0.2 --cacert '" + nginx_->certificate() +
                    "' -o /dev/null -w '%{http_code}\n' -H 'X-Forwarded-For: 198.51.100." +
                    std::to_string(number) + "' -d '" + proofBody(number).text() +
                    "' https://127.0.0.1:" + std::to_string(nginx_->port()) + "/v2/input-proof");
        return status.empty() ? "" : status.front();
    };
    EXPECT_EQ(post(1), "202");
    EXPECT_EQ(post(2), "429") << "whoever it says it is";
}

TEST_F(Nginx, TellsClientsWithLongAddressesApart)
{
    serve(behindAProxy({{"RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE", "1"},
                        {"RELAYER_HTTP__CLIENT_LIMITS__BURST", "1"},
                        {"RELAYER_HTTP__CLIENT_LIMITS__KEY_HEADER", "x-client-address"}}));
    standBefore(server_->port(), server_->port());
    HttpClient client = nginx_->client();
    std::uint64_t next = 1;
    const auto post = [&](const std::string &address) {
        ++next;
        return client
            .post(kInputProof, proofBody(next).text(),
                  from(address, {{"X-Client-Address", "whatever-" + std::to_string(next)}}))
            .value()
            .status;
    };
    EXPECT_EQ(post("2001:db8::1"), 202);
    EXPECT_EQ(post("2001:db8::1"), 429);
    EXPECT_EQ(post("2001:db8::2"), 202);
    EXPECT_EQ(post(kOutside), 202);
    EXPECT_EQ(post(kOutside), 429);
}
}  // namespace
}  // namespace relayer::test
