// How much memory a request costs the server as long as it lives, beside what it would cost to keep
// it: the same requests in a map of this program, by job id, in the same run. The row in PostgreSQL
// is the truth, so what is in memory is a place in the queue, and of the last 32,768 the exchange
// that brought them in.
//
// Proofs of 400 bytes are posted for a while, and nothing takes them on. Exits with 1 when one
// costs the server as much as keeping it would. RELAYER_BENCH_FULL=1: for longer.
#include "bench/http_load.h"
#include "bench/measure.h"
#include "bench/poll_jobs.h"
#include "bench/processes.h"
#include "support/server_process.h"
#include "support/test_store.h"

#include <trantor/utils/Logger.h>

#include <cstdio>
#include <iostream>
#include <malloc.h>
#include <string>
#include <unordered_map>

namespace
{
using namespace relayer;
using namespace relayer::bench;
using std::chrono::seconds;

constexpr std::size_t kConnections = 64;
constexpr seconds kWarmUp{4};
constexpr double kTarget = 1;

// Bytes of each, as the allocator counts them.
double bytesOfKeeping(std::size_t requests)
{
    const std::size_t before = mallinfo2().uordblks;
    std::unordered_map<std::string, models::NewRequest> kept;
    for (std::size_t i = 0; i < requests; ++i)
    {
        models::NewRequest request = test::newRequest(core::Kind::InputProof, i, i);
        request.payload = core::Bytes(payloadBytes());
        const std::string job = request.jobId.text();
        kept.emplace(job, std::move(request));
    }
    const std::size_t after = mallinfo2().uordblks;
    return static_cast<double>(after - before) / static_cast<double>(kept.size());
}

int run(seconds time)
{
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    const test::TestDatabase database;
    test::ServerProcess server(serverOptions(database, "memory"));
    if (!server.becomesHealthy())
    {
        std::cerr << "the server did not start\n" << server.output();
        return 1;
    }
    const double atStart = mebibytes(server.process(), "VmRSS");
    const auto post = [](std::uint64_t number) { return postOf(std::string(kInputProof), number); };
    HttpLoad load(server.port(), kConnections);
    load.run(post, 202, kWarmUp);
    const double warm = mebibytes(server.process(), "VmRSS");
    const std::size_t accepted = load.run(post, 202, time).answers;
    const double after = mebibytes(server.process(), "VmRSS");
    const std::string live = database.value("SELECT count(*) FROM live_request");
    if (std::stoul(live) < accepted)
    {
        throw std::runtime_error("only " + live + " of " + std::to_string(accepted) + " live");
    }
    const double each = (after - warm) * 1024 * 1024 / static_cast<double>(accepted);
    const double kept = bytesOfKeeping(accepted);
    const double ratio = each / kept;
    std::printf(
        "%.1f MiB at the start, %.1f after the first posts, %.1f with %zu live requests"
        " more\n  each: %.0f bytes, kept in a map %.0f, ratio %.2f, at most %.1f%s\n",
        atStart, warm, after, accepted, each, kept, ratio, kTarget,
        ratio <= kTarget ? "" : "  ABOVE");
    record(
        {"Memory", "a live request", each, "bytes", "kept in a map", kept, ratio, atMost(kTarget)});
    record({"Memory", "the server with " + live + " live requests", after, "MiB", "at its start",
            atStart, after / atStart});
    return ratio <= kTarget ? 0 : 1;
}
}  // namespace

int main()
{
    return relayer::bench::exitCodeOf([&] { return run(fullSize() ? seconds(60) : seconds(12)); });
}
