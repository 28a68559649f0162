// What operators change and do, through the real program, by one instance on another.
#include "e2e/admin_server.h"
#include "e2e/decrypt_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;

class AdminSettings : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        one_ = server("one");
        client_ = std::make_unique<HttpClient>(one_->port());
    }
    std::unique_ptr<ServerProcess> server(const std::string &name)
    {
        auto server = std::make_unique<ServerProcess>(optionsOf(name));
        EXPECT_TRUE(server->becomesHealthy()) << server->output();
        // What was said before it listens it learns a moment later.
        ++servers_;
        EXPECT_TRUE(comesWithin(std::chrono::seconds(20), [this] {
            return database_->value(
                       "SELECT count(*) FROM pg_stat_activity"
                       " WHERE datname = current_database()"
                       " AND query ILIKE 'listen %relayer_status%'") == std::to_string(servers_);
        }));
        return server;
    }
    // It takes decryptions, too, and no chain is there to move them.
    [[nodiscard]] ServerOptions optionsOf(const std::string &name) const
    {
        ServerOptions options = withAdmin(withEstimates(forDecryptions(*database_)));
        options.environment["RELAYER_INSTANCE__NAME"] = name;
        return options;
    }
    void kill(std::unique_ptr<ServerProcess> &server)
    {
        server->kill(SIGKILL);
        EXPECT_TRUE(server->exitCode().has_value());
        --servers_;
    }
    static HttpHeaders headers()
    {
        HttpHeaders headers = adminHeaders();
        headers["Content-Type"] = "application/json";
        return headers;
    }
    HttpReply post(const std::string &path, const std::string &body)
    {
        return client_->post(path, body, headers()).value();
    }
    HttpReply set(const std::string &name, const std::string &value)
    {
        return post("/admin/config", R"({"param":")" + name + R"(","value":)" + value + "}");
    }
    static Json::Value get(HttpClient &client, const std::string &path)
    {
        return client.get(path, adminHeaders()).value().json();
    }
    static std::string valueOf(HttpClient &client, const std::string &name)
    {
        return get(client, "/admin/config")["values"][name].asString();
    }
    static bool comesWithin(std::chrono::milliseconds time, const std::function<bool()> &there)
    {
        const auto end = std::chrono::steady_clock::now() + time;
        while (!there())
        {
            if (std::chrono::steady_clock::now() > end)
            {
                return false;
            }
        }
        return true;
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> one_;
    std::unique_ptr<HttpClient> client_;
    int servers_ = 0;
};

TEST_F(AdminSettings, ActHereAtOnceOnAnotherInstanceWithinASecondAndAfterARestart)
{
    auto two = server("two");
    HttpClient other(two->port());
    EXPECT_EQ(valueOf(other, "RetryAfterMinSeconds"), "1");
    const auto reply = set("retry_after_min_seconds", "111");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.body, R"({"name":"retry_after_min_seconds","value":111,)"
                          R"("message":"Configuration updated successfully"})");
    EXPECT_EQ(client_->post(kInputProof, proofBody(1).text()).value().header("retry-after"), "111");
    EXPECT_TRUE(comesWithin(std::chrono::seconds(1), [&] {
        return other.post(kInputProof, proofBody(1).text()).value().header("retry-after") == "111";
    }));
    kill(two);
    two = server("two");
    HttpClient again(two->port());
    EXPECT_EQ(again.post(kInputProof, proofBody(1).text()).value().header("retry-after"), "111");
    const auto parameters = get(again, "/admin/parameters");
    bool found = false;
    for (const auto &each : parameters["parameters"])
    {
        if (each["name"] == "retry_after_min_seconds")
        {
            found = true;
            EXPECT_EQ(each["value"], 111);
            EXPECT_EQ(each["configured"], 1);
            EXPECT_EQ(each["origin"], "admin");
            EXPECT_EQ(each["changed_by"], "admin@127.0.0.1");
        }
        else
        {
            EXPECT_EQ(each["origin"], "configuration") << each["name"];
        }
    }
    EXPECT_TRUE(found);
}

// contract/retry-after.md §5.3
TEST_F(AdminSettings, ABadValueIs400WithTheReasonAndChangesNothing)
{
    const auto before = client_->get("/admin/config", adminHeaders()).value().body;
    const std::string tps = "input_proof_throttler_tps";
    const auto refused = [this](const std::string &name, const std::string &value) {
        const auto reply = set(name, value);
        EXPECT_EQ(reply.status, 400) << name << " " << value;
        return reply.json()["error"].asString();
    };
    EXPECT_EQ(refused("nothing", "1"), "Unknown configuration parameter: nothing");
    EXPECT_EQ(refused(tps, "0"), tps + " must be greater than 0");
    EXPECT_EQ(refused(tps, "1001"), tps + " must be less than or equal to 1000");
    EXPECT_EQ(refused(tps, "50.0"), "Type mismatch: expected u32, got f32");
    EXPECT_EQ(refused("retry_after_safety_margin", "1"), "Type mismatch: expected f32, got u32");
    EXPECT_EQ(refused("retry_after_safety_margin", "1.5"), "Value 1.5 is out of range [0, 1]");
    EXPECT_THAT(refused("retry_after_min_seconds", "301"),
                HasSubstr("retry_after_max_seconds must not be less than"));
    EXPECT_THAT(refused("log_level", R"("loud")"), HasSubstr("log_level"));
    EXPECT_EQ(set(tps, R"("50")").status, 422);
    EXPECT_EQ(set(tps, "null").status, 422);
    EXPECT_EQ(post("/admin/config", "{").status, 400);
    EXPECT_EQ(client_->post("/admin/config", "{}", adminHeaders()).value().status, 415);
    EXPECT_EQ(post("/admin/parameters", R"({"changes":{"client_burst":7,")" + tps + R"(":0}})")
                  .json()["error"],
              tps + " must be greater than 0");
    EXPECT_EQ(client_->get("/admin/config", adminHeaders()).value().body, before);
    EXPECT_EQ(database_->value("SELECT count(*) FROM setting"), "0");
}

TEST_F(AdminSettings, SeveralChangeTogetherAndAreTakenBackTogether)
{
    auto reply = post("/admin/parameters",
                      R"({"changes":{"retry_after_min_seconds":400,)"
                      R"("retry_after_max_seconds":500,"log_level":"debug"},"revision":0})");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.json()["revision"], 1);
    EXPECT_EQ(valueOf(*client_, "LogLevel"), "debug");
    EXPECT_EQ(client_->post(kInputProof, proofBody(1).text()).value().header("retry-after"), "400");
    EXPECT_TRUE(one_->printed("DEBUG"));
    reply = post("/admin/parameters", R"({"changes":{"log_level":"info"},"revision":0})");
    EXPECT_EQ(reply.status, 412) << "somebody else was quicker";
    reply = post("/admin/parameters", R"({"changes":{"retry_after_min_seconds":null,)"
                                      R"("retry_after_max_seconds":null,"log_level":null}})");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(valueOf(*client_, "RetryAfterMaxSeconds"), "300");
}

TEST_F(AdminSettings, EachRateAndConcurrencyIsThatOfItsQueue)
{
    EXPECT_EQ(post("/admin/parameters", R"({"changes":{"input_proof_throttler_tps":11,)"
                                        R"("user_decrypt_throttler_tps":12,)"
                                        R"("public_decrypt_throttler_tps":13,)"
                                        R"("user_decrypt_readiness_max_concurrency":14,)"
                                        R"("public_decrypt_readiness_max_concurrency":15}})")
                  .status,
              200);
    std::map<std::string, int> found;
    const Json::Value queues = get(*client_, "/admin/queues")["queues"];
    for (const Json::Value &queue : queues)
    {
        const bool paced = queue.isMember("per_second");
        found[queue["name"].asString()] = queue[paced ? "per_second" : "max_concurrency"].asInt();
    }
    EXPECT_EQ(found, (std::map<std::string, int>{{"input_proof_tx_throttler", 11},
                                                 {"user_decrypt_tx_throttler", 12},
                                                 {"public_decrypt_tx_throttler", 13},
                                                 {"user_decrypt_readiness_throttler", 14},
                                                 {"public_decrypt_readiness_throttler", 15}}));
}

// Each number is in one of the answers, and no two in the same way.
TEST_F(AdminSettings, NominalTimesMarginAndBackoffAreInWhatClientsAreTold)
{
    EXPECT_EQ(post("/admin/parameters", R"({"changes":{"nominal_readiness_check_seconds":7,)"
                                        R"("nominal_input_proof_processing_seconds":11,)"
                                        R"("nominal_user_decrypt_processing_seconds":23,)"
                                        R"("nominal_public_decrypt_processing_seconds":31,)"
                                        R"("nominal_tx_confirmation_ms":2000,)"
                                        R"("retry_after_safety_margin":0.5,)"
                                        R"("copro_kms_backoff_intervals":"0s=101s, 1m=102s"}})")
                  .status,
              200);
    const auto posted = [this](const Post &what, const std::string &seconds) {
        const HttpReply reply = client_->post(what.path, what.body).value();
        EXPECT_EQ(reply.status, 202) << reply.body;
        EXPECT_EQ(reply.header("retry-after"), seconds) << what.path;
        return reply.header("location");
    };
    const auto moved = [this](const std::string &path, const std::string &assignments) {
        database_->query("UPDATE request SET " + assignments + " WHERE job_id = '" +
                         path.substr(path.rfind('/') + 1) + "'");
        return client_->get(path).value().header("retry-after");
    };
    const std::string proof =
        posted({std::string(kInputProof), proofBody(1).text()}, "20");   // (11 + 2) * 1.5
    const std::string open = posted(postOf(publicOf(1)), "50");          // (31 + 2) * 1.5
    const std::string user = posted(postOf(byUser(directOf(1))), "38");  // (23 + 2) * 1.5
    EXPECT_EQ(moved(open, "owner = 4711"), "60") << "7, 31 and 2, and a half";
    EXPECT_EQ(moved(user, "status = 'tx_in_flight'"), "35") << "23 and a half of it";
    EXPECT_EQ(moved(proof, "status = 'receipt_received', status_at = now()"), "101");
    EXPECT_EQ(moved(proof, "status_at = now() - interval '90 seconds'"), "102");
}

TEST_F(AdminSettings, ClientLimitsCanBeSwitchedOnAndOff)
{
    EXPECT_EQ(post("/admin/parameters",
                   R"({"changes":{"client_requests_per_minute":1,"client_burst":1}})")
                  .status,
              200);
    EXPECT_EQ(client_->post(kInputProof, proofBody(1).text()).value().status, 202);
    EXPECT_EQ(client_->post(kInputProof, proofBody(2).text()).value().status, 429);
    EXPECT_EQ(set("client_requests_per_minute", "0").status, 200);
    EXPECT_EQ(client_->post(kInputProof, proofBody(2).text()).value().status, 202);
}

TEST_F(AdminSettings, PausedIntakeIs503WithTheTimeOnAllInstancesAndAfterARestart)
{
    auto two = server("two");
    HttpClient other(two->port());
    const std::string job =
        client_->post(kInputProof, proofBody(1).text()).value().json()["job_id"].asString();
    const auto paused = post("/admin/intake/pause", R"({"reason":"x","retry_after_seconds":77})");
    EXPECT_EQ(paused.status, 200) << paused.body;
    const auto here = client_->post(kInputProof, proofBody(2).text()).value();
    EXPECT_EQ(here.status, 503);
    EXPECT_EQ(labelOf(here), "protocol_paused");
    EXPECT_EQ(here.header("retry-after"), "77");
    EXPECT_TRUE(comesWithin(std::chrono::seconds(1), [&] {
        return other.post(kInputProof, proofBody(2).text()).value().status == 503;
    }));
    EXPECT_EQ(client_->get(std::string(kInputProof) + "/" + job).value().status, 202);
    kill(two);
    two = server("two");
    HttpClient again(two->port());
    EXPECT_EQ(again.post(kInputProof, proofBody(2).text()).value().status, 503);
    EXPECT_EQ(get(again, "/admin/intake")["reason"], "x");
    EXPECT_EQ(again.post("/admin/intake/resume", "", adminHeaders()).value().status, 200);
    EXPECT_EQ(again.post(kInputProof, proofBody(2).text()).value().status, 202);
    const auto audit = get(again, "/admin/audit?limit=1");
    EXPECT_EQ(audit["entries"][0]["action"], "resume_intake");
    EXPECT_TRUE(audit.isMember("next"));
}

TEST_F(AdminSettings, OperatorsSeeQueuesInstancesAndLanes)
{
    (void)client_->post(kInputProof, proofBody(1).text());
    const auto queues = get(*client_, "/admin/queues")["queues"];
    ASSERT_EQ(queues.size(), 5U);
    EXPECT_EQ(queues[0]["name"], "input_proof_tx_throttler");
    EXPECT_EQ(queues[0]["waiting"], 1);
    EXPECT_EQ(queues[0]["per_second"], 20);
    Json::Value instances;
    ASSERT_TRUE(comesWithin(std::chrono::seconds(10), [&] {
        instances = get(*client_, "/admin/instances")["instances"];
        return instances.size() == 1;
    }));
    EXPECT_EQ(instances[0]["name"], "one");
    EXPECT_TRUE(instances[0]["this_one"].asBool());
    database_->query(
        "INSERT INTO signer_lane (name, address, next_nonce)"
        " VALUES ('main', '\\x1111111111111111111111111111111111111111', 7)");
    const auto lane = get(*client_, "/admin/lanes")["lanes"][0];
    EXPECT_EQ(lane["address"], "0x1111111111111111111111111111111111111111");
    EXPECT_EQ(lane["next_nonce"], 7);
    EXPECT_EQ(lane["state"], "free");
    EXPECT_EQ(post("/admin/lanes/main/pause", R"({"reason":"fees"})").json()["paused"], true);
    EXPECT_EQ(get(*client_, "/admin/lanes")["lanes"][0]["state"], "paused");
    EXPECT_EQ(post("/admin/lanes/main/resume", "").json()["paused"], false);
    EXPECT_EQ(post("/admin/lanes/other/pause", "").status, 404);
    for (const std::string query : {"before=0", "before=x", "limit=0", "limit=1001"})
    {
        EXPECT_EQ(client_->get("/admin/audit?" + query, adminHeaders()).value().status, 400);
    }
}

TEST_F(AdminSettings, AnInstanceIsDrainedByAnOperator)
{
    EXPECT_EQ(post("/admin/drain", R"({"instance":"two"})").status, 409);
    EXPECT_EQ(client_->get("/healthz").value().status, 200);
    const auto reply = post("/admin/drain", R"({"instance":"one"})");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(one_->exitCode(), 0) << one_->output();
    EXPECT_EQ(database_->value("SELECT action || subject FROM audit"), "drainone");
}
}  // namespace
}  // namespace relayer::test
