// What the benchmarks share: percentiles, pgbench beside us in the same run, and the records that
// the report is made of.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
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

// One line of the report (docs/benchmarks.md). A baseline without a name is none. `ratio` is of
// rounds that ran in turn, so it need not be the one of the two values; 0 is none. The target is in
// words (atLeast, atMost), empty where nothing is judged.
struct Measurement
{
    std::string section;
    std::string name;
    double value = 0;
    std::string unit;
    std::string baseline = {};  // NOLINT(readability-redundant-member-init): GCC asks for it
    double baselineValue = 0;
    double ratio = 0;
    std::string target = {};  // NOLINT(readability-redundant-member-init): the same
};

inline std::string inWords(const char *bound, double limit)
{
    std::ostringstream text;
    text << bound << ' ' << limit;
    return text.str();
}
inline std::string atLeast(double ratio)
{
    return inWords("at least", ratio);
}
inline std::string atMost(double ratio)
{
    return inWords("at most", ratio);
}

// Larger sizes and longer rounds, for who has the time.
inline bool fullSize()
{
    const char *full = std::getenv("RELAYER_BENCH_FULL");
    return full != nullptr && *full != 0;
}

// Appends it to the file that RELAYER_BENCH_RECORDS names, tab-separated; without one, nothing.
inline void record(const Measurement &one)
{
    const char *path = std::getenv("RELAYER_BENCH_RECORDS");
    if (path == nullptr || *path == 0)
    {
        return;
    }
    std::ofstream file(path, std::ios::app);
    file.precision(6);
    file << program_invocation_short_name << '\t' << one.section << '\t' << one.name << '\t'
         << one.value << '\t' << one.unit << '\t' << one.baseline << '\t' << one.baselineValue
         << '\t' << one.ratio << '\t' << one.target << '\n';
    if (!file.flush())
    {
        throw std::runtime_error(std::string("no record can be written to ") + path);
    }
}

// The exit code of a benchmark: what it says, or 1 when it could not measure.
template <typename Run>
int exitCodeOf(const Run &run)
{
    try
    {
        return run();
    }
    catch (const std::exception &error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }
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
