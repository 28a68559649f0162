// What counting costs those who poll: our server with metrics, and with `metrics.count` off, asked
// in turn for the same jobs. Ten runs of each; the ratio is the median of theirs. A run is cut into
// short slices that alternate with the other's, so that what else the machine does falls on both.
// Exits with 1 when polls are more than a twentieth slower.
#include "bench/http_sides.h"
#include "bench/measure.h"
#include "bench/poll_jobs.h"
#include "support/server_process.h"
#include "support/test_store.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

namespace
{
using namespace relayer;
using namespace relayer::bench;

constexpr int kRuns = 10;
constexpr int kSlices = 12;  // of each, in a run
constexpr std::chrono::milliseconds kSlice{250};
constexpr std::size_t kConnections = 64;
constexpr double kTarget = 0.95;

test::ServerOptions counting(const test::TestDatabase &database, bool counts)
{
    test::ServerOptions options = serverOptions(database, counts ? "counts" : "silent");
    options.environment["RELAYER_METRICS__COUNT"] = counts ? "true" : "false";
    options.environment["RELAYER_METRICS__ENABLED"] = "true";
    options.environment["RELAYER_METRICS__PORT"] = "0";
    // One of them sweeps for both.
    options.environment["RELAYER_SWEEPER__INTERVAL"] = "1h";
    return options;
}

Server serverOf(test::ServerProcess &process)
{
    return {process.port(), process.process()};
}

bool compare(const char *what, const Server &on, const Server &off,
             const std::vector<std::string> &ids, int status)
{
    const std::string path(kInputProof);
    Side with(on, kConnections);
    Side without(off, kConnections);
    Series counted;
    Series silent;
    std::vector<double> ratios;
    for (int run = 0; run < kRuns; ++run)
    {
        double mine = 0;
        double other = 0;
        for (int slice = 0; slice < 2 * kSlices; ++slice)
        {
            // with, without, without, with: neither is always the one that comes after the other
            if (slice % 4 == 0 || slice % 4 == 3)
            {
                mine += with.run(anyOf(path, ids), status, counted, kSlice);
            }
            else
            {
                other += without.run(anyOf(path, ids), status, silent, kSlice);
            }
        }
        ratios.push_back(mine / other);
    }
    std::printf("GET %s/…, %s, %zu connections\n", path.c_str(), what, kConnections);
    print("with metrics", counted);
    print("without", silent);
    // What else the machine did shows in the clock, not in this.
    std::printf("  processor for each, without to with: %.3f\n",
                median(silent.micros) / median(counted.micros));
    recordRates("Counting", (std::string("GET, ") + what).c_str(), counted, "without metrics",
                median(silent.perSecond), ratios, kTarget);
    return verdict("polls without metrics", ratios, kTarget);
}

int run()
{
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    const test::TestDatabase database;
    test::TestStore store(database);
    test::ServerProcess on(counting(database, true));
    test::ServerProcess off(counting(database, false));
    if (!on.becomesHealthy() || !off.becomesHealthy())
    {
        std::cerr << "a server did not start\n" << on.output() << off.output();
        return 1;
    }
    const Jobs jobs = fill(database, store);
    const bool live = compare("a job that lives", serverOf(on), serverOf(off), jobs.live, 202);
    const bool ended =
        compare("a job that has ended", serverOf(on), serverOf(off), jobs.ended, 200);
    return live && ended ? 0 : 1;
}
}  // namespace

int main()
{
    return relayer::bench::exitCodeOf(run);
}
