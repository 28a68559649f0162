// What the benchmarks share: percentiles, pgbench beside us in the same run, and a verdict.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace relayer::bench
{
using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// In milliseconds; sorts.
inline double percentile(std::vector<double> &values, double share)
{
    if (values.empty())
    {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
    return values[at];
}

inline double median(std::vector<double> values)
{
    return percentile(values, 0.5);
}

// Transactions per second that pgbench reaches with a script on this database; prepared statements,
// as we use. Throws when pgbench does not run.
inline double pgbench(const std::string &url, const std::string &script, int clients, int seconds,
                      double *averageMs)
{
    char name[] = "/tmp/relayer-bench-XXXXXX";
    const int file = mkstemp(name);
    if (file < 0)
    {
        throw std::runtime_error("no temporary file");
    }
    std::ofstream(name) << script;
    const std::string command = "pgbench -n -M prepared -j 2 -c " + std::to_string(clients) +
                                " -T " + std::to_string(seconds) + " -f " + name + " '" + url +
                                "' 2>/dev/null";
    FILE *pipe = popen(command.c_str(), "r");
    double tps = 0;
    char line[512];
    while (pipe != nullptr && fgets(line, sizeof(line), pipe) != nullptr)
    {
        std::sscanf(line, "tps = %lf", &tps);
        if (averageMs != nullptr)
        {
            std::sscanf(line, "latency average = %lf ms", averageMs);
        }
    }
    const int status = pipe == nullptr ? 1 : pclose(pipe);
    std::remove(name);
    if (status != 0 || tps <= 0)
    {
        throw std::runtime_error("pgbench did not run");
    }
    return tps;
}
}  // namespace relayer::bench
