// What who watches sees of a server that has been busy: every metric of the reference under its
// name and labels, and a log that says each milestone and no secret.
#include "core/bytes.h"
#include "e2e/admin_server.h"
#include "e2e/chain_world.h"
#include "e2e/decrypt_bodies.h"
#include "e2e/reference_metrics.h"
#include "e2e/share_server.h"
#include "support/eventually.h"
#include "support/exposition.h"
#include "support/source_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/wait.h>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;
using testing::Not;

const std::string kTraceId = "0af7651916cd43dd8448eb211c80319c";

std::uint16_t metricsPort(const std::string &output)
{
    return portBehind(output, "metrics on http://127.0.0.1:");
}

// One busy server for all the tests of the suite.
class Observed : public testing::Test
{
  protected:
    static constexpr std::uint64_t kRequests = 40;  // the last input proof is a bad one

    static void SetUpTestSuite()
    {
        if (whyNoServer() || !Devnet::whyMissing().empty())
        {
            return;
        }
        busy_ = std::make_unique<Busy>();
    }
    static void TearDownTestSuite() { busy_.reset(); }
    void SetUp() override { RELAYER_NEEDS_CHAIN(); }

    struct Busy
    {
        Busy() : world(devnet), server(optionsOf(*this))
        {
            EXPECT_TRUE(server.becomesHealthy()) << server.output();
            HttpClient client(server.port());
            for (std::uint64_t number = 0; number < kRequests; ++number)
            {
                const ChainRequest request = world.requestOf(number);
                const HttpHeaders headers = {
                    {"traceparent",
                     number == 0 ? "00-" + kTraceId + "-b7ad6b7169203331-01" : "00-not-a-trace-01"},
                    {"x-request-id", "exchange-" + std::to_string(number)},
                    {"zama-sdk-name", "@zama-fhe/relayer-sdk"},
                    {"zama-sdk-version", "0.4.3"},
                    {"authorization", "Bearer of-a-client"}};
                world.note(number, client.post(request.path, request.body, headers));
            }
            EXPECT_TRUE(world.allEnd(server)) << world.story() << server.output();
            // The same again, and what is refused.
            EXPECT_TRUE(world.submit(0, server));
            EXPECT_EQ(client.post(kInputProof, "{").value().status, 400);
            EXPECT_EQ(client.get(std::string(kUnified) + "/nonsense").value().status, 400);
            EXPECT_EQ(pollToTheEnd(server, world.jobPathOf(4)).status, 200);
            EXPECT_EQ(client.get("/v2/keyurl").value().status, 200);
            sendAShare(client);
        }
        void sendAShare(HttpClient &client)
        {
            votes.addRound(testRound(), secondsNow() + 86'400);
            votes.addLeaves(3);
            EXPECT_TRUE(becomes([&client] { return client.get(kHelperStatus)->status == 200; }));
            EXPECT_EQ(client.post(kShares, shareBody(voteShare(1), 0))->status, 200);
            EXPECT_TRUE(becomes([this] {
                return metrics().find("relayer_share_attempts_total{") != std::string::npos;
            })) << server.output();
        }
        // All of it is on, the share scheduler too, so that every family is there.
        static ServerOptions optionsOf(const Busy &busy)
        {
            ServerOptions options = busy.world.serverOptions();
            const std::string shares = "RELAYER_SHARE_SCHEDULER__";
            options.environment[shares + "ENABLED"] = "true";
            options.environment[shares + "WITNESS_KEYS"] = std::string(64, 'a');
            options.environment[shares + "CHAIN"] = busy.votes.url();
            options.environment[shares + "PROVER_LIBRARY"] = shareLibrary();
            options.environment["RELAYER_METRICS__ENABLED"] = "true";
            options.environment["RELAYER_METRICS__PORT"] = "0";
            options.environment["RELAYER_LOG__LEVEL"] = "trace";
            options.environment["RELAYER_LOG__FORMAT"] = "json";
            return options;
        }
        [[nodiscard]] std::string metrics()
        {
            return HttpClient(metricsPort(server.output())).get("/metrics").value().body;
        }

        const Devnet devnet;
        ChainWorld world;
        FakeVoteChain votes;
        ServerProcess server;
    };
    static std::unique_ptr<Busy> busy_;
};

std::unique_ptr<Observed::Busy> Observed::busy_;

TEST_F(Observed, EachMetricOfTheReferenceIsThereWithItsLabels)
{
    const Exposition found(busy_->metrics());
    EXPECT_THAT(found.problems(), testing::IsEmpty());
    for (const ReferenceMetric &row : metricsOfTheReference())
    {
        const MetricFamily *family = found.family(row.name);
        ASSERT_NE(family, nullptr) << row.name;
        EXPECT_EQ(family->type, row.type) << row.name;
        const std::string sample = row.name + (row.type == "histogram" ? "_count" : "");
        for (const MetricLabels &labels : row.samples)
        {
            EXPECT_FALSE(found.find(sample, labels).empty())
                << row.name << testing::PrintToString(labels);
        }
        for (const MetricSample &each : family->samples)
        {
            std::set<std::string> names;
            for (const auto &label : each.labels)
            {
                names.insert(label.first);
            }
            names.erase("le");
            EXPECT_EQ(names, row.labels) << each.name;
        }
    }
}

TEST_F(Observed, EachFamilyOfTheShareSchedulerIsThere)
{
    const Exposition found(busy_->metrics());
    for (const std::string name : {"attempts_total", "chain_away", "held", "lateness_seconds",
                                   "posts_total", "posts_without_time_total", "proving",
                                   "rounds_closed_unsubmitted_total", "unsubmitted_total"})
    {
        EXPECT_NE(found.family("relayer_share_" + name), nullptr) << name;
    }
    EXPECT_EQ(found.value("relayer_share_posts_total", {{"outcome", "queued"}}), 1);
    EXPECT_EQ(found.value("relayer_share_attempts_total", {{"end", "on_the_chain"}}), 1);
    EXPECT_EQ(found.value("relayer_share_lateness_seconds_count"), 1);
}

TEST_F(Observed, NumbersAreThoseOfWhatHappened)
{
    // The engine says once a second how it stands.
    ASSERT_TRUE(
        eventually([] { return Exposition(busy_->metrics()).value("relayer_lane_held") == 1; }));
    const Exposition found(busy_->metrics());
    const auto sum = [&found](const std::string &name, const MetricLabels &labels) {
        double all = 0;
        for (const MetricSample &sample : found.find(name, labels))
        {
            all += sample.value;
        }
        return all;
    };
    const double rows = static_cast<double>(kRequests);
    EXPECT_EQ(sum("relayer_requests_admitted_total", {}), rows);
    EXPECT_EQ(sum("relayer_dedup_hits_total", {{"req_type", "input_proof"}}), 1);
    EXPECT_EQ(sum("relayer_transaction_count", {{"transaction_status", "confirmed"}}), rows);
    EXPECT_EQ(sum("relayer_transaction_count", {{"transaction_status", "failed"}}), 0);
    EXPECT_EQ(sum("relayer_transaction_duration_secs_count", {}), rows);
    EXPECT_EQ(sum("relayer_request_duration_seconds_count", {}), rows);
    EXPECT_EQ(sum("relayer_request_duration_seconds_count", {{"outcome", "rejected"}}), 1);
    EXPECT_EQ(sum("relayer_request_count", {}), rows);
    EXPECT_EQ(sum("relayer_request_count", {{"status", "completed"}}), rows - 1);
    EXPECT_EQ(sum("relayer_transaction_pending_gauge", {}), 0);
    EXPECT_EQ(
        found.value("relayer_user_decrypt_signature_precheck_total", {{"outcome", "accepted"}}),
        rows / kSorts);
    EXPECT_EQ(found.value("relayer_database_up"), 1);
    EXPECT_EQ(found.value("relayer_lane_held"), 1);
    EXPECT_GT(found.value("relayer_listener_last_block").value_or(0), 0);
    EXPECT_GE(found.value("relayer_listener_lag_blocks").value_or(-1), 0);
    EXPECT_GT(sum("relayer_inbox_events", {}), 0);
    EXPECT_GT(found.value("relayer_kms_shares_stored_total").value_or(0), 0);
    EXPECT_GT(found.value("relayer_wallet_gas_balance").value_or(0), 0);
    EXPECT_GT(found.value("relayer_wallet_fee_balance").value_or(0), 0);
    EXPECT_GT(found.value("relayer_wallet_fee_allowance").value_or(0), 0);
    EXPECT_EQ(sum("relayer_batch_rows_sum", {{"batch", "admissions"}}), rows + 1);
    EXPECT_GT(sum("relayer_event_loop_lag_seconds_count", {{"loop", "TxEngine"}}), 0);
    EXPECT_EQ(sum("relayer_event_loop_lag_seconds_count", {{"loop", "other"}}), 0)
        << "a new loop wants a name in plugins/loop_lag.cc";
    EXPECT_EQ(sum("relayer_db_pool_available", {}), 2);
    EXPECT_GT(sum("relayer_rpc_calls_total", {{"endpoint", "devnet"}}), 0);
    EXPECT_EQ(sum("relayer_waiters", {}), 0);
    EXPECT_EQ(sum("relayer_recovery_done", {}), 1);
    EXPECT_EQ(found.value("relayer_log_lines_dropped_total"), 0);
}

std::vector<Json::Value> linesOf(const std::string &output)
{
    std::vector<Json::Value> lines;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);)
    {
        if (line.starts_with("metrics on ") || line.starts_with("listening on "))
        {
            continue;
        }
        HttpReply reply;
        reply.body = line;
        lines.push_back(reply.json());
        EXPECT_TRUE(lines.back().isObject()) << line;
    }
    return lines;
}

TEST_F(Observed, TheLogHasALineForEachMilestoneOfARequest)
{
    const std::vector<Json::Value> lines = linesOf(busy_->server.output());
    // A proof, a public and a user decryption.
    const std::map<std::uint64_t, std::vector<std::string>> expected = {
        {0,
         {"admitted", "dispatched", "tx_signed", "tx_sent", "receipt_received", "response_received",
          "completed"}},
        {1,
         {"admitted", "readiness_started", "readiness_passed", "dispatched", "tx_signed", "tx_sent",
          "receipt_received", "response_received", "completed"}},
        {2,
         {"admitted", "readiness_started", "readiness_passed", "dispatched", "tx_signed", "tx_sent",
          "share_received", "receipt_received", "completed"}}};
    bool joined = false;
    for (const auto &[number, steps] : expected)
    {
        const std::string path = busy_->world.jobPathOf(number);
        const std::string job = path.substr(path.rfind('/') + 1);
        std::set<std::string> seen;
        for (const Json::Value &line : lines)
        {
            if (line["job_id"].asString() != job)
            {
                continue;
            }
            seen.insert(line["step"].asString());
            EXPECT_FALSE(line["kind"].asString().empty()) << line;
            EXPECT_TRUE(line["duration_ms"].isInt()) << line;
            EXPECT_EQ(line["trace_id"].asString().size(), 32U) << line;
            if (line["step"] == "joined")
            {
                // An exchange of its own.
                joined = true;
                EXPECT_FALSE(line["request_id"].asString().empty()) << line;
                continue;
            }
            EXPECT_EQ(line["request_id"].asString(), "exchange-" + std::to_string(number)) << line;
            EXPECT_EQ(line["trace_id"] == kTraceId, number == 0) << "what is no trace is replaced";
            EXPECT_TRUE(line["step"] != "completed" || line["age_ms"].isInt()) << line;
        }
        for (const std::string &step : steps)
        {
            EXPECT_TRUE(seen.contains(step)) << number << " " << step;
        }
    }
    EXPECT_TRUE(joined) << "the first one came twice";
}

// At level trace, so that it is all that is ever logged, Drogon's own lines too.
TEST_F(Observed, TheLogHasNoSecretNoUrlAndNothingOfAPayload)
{
    std::string log;
    std::istringstream stream(busy_->server.output());
    for (std::string line; std::getline(stream, line);)
    {
        if (!line.starts_with("metrics on ") && !line.starts_with("listening on "))
        {
            log += line + "\n";
        }
    }
    ASSERT_GT(log.size(), 10'000U);
    EXPECT_THAT(log, Not(HasSubstr("://")));
    EXPECT_THAT(log, Not(HasSubstr("of-a-client"))) << "headers hold secrets";
    EXPECT_THAT(log, Not(HasSubstr(busy_->devnet.relayerKey().substr(2))));
    for (std::uint64_t number = 0; number < kRequests; ++number)
    {
        // Every hex string of a body that is longer than a hash, and its signature above all.
        const std::string body = busy_->world.requestOf(number).body;
        for (std::size_t at = 0; at < body.size();)
        {
            const std::size_t end = body.find_first_not_of("0123456789abcdefABCDEF", at);
            const std::size_t length = std::min(end, body.size()) - at;
            if (length > 64)
            {
                EXPECT_THAT(log, Not(HasSubstr(body.substr(at, 40)))) << "request " << number;
            }
            at += std::max<std::size_t>(length, 1);
        }
    }
}

std::string contentOf(const std::filesystem::path &path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// docs/metrics.md, as this server explains itself.
std::string metricsDocument(const Exposition &found)
{
    std::string text =
        "# Metrics\n\nWhat `/metrics` shows; written from a running server's own words by"
        " `RELAYER_UPDATE_DOCS=1 ./test Observed`.\nHow to read them, and what to do when an alert"
        " fires: [operations.md](operations.md#metrics).\n\n"
        "| name | type | labels | what |\n|---|---|---|---|\n";
    for (const auto &[name, family] : found.families())
    {
        std::set<std::string> labels;
        for (const MetricSample &sample : family.samples)
        {
            for (const auto &label : sample.labels)
            {
                labels.insert(label.first);
            }
        }
        labels.erase("le");
        std::string list;
        for (const std::string &label : labels)
        {
            list += (list.empty() ? "`" : ", `") + label + "`";
        }
        text += "| `" + name + "` | " + family.type + " | " + list + " | " + family.help + " |\n";
    }
    return text;
}

TEST_F(Observed, TheirReferenceIsCurrent)
{
    const auto file = sourceDir() / "docs/metrics.md";
    const std::string document = metricsDocument(Exposition(busy_->metrics()));
    const char *update = std::getenv("RELAYER_UPDATE_DOCS");
    if (update != nullptr && std::string(update) == "1")
    {
        std::ofstream(file) << document;
    }
    EXPECT_EQ(contentOf(file), document) << "write it anew: RELAYER_UPDATE_DOCS=1 ./test Observed";
}

TEST_F(Observed, EachMetricThatADashboardOrAnAlertNamesIsThere)
{
    const Exposition found(busy_->metrics());
    std::size_t names = 0;
    for (const std::string path : {"deploy/prometheus/alerts.yml", "deploy/grafana/relayer.json"})
    {
        const std::string text = contentOf(sourceDir() / path);
        for (const std::string start : {"relayer_", "process_"})
        {
            for (std::size_t at = text.find(start); at != std::string::npos;
                 at = text.find(start, at + 1))
            {
                if (at > 0 && (std::isalnum(text[at - 1]) != 0 || text[at - 1] == '_'))
                {
                    continue;
                }
                std::string name = text.substr(
                    at, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at) - at);
                for (const std::string suffix : {"_bucket", "_sum", "_count"})
                {
                    const std::string family = name.substr(0, name.size() - suffix.size());
                    const MetricFamily *known =
                        name.ends_with(suffix) ? found.family(family) : nullptr;
                    name = known != nullptr && known->type == "histogram" ? family : name;
                }
                EXPECT_NE(found.family(name), nullptr) << path << " names " << name;
                ++names;
            }
        }
    }
    EXPECT_GT(names, 60U);
}

// Where Prometheus' own checker is installed (Debian: prometheus), it reads all of it.
TEST_F(Observed, PromtoolFindsNothingWrong)
{
    // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): a program of the test's machine
    if (std::system("command -v promtool >/dev/null") != 0)
    {
        GTEST_SKIP() << "allowed: promtool is not installed";
    }
    const std::string rules =
        "promtool check rules '" + (sourceDir() / "deploy/prometheus/alerts.yml").string() + "'";
    EXPECT_EQ(std::system(rules.c_str()), 0);  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    // NOLINTNEXTLINE(cert-env33-c): as above
    FILE *const promtool = popen("promtool check metrics", "w");
    ASSERT_NE(promtool, nullptr);
    const std::string text = busy_->metrics();
    std::fwrite(text.data(), 1, text.size(), promtool);
    // 3: it finds names that it would choose otherwise; those of the reference have to stay.
    const int code = pclose(promtool);
    EXPECT_TRUE(WIFEXITED(code) && (WEXITSTATUS(code) == 0 || WEXITSTATUS(code) == 3)) << code;
}

// With the gauges of the database: a second instance and a restart say what the first one said.
TEST_F(Observed, WhatTheDatabaseKnowsIsRightAtAnotherInstanceFromTheStart)
{
    ServerOptions options = Busy::optionsOf(*busy_);
    options.environment["RELAYER_INSTANCE__NAME"] = "another";
    ServerProcess another(options);
    ASSERT_TRUE(another.becomesHealthy()) << another.output();
    const Exposition here(HttpClient(metricsPort(another.output())).get("/metrics").value().body);
    const Exposition there(busy_->metrics());
    const auto counts = there.find("relayer_request_count");
    EXPECT_GE(counts.size(), 20U);
    for (const MetricSample &sample : counts)
    {
        EXPECT_EQ(here.value("relayer_request_count", sample.labels), sample.value)
            << testing::PrintToString(sample.labels);
    }
    EXPECT_EQ(here.value("relayer_requests_admitted_total", {{"req_type", "input_proof"}}), 0)
        << "which each instance counts for itself";
    EXPECT_EQ(here.value("relayer_lane_held"), 0);
}
}  // namespace
}  // namespace relayer::test
