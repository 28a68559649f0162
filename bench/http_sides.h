// Servers that are compared: each has its connections, and a series of what it did in the rounds.
#pragma once

#include "bench/http_load.h"
#include "bench/processes.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace relayer::bench
{
inline constexpr std::chrono::seconds kTime{3};

struct Series
{
    std::vector<double> perSecond;
    std::vector<double> p50;
    std::vector<double> p99;
    std::vector<double> micros;  // of the server's processor, for each

    void add(const HttpOutcome &outcome, double seconds)
    {
        micros.push_back(1e6 * seconds / static_cast<double>(outcome.answers));
        perSecond.push_back(outcome.perSecond);
        p50.push_back(outcome.p50);
        p99.push_back(outcome.p99);
    }
};

inline void print(const char *what, const Series &series)
{
    std::printf("  %-34s %8.0f/s   p50 %6.2f ms   p99 %6.2f ms   %5.0f us of processor\n", what,
                median(series.perSecond), median(series.p50), median(series.p99),
                median(series.micros));
}

inline bool verdict(const char *what, const std::vector<double> &ratios, double target)
{
    const double ratio = median(ratios);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    std::printf("  ratio to %-28s %5.2f (%.2f to %.2f, at least %.2f)%s\n", what, ratio, *least,
                *most, target, ratio >= target ? "" : "  BELOW");
    std::fflush(stdout);
    return ratio >= target;
}

// Into the report: how many a second, beside how many of the baseline, as the verdict takes it. A
// target of 0 is none.
inline void recordRates(const std::string &section, const char *what, const Series &series,
                        const char *baseline, double baselinePerSecond,
                        const std::vector<double> &ratios, double target)
{
    record({section, what, median(series.perSecond), "requests/s", baseline, baselinePerSecond,
            median(ratios), target > 0 ? atLeast(target) : ""});
}
inline void recordLatency(const std::string &section, const char *what, const Series &series,
                          const char *baseline, const Series &beside)
{
    const auto ratio = [](const std::vector<double> &mine, const std::vector<double> &theirs) {
        return median(mine) / median(theirs);
    };
    const std::string name(what);
    record({section, name + ", median latency", median(series.p50), "ms", baseline,
            median(beside.p50), ratio(series.p50, beside.p50)});
    record({section, name + ", 99th percentile", median(series.p99), "ms", baseline,
            median(beside.p99), ratio(series.p99, beside.p99)});
    record({section, name + ", processor each", median(series.micros), "us", baseline,
            median(beside.micros), ratio(series.micros, beside.micros)});
}

struct Server
{
    std::uint16_t port = 0;
    pid_t process = 0;
};

// A server and the connections to it.
class Side
{
  public:
    Side(const Server &server, std::size_t connections)
        : process_(server.process), load_(server.port, connections)
    {}

    double run(const HttpLoad::Request &request, int status, Series &series,
               std::chrono::milliseconds time = kTime)
    {
        const double before = processorSeconds(process_);
        const HttpOutcome outcome = load_.run(request, status, time);
        series.add(outcome, processorSeconds(process_) - before);
        return outcome.perSecond;
    }

  private:
    const pid_t process_;
    HttpLoad load_;
};
}  // namespace relayer::bench
