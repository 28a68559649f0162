// Requests per second from POST to completed through the real server on a real devnet, beside the
// same requests driven without us: the same estimates and transactions, and the chain is asked for
// the answers (bare_relay.h). All that the devnet's coprocessors and KMS nodes do is the same for
// both. What ours does on top, it does in the measured time: HTTP, signatures of users, readiness
// checks on host chains and gateway, PostgreSQL.
//
// Each side has a devnet of its own, so that none reads the other's events. Each round runs both in
// turn, and each first every other time; the ratio is the median over the rounds. Exits with 1 when
// it is below 0.7. Clients hold their polls.
#include "bench/bare_relay.h"
#include "bench/measure.h"
#include "bench/processes.h"
#include "bench/relay_clients.h"
#include "chain/address.h"
#include "chain/private_key_signer.h"
#include "e2e/chain_requests.h"
#include "support/devnet.h"
#include "support/server_process.h"
#include "support/test_database.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace
{
using namespace relayer;
using namespace relayer::bench;

constexpr double kTarget = 0.7;
constexpr std::size_t kAtATime = 64;

struct Size
{
    std::size_t rounds = 3;
    std::size_t requests = 500;
};

chain::GatewayContracts contractsOf(const test::Devnet &devnet)
{
    const auto &contracts = devnet.gateway().contracts;
    return {chain::parseAddress(contracts.at("decryption")).value(),
            chain::parseAddress(contracts.at("inputVerification")).value()};
}

test::ServerOptions serverOptions(const test::Devnet &devnet, const test::TestDatabase &database)
{
    test::ServerOptions options;
    options.environment = devnet.environment();
    options.environment["RELAYER_DATABASE__URL"] = database.url();
    options.environment["RELAYER_INSTANCE__NAME"] = "end-to-end";
    for (const std::string kind : {"INPUT_PROOF", "PUBLIC_DECRYPT", "USER_DECRYPT"})
    {
        options.environment["RELAYER_TX_THROTTLER__" + kind + "__PER_SECOND"] = "1000";
    }
    return options;
}

// What both sides are given in a round.
struct Work
{
    std::vector<Post> posts;
    std::vector<BareRequest> calls;
};

Work workOf(std::uint64_t first, std::size_t count, const chain::GatewayContracts &contracts)
{
    Work work;
    for (std::uint64_t number = first; number < first + count; ++number)
    {
        test::ChainRequest request = test::chainRequest(number, contracts.decryption);
        work.posts.push_back({std::move(request.path), std::move(request.body)});
        const core::Kind kind = test::kindOf(number);
        work.calls.push_back(
            {kind,
             {kind == core::Kind::InputProof ? contracts.inputVerification : contracts.decryption,
              test::calldataOf(number, contracts.decryption)}});
    }
    return work;
}

std::unique_ptr<BareRelay> relayWithoutUs(const test::Devnet &devnet)
{
    chain::rpc::NodeOptions node;
    node.read = {{"bare", devnet.gateway().http}};
    node.timeout = std::chrono::seconds(20);
    node.syncSends = kAtATime;
    plugins::TxOptions options;
    options.chainId = devnet.gateway().chainId;
    options.contracts = contractsOf(devnet);
    options.maxFeePerGas = chain::Uint256(500) * 1'000'000'000;
    const auto key = chain::parsePrivateKey(devnet.relayerKey());
    return std::make_unique<BareRelay>(
        node, chain::signerWithKey(key.value()), options,
        devnet.description()["thresholds"]["userDecryption"].asUInt());
}

struct Rounds
{
    std::vector<double> perSecond;
    std::vector<double> p50;
    std::vector<double> p99;
    std::vector<double> processorMs;  // of whoever drives, for each request

    void add(const Sustained &one, double processorSeconds, std::size_t requests)
    {
        perSecond.push_back(one.perSecond);
        p50.push_back(one.p50);
        p99.push_back(one.p99);
        processorMs.push_back(1000 * processorSeconds / static_cast<double>(requests));
    }
    void show(const char *who) const
    {
        std::printf("  %-12s %6.1f/s   p50 %6.0f ms   p99 %6.0f ms   %5.2f ms of processor\n", who,
                    median(perSecond), median(p50), median(p99), median(processorMs));
        std::fflush(stdout);
    }
};

bool report(const Rounds &ours, const Rounds &bare, double mostMebibytes)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.perSecond.size(); ++i)
    {
        ratios.push_back(ours.perSecond[i] / bare.perSecond[i]);
    }
    const double ratio = median(ratios);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    ours.show("ours");
    bare.show("without us");
    std::printf("  ratio %.2f (%.2f to %.2f, at least %.2f)%s   memory of ours at most %.1f MiB\n",
                ratio, *least, *most, kTarget, ratio >= kTarget ? "" : "  BELOW", mostMebibytes);
    const std::string section = "End to end, " + std::to_string(kAtATime) + " at a time";
    const std::string baseline = "without us";
    record({section, "POST to completed", median(ours.perSecond), "requests/s", baseline,
            median(bare.perSecond), ratio, atLeast(kTarget)});
    const auto beside = [&](const char *name, const std::vector<double> &mine,
                            const std::vector<double> &theirs) {
        record({section, name, median(mine), "ms", baseline, median(theirs),
                median(mine) / median(theirs)});
    };
    beside("latency, median", ours.p50, bare.p50);
    beside("latency, 99th percentile", ours.p99, bare.p99);
    beside("processor of the driver, each", ours.processorMs, bare.processorMs);
    record({section, "memory of the server, at most", mostMebibytes, "MiB"});
    return ratio >= kTarget;
}

bool compare(const Size &size)
{
    const test::Devnet ourDevnet({.arguments = {"--quiet", "0.25"}});
    const test::Devnet bareDevnet({.arguments = {"--quiet", "0.25"}});
    const test::TestDatabase database;
    test::ServerProcess server(serverOptions(ourDevnet, database));
    if (!server.becomesHealthy() || !server.printed("step=lane_held"))
    {
        throw std::runtime_error("the server did not start\n" + server.output());
    }
    const auto bare = relayWithoutUs(bareDevnet);
    Rounds ours;
    Rounds theirs;
    std::uint64_t number = 1'000'000;
    for (std::size_t round = 0; round < size.rounds; ++round)
    {
        const Work work = workOf(number, size.requests, contractsOf(ourDevnet));
        number += work.posts.size();
        for (const bool first : {true, false})
        {
            if (first == (round % 2 == 0))
            {
                const double before = processorSeconds(server.process());
                const Sustained one = RelayClients(server.port(), kAtATime).run(work.posts);
                ours.add(one, processorSeconds(server.process()) - before, size.requests);
            }
            else
            {
                const double before = processorSeconds(getpid());
                const Sustained one = bare->run(work.calls, kAtATime);
                theirs.add(one, processorSeconds(getpid()) - before, size.requests);
            }
        }
    }
    const std::string failed = database.value(
        "SELECT count(*) FROM request WHERE live OR (status <> 'completed' AND accepted IS NULL)");
    if (failed != "0")
    {
        throw std::runtime_error(failed + " requests did not come to their end");
    }
    return report(ours, theirs, mebibytes(server.process(), "VmHWM"));
}

int run()
{
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    if (const std::string why = test::Devnet::whyMissing(); !why.empty())
    {
        std::cerr << "not against anvil: " << why << "\n";
        return 77;
    }
    Size size;
    if (fullSize())
    {
        size.rounds = 5;
        size.requests = 3000;
    }
    std::cout << "all five sorts of requests in turn, " << kAtATime
              << " at a time, a block each 0.25 s, " << size.rounds << " rounds of "
              << size.requests << " each, in turn\n"
              << std::flush;
    return compare(size) ? 0 : 1;
}
}  // namespace

int main()
{
    return relayer::bench::exitCodeOf(run);
}
