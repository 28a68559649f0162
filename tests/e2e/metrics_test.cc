// The listener for who watches: what stands there, and that it stands nowhere else.
#include "e2e/admin_server.h"
#include "support/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;

class Metrics : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        start({});
    }
    void start(const std::map<std::string, std::string> &more)
    {
        ServerOptions options = onDatabase(database_->url());
        options.environment["RELAYER_METRICS__ENABLED"] = "true";
        options.environment["RELAYER_METRICS__PORT"] = "0";
        options.environment.insert(more.begin(), more.end());
        server_ = std::make_unique<ServerProcess>(options);
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        const auto port = portBehind(server_->output(), "metrics on http://127.0.0.1:");
        ASSERT_NE(port, 0) << server_->output();
        ASSERT_NE(port, server_->port());
        metrics_ = std::make_unique<HttpClient>(port);
        api_ = std::make_unique<HttpClient>(server_->port());
    }
    void tellAndFetch()
    {
        const std::string job =
            api_->post(kInputProof, proofBody(1).text()).value().json()["job_id"].asString();
        const std::string path = std::string(kInputProof) + "/" + job;
        EXPECT_EQ(api_->get(path).value().status, 202);
        EXPECT_EQ(text().find("relayer_retry_after_polls_count"), std::string::npos);
        database_->query(
            "UPDATE request SET status = 'failure', status_at = now(), live = false,"
            " accepted = false, error_code = 'proof_rejected'");
        for (int again = 0; again < 3; ++again)
        {
            EXPECT_EQ(api_->get(path).value().status, 200);
        }
    }
    std::string text() { return metrics_->get("/metrics").value().body; }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> metrics_;
    std::unique_ptr<HttpClient> api_;
};

TEST_F(Metrics, CountWhatClientsDid)
{
    const std::string job =
        api_->post(kInputProof, proofBody(1).text()).value().json()["job_id"].asString();
    EXPECT_EQ(api_->post(kInputProof, "{}").value().status, 400);
    EXPECT_EQ(api_->get(std::string(kInputProof) + "/" + job).value().status, 202);
    EXPECT_EQ(api_->get("/liveness").value().status, 200);
    const std::string found = text();
    const auto route = [](const std::string &method) {
        return R"({endpoint="/input-proof",method=")" + method + R"(",version="v2",)";
    };
    const std::string answers = "relayer_http_responses_total";
    EXPECT_THAT(found, HasSubstr(answers + route("POST") + R"(status="202"} 1)"));
    EXPECT_THAT(found, HasSubstr(answers + route("POST") + R"(status="400"} 1)"));
    EXPECT_THAT(found, HasSubstr(answers + route("GET") + R"(status="202"} 1)"));
    EXPECT_THAT(found, HasSubstr("relayer_http_requests_total" + route("POST") +
                                 R"(relayer_sdk_name="unknown",relayer_sdk_version="unknown"} 2)"));
    EXPECT_EQ(found.find("liveness"), std::string::npos);
    EXPECT_THAT(found,
                HasSubstr(R"(relayer_queue_size_count{queue_type="input_proof_tx_throttler"} 1)"));
    EXPECT_THAT(found, HasSubstr(R"(relayer_build_info{version=")"));
    EXPECT_THAT(found, HasSubstr("\nprocess_resident_memory_bytes "));
    EXPECT_THAT(found, HasSubstr("\nrelayer_lane_held 0\n")) << "no gateway is configured";
}

// Posted, asked for once too early, ended, and fetched.
TEST_F(Metrics, TellHowGoodItWasWhatClientsWereTold)
{
    tellAndFetch();
    const std::string found = text();
    const std::string kind = R"({req_type="input_proof")";
    EXPECT_THAT(found, HasSubstr("relayer_retry_after_raw_eta_seconds_sum" + kind + "} 2.1\n"));
    EXPECT_THAT(found, HasSubstr("relayer_retry_after_polls_sum" + kind + "} 2\n"));
    EXPECT_THAT(found, HasSubstr("relayer_retry_after_polls_count" + kind + "} 1\n"));
    EXPECT_THAT(found, HasSubstr("relayer_retry_after_lateness_seconds_count" + kind + "} 1\n"));
    EXPECT_THAT(found, HasSubstr("relayer_retry_after_error_seconds_count" + kind + ",told=\""));
}

TEST_F(Metrics, NothingIsKeptOfWhatClientsWereToldWithCountingOffUnlessAnEstimatorLearns)
{
    const std::map<std::string, std::string> off = {{"RELAYER_METRICS__COUNT", "false"}};
    for (const std::string estimator : {"nominal", "measured"})
    {
        database_->query("TRUNCATE request CASCADE");
        auto more = off;
        more["RELAYER_HTTP__RETRY_AFTER__ESTIMATOR"] = estimator;
        start(more);
        tellAndFetch();
        const std::string found = text();
        EXPECT_THAT(found, HasSubstr("relayer_build_info"));
        EXPECT_EQ(found.find("relayer_retry_after_") != std::string::npos, estimator == "measured");
    }
}

// name{label="value",...} number, each family with its help and type before its samples.
TEST_F(Metrics, EveryLineIsTextThatPrometheusReads)
{
    (void)api_->post(kInputProof, proofBody(1).text());
    const auto reply = metrics_->get("/metrics").value();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const std::string name = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    const std::string labels = R"(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})";
    const std::string sample = "^" + name + "(" + labels + ")? ([0-9.e+-]+|\\+Inf)$";
    const std::string about = "^# (HELP|TYPE) " + name + " .+$";
    std::istringstream lines(reply.body);
    std::string family;
    int samples = 0;
    for (std::string line; std::getline(lines, line);)
    {
        if (line.starts_with("# "))
        {
            EXPECT_TRUE(matchesPattern(line, about)) << line;
            family = line.substr(7, line.find(' ', 7) - 7);
            continue;
        }
        ++samples;
        EXPECT_TRUE(matchesPattern(line, sample)) << line;
        EXPECT_TRUE(line.starts_with(family)) << line << " stands below " << family;
    }
    EXPECT_GT(samples, 30);
    EXPECT_TRUE(reply.body.ends_with("\n"));
}

TEST_F(Metrics, HealthIsAnEmptyAnswer)
{
    const auto reply = metrics_->get("/health").value();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(metrics_->request("HEAD", "/metrics").value().status, 200);
}

TEST_F(Metrics, AreNotOnTheListenerOfClientsNorTheirRoutesHere)
{
    for (const std::string path : {"/metrics", "/health"})
    {
        for (const std::string method : {"GET", "POST", "OPTIONS"})
        {
            const auto reply = api_->request(method, path).value();
            EXPECT_EQ(reply.status, 404) << method << path;
            EXPECT_EQ(labelOf(reply), "not_found");
        }
    }
    for (const std::string path :
         {"/", "/liveness", "/healthz", "/docs", "/v2/input-proof", "/metrics/", "/v2/keyurl"})
    {
        const auto reply = metrics_->get(path).value();
        EXPECT_EQ(reply.status, 404) << path;
        EXPECT_EQ(labelOf(reply), "not_found");
    }
    EXPECT_EQ(metrics_->post(kInputProof, proofBody(1).text()).value().status, 404);
    const auto wrong = metrics_->post("/metrics", "").value();
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("allow"), "GET, HEAD");
    EXPECT_EQ(database_->value("SELECT count(*) FROM request"), "0");
}

TEST(MetricsListener, IsOffUnlessConfigured)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerProcess server(onDatabase(database.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    EXPECT_EQ(portBehind(server.output(), "metrics on http://127.0.0.1:"), 0);
}
}  // namespace
}  // namespace relayer::test
