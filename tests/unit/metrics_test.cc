// Counting, and the text that Prometheus reads.
#include "plugins/http_metrics.h"
#include "plugins/metric_families.h"
#include "plugins/process_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <sched.h>
#include <set>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace relayer::plugins
{
namespace
{
using testing::HasSubstr;
using testing::Not;

template <typename Family>
std::string textOf(const Family &family)
{
    MetricsText text;
    family.write(text);
    return std::move(text).take();
}

std::vector<MetricLabel> twoLabels()
{
    return {{"color", {"red", "green"}}, {"size", {"s", "m", "l"}}};
}

TEST(MetricsText, IsWhatPrometheusReads)
{
    MetricsText text;
    text.family("a_total", "counter", "Counted.");
    text.sample("a_total", {{"why", "say \"no\"\n\\"}}, std::uint64_t{18446744073709551615U});
    text.single("b", "gauge", "Measured.", 0.25);
    EXPECT_EQ(std::move(text).take(),
              "# HELP a_total Counted.\n# TYPE a_total counter\n"
              "a_total{why=\"say \\\"no\\\"\\n\\\\\"} 18446744073709551615\n"
              "# HELP b Measured.\n# TYPE b gauge\nb 0.25\n");
}

TEST(MetricFamilies, EveryCombinationOfValuesHasACellOfItsOwn)
{
    const LabelSpace space(twoLabels());
    std::set<std::string> texts;
    for (std::size_t color = 0; color < 2; ++color)
    {
        for (std::size_t size = 0; size < 3; ++size)
        {
            texts.insert(space.text(space.cell({color, size})));
        }
    }
    EXPECT_EQ(space.size(), 6U);
    EXPECT_EQ(texts.size(), 6U);
    EXPECT_EQ(space.text(space.cell({1, 2})), R"(color="green",size="l")");
}

TEST(MetricFamilies, OnlyWhatWasCountedIsShown)
{
    CounterFamily family("seen_total", "Seen.", twoLabels());
    EXPECT_EQ(textOf(family), "# HELP seen_total Seen.\n# TYPE seen_total counter\n");
    family.add({1, 0});
    family.add({1, 0}, 2);
    EXPECT_THAT(textOf(family), HasSubstr("seen_total{color=\"green\",size=\"s\"} 3\n"));
    EXPECT_THAT(textOf(family), Not(HasSubstr("red")));
}

TEST(MetricFamilies, AHistogramCountsUpToEachBound)
{
    HistogramFamily family("took_seconds", "Took.", {{"who", {"a", "b"}}}, {0.001, 0.5});
    family.observe({0}, 1000);     // at the bound
    family.observe({0}, 1001);     // just above
    family.observe({0}, 2000000);  // above all
    EXPECT_EQ(textOf(family),
              "# HELP took_seconds Took.\n# TYPE took_seconds histogram\n"
              "took_seconds_bucket{who=\"a\",le=\"0.001\"} 1\n"
              "took_seconds_bucket{who=\"a\",le=\"0.5\"} 2\n"
              "took_seconds_bucket{who=\"a\",le=\"+Inf\"} 3\n"
              "took_seconds_sum{who=\"a\"} 2.002001\n"
              "took_seconds_count{who=\"a\"} 3\n");
}

TEST(MetricFamilies, NothingIsLostWhenSeveralThreadsCount)
{
    CounterFamily family("seen_total", "Seen.", twoLabels());
    HistogramFamily times("took_seconds", "Took.", twoLabels(), {1});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
    {
        threads.emplace_back([&] {
            for (int n = 0; n < 10000; ++n)
            {
                family.add({0, 1});
                times.observe({1, 1}, 5);
            }
        });
    }
    for (std::thread &each : threads)
    {
        each.join();
    }
    EXPECT_THAT(textOf(family), HasSubstr("} 40000\n"));
    EXPECT_THAT(textOf(times), HasSubstr("took_seconds_count{color=\"green\",size=\"m\"} 40000\n"));
    EXPECT_THAT(textOf(times), HasSubstr("took_seconds_sum{color=\"green\",size=\"m\"} 0.2\n"));
}

TEST(HttpMetrics, CountRoutesUnderTheNamesOfTheReference)
{
    HttpMetrics http;
    const auto post = HttpMetrics::routeOf("/v2/input-proof", true);
    const auto poll = HttpMetrics::routeOf("/v3/user-decrypt/{job_id}", false);
    ASSERT_TRUE(post && poll);
    http.began(*post, "@zama-fhe/relayer-sdk", "0.4.3");
    http.began(*post, "evil\"name", "0.40");
    http.ended(*post, 202, 30000);
    http.ended(*post, 418, 30000);
    http.ended(*poll, 503, 20000000);
    const std::string text = textOf(http);
    const std::string route = R"({endpoint="/input-proof",method="POST",version="v2")";
    EXPECT_THAT(text, HasSubstr("relayer_http_requests_total" + route +
                                R"(,relayer_sdk_name="@zama-fhe/relayer-sdk",)"
                                R"(relayer_sdk_version="0.4"} 1)"));
    EXPECT_THAT(text, HasSubstr("relayer_http_requests_total" + route +
                                R"(,relayer_sdk_name="unknown",relayer_sdk_version="unknown"} 1)"));
    EXPECT_THAT(text, HasSubstr("relayer_http_responses_total" + route + R"(,status="202"} 1)"));
    EXPECT_THAT(text, HasSubstr("relayer_http_responses_total" + route + R"(,status="other"} 1)"));
    EXPECT_THAT(text, HasSubstr("relayer_http_request_duration_seconds_bucket" + route +
                                R"(,status="202",le="0.05"} 1)"));
    EXPECT_THAT(text, HasSubstr("relayer_http_request_duration_seconds_count{endpoint="
                                R"("/user-decrypt",method="GET",version="v3",status="503"} 1)"));
}

TEST(HttpMetrics, WhatIsNoRouteOfTheContractIsNotCounted)
{
    for (const std::string_view pattern :
         {"", "/", "/v2/", "/v2/nothing", "/v4/input-proof", "/liveness", "/docs", "/openapi.json",
          "/v2/input-proof/{job_id}/events", "/v2/input-proofs"})
    {
        EXPECT_FALSE(HttpMetrics::routeOf(pattern, false)) << pattern;
    }
    for (const std::string_view pattern :
         {"/v2/input-proof", "/v2/public-decrypt/{job_id}", "/v2/user-decrypt",
          "/v2/delegated-user-decrypt/{job_id}", "/v2/keyurl"})
    {
        EXPECT_TRUE(HttpMetrics::routeOf(pattern, false)) << pattern;
    }
}

double processMetric(const std::string &name)
{
    MetricsText written;
    writeProcessMetrics(written);
    const std::string text = std::move(written).take();
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1.0 : std::stod(text.substr(at + name.size() + 2));
}

// For this process, /proc/stat is as it is where systemd's ProcSubset=pid hides it.
bool hideWhatIsOfNoProcess()
{
    return unshare(CLONE_NEWNS) == 0 &&
           mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("/dev/null", "/proc/stat", nullptr, MS_BIND, nullptr) == 0;
}

TEST(ProcessMetrics, KnowTheStartWhereOnlyProcessesAreShown)
{
    constexpr int kNotPermitted = 77;
    const double here = processMetric("process_start_time_seconds");
    const pid_t child = fork();
    if (child == 0)
    {
        if (!hideWhatIsOfNoProcess())
        {
            _exit(kNotPermitted);
        }
        // It has begun just now; that is not before we have, and at most some time ago.
        const double there = processMetric("process_start_time_seconds");
        _exit(there >= here - 1 && there <= static_cast<double>(std::time(nullptr)) + 1 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNotPermitted)
    {
        GTEST_SKIP() << "allowed: namespaces are not permitted here";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ProcessMetrics, SayWhatTheKernelSays)
{
    const auto valueOf = processMetric;
    EXPECT_GT(valueOf("process_resident_memory_bytes"), 1e6);
    EXPECT_GE(valueOf("process_virtual_memory_bytes"), valueOf("process_resident_memory_bytes"));
    EXPECT_GE(valueOf("process_threads"), 1);
    EXPECT_LT(valueOf("process_threads"), 1000);
    EXPECT_GE(valueOf("process_open_fds"), 3);
    EXPECT_GE(valueOf("process_max_fds"), valueOf("process_open_fds"));
    EXPECT_GE(valueOf("process_cpu_seconds_total"), 0);
    // Between 2020 and now.
    EXPECT_GT(valueOf("process_start_time_seconds"), 1577836800);
    EXPECT_LE(valueOf("process_start_time_seconds"), static_cast<double>(std::time(nullptr)) + 1);
}
}  // namespace
}  // namespace relayer::plugins
