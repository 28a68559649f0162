// What one client may ask for, and calls from pages of other origins, through the real program.
#include "e2e/requests.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
// Two at once, and the next one in a minute: no test is as slow as that.
ServerOptions strict(const TestDatabase &database)
{
    ServerOptions options = onDatabase(database.url());
    options.environment["RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE"] = "1";
    options.environment["RELAYER_HTTP__CLIENT_LIMITS__BURST"] = "2";
    return options;
}

class ClientLimits : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>(TestDatabase::Schema::Empty);
        options_ = strict(*database_);
    }
    void start()
    {
        server_ = std::make_unique<ServerProcess>(options_);
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
    }
    HttpReply post(std::uint64_t number, const HttpHeaders &headers = {})
    {
        return client_->post(kInputProof, proofBody(number).text(), headers).value();
    }
    void exhaust(const HttpHeaders &headers = {})
    {
        EXPECT_EQ(post(next_++, headers).status, 202);
        EXPECT_EQ(post(next_++, headers).status, 202);
        EXPECT_EQ(post(next_++, headers).status, 429);
    }

    std::unique_ptr<TestDatabase> database_;
    ServerOptions options_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
    std::uint64_t next_ = 100;
};

TEST_F(ClientLimits, AreTakenByNewRequestsOnlyAndSayWhenToComeBack)
{
    start();
    auto reply = post(1);
    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.header("ratelimit-limit"), "2");
    EXPECT_EQ(reply.header("ratelimit-remaining"), "1");
    const std::string job = reply.json()["result"]["jobId"].asString();
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(post(1).status, 202) << "a repeat is free";
        EXPECT_EQ(client_->post(kInputProof, "{}").value().status, 400)
            << "and so is what is wrong";
        EXPECT_EQ(client_->get(std::string(kInputProof) + "/" + job).value().status, 202)
            << "and so are polls";
    }
    reply = post(2);
    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.header("ratelimit-remaining"), "0");

    reply = post(3);
    EXPECT_EQ(reply.status, 429);
    EXPECT_EQ(labelOf(reply), "rate_limited");
    EXPECT_EQ(reply.header("ratelimit-remaining"), "0");
    EXPECT_EQ(reply.header("retry-after"), reply.header("ratelimit-reset"));
    const int wait = std::stoi(reply.header("retry-after"));
    EXPECT_GE(wait, 1);
    EXPECT_LE(wait, 60);
    reply = post(2);
    EXPECT_EQ(reply.status, 202) << "what is here is joined all the same";
    EXPECT_EQ(reply.header("ratelimit-remaining"), "0");
    EXPECT_EQ(database_->value("SELECT count(*) FROM request"), "2");
}

TEST_F(ClientLimits, AnAddressIsTakenFromAProxyThatIsTrustedOnly)
{
    start();
    exhaust({{"X-Forwarded-For", "9.9.9.1"}});
    EXPECT_EQ(post(1, {{"X-Forwarded-For", "9.9.9.2"}}).status, 429) << "nobody is trusted";

    options_.environment["RELAYER_HTTP__TRUSTED_PROXIES"] = "10.0.0.0/8, 127.0.0.1";
    start();
    exhaust({{"X-Forwarded-For", "9.9.9.1"}});
    EXPECT_EQ(post(2, {{"X-Forwarded-For", "9.9.9.2"}}).status, 202);
    EXPECT_EQ(post(3, {{"X-Forwarded-For", "9.9.9.1, 10.1.2.3"}}).status, 429) << "two proxies";
    EXPECT_EQ(post(4, {{"X-Forwarded-For", "9.9.9.3, 9.9.9.1"}}).status, 429)
        << "what the client itself has put in front counts for nothing";
    EXPECT_EQ(post(5, {{"X-Forwarded-For", "not an address"}}).status, 202) << "is the proxy's own";
}

TEST_F(ClientLimits, AKeyTellsClientsApartWhereAHeaderIsNamed)
{
    options_.environment["RELAYER_HTTP__CLIENT_LIMITS__KEY_HEADER"] = "x-api-key";
    start();
    exhaust({{"x-api-key", "sesame-7f3a"}});
    EXPECT_EQ(post(1, {{"x-api-key", "two"}}).status, 202);
    exhaust();
    EXPECT_EQ(server_->output().find("sesame"), std::string::npos) << "keys are secrets";
}

TEST_F(ClientLimits, AreOffUnlessConfigured)
{
    options_.environment.erase("RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE");
    start();
    for (std::uint64_t i = 0; i < 70; ++i)
    {
        const auto reply = post(i);
        ASSERT_EQ(reply.status, 202);
        ASSERT_EQ(reply.header("ratelimit-limit"), "");
    }
}

const HttpHeaders kPreflight = {{"Origin", "https://app.example"},
                                {"Access-Control-Request-Method", "POST"},
                                {"Access-Control-Request-Headers", "zama-sdk-name"}};

TEST_F(ClientLimits, PagesOfNamedOriginsMayCallUs)
{
    options_.environment["RELAYER_HTTP__CORS__ALLOWED_ORIGINS"] =
        "https://app.example, http://localhost:5173";
    start();
    const auto preflight = client_->request("OPTIONS", kInputProof, "", kPreflight).value();
    EXPECT_EQ(preflight.status, 204);
    EXPECT_EQ(preflight.header("access-control-allow-origin"), "https://app.example");
    EXPECT_EQ(preflight.header("access-control-allow-methods"), "POST");
    const std::string allowed = preflight.header("access-control-allow-headers");
    for (const char *name : {"content-type", "zama-sdk-version", "zama-sdk-name", "x-api-key"})
    {
        EXPECT_NE(allowed.find(name), std::string::npos) << name;
    }
    for (const auto &reply :
         {post(1, {{"Origin", "http://localhost:5173"}}),
          client_->get("/nothing", {{"Origin", "http://localhost:5173"}}).value()})
    {
        EXPECT_EQ(reply.header("access-control-allow-origin"), "http://localhost:5173");
        EXPECT_NE(reply.header("access-control-expose-headers").find("Retry-After"),
                  std::string::npos);
        EXPECT_NE(reply.header("access-control-expose-headers").find("X-Request-ID"),
                  std::string::npos);
        EXPECT_EQ(reply.header("vary"), "Origin");
    }
    const auto stranger = post(2, {{"Origin", "https://app.example.evil"}});
    EXPECT_EQ(stranger.status, 202);
    EXPECT_EQ(stranger.header("access-control-allow-origin"), "");
    EXPECT_EQ(stranger.header("vary"), "Origin") << "a cache must not keep it for others";
    EXPECT_EQ(client_->request("OPTIONS", kInputProof).value().status, 405) << "no preflight";
}

TEST_F(ClientLimits, PagesOfOtherOriginsAreNotAnsweredUnlessConfigured)
{
    start();
    EXPECT_EQ(client_->request("OPTIONS", kInputProof, "", kPreflight).value().status, 405);
    const auto reply = post(1, {{"Origin", "https://app.example"}});
    EXPECT_EQ(reply.header("access-control-allow-origin"), "");
    EXPECT_EQ(reply.header("vary"), "");
}
}  // namespace
}  // namespace relayer::test
