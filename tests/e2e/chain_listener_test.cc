// The way back from the chain with connections that are cut, dead from the start, or double.
#include "e2e/chain_world.h"
#include "support/cutting_proxy.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;

std::chrono::milliseconds cutFor()
{
    return std::chrono::seconds(fullTests() ? 30 : 3);
}

std::string http(std::uint16_t port)
{
    return "http://127.0.0.1:" + std::to_string(port);
}

std::string ws(std::uint16_t port)
{
    return "ws://127.0.0.1:" + std::to_string(port);
}

// Whether coprocessors and KMS nodes have said all that they have to say.
bool everythingIsAnswered(const Devnet &devnet, std::size_t requests, ServerProcess &server)
{
    const auto deadline = Clock::now() + ChainWorld::kPatience;
    while (Clock::now() < deadline && !server.exitCode(ChainWorld::kBetweenLooks))
    {
        const Json::Value counts = devnet.responder();
        if (devnet.requestLogs().size() == requests && counts["requests"].asUInt64() == requests &&
            counts["waiting"].asUInt64() == 0 && counts["onTheirWay"].asUInt64() == 0)
        {
            return true;
        }
    }
    return false;
}

// How many shares of user decryptions stand on the chain.
std::size_t sharesOnChain(const ChainWorld &world, const Devnet &devnet)
{
    const std::size_t nodes = devnet.description()["kmsNodes"].size();
    return world.rows("kind = 'user_decrypt'") * nodes;
}
}  // namespace

TEST(ChainListener, ACutConnectionUnderLoadLosesNoEvent)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    ChainWorld world(devnet);
    CuttingProxy proxy(devnet.gateway().port);
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_GATEWAY__RPC__READ"] = "cut=" + http(proxy.port());
    options.environment["RELAYER_LISTENER__ENDPOINTS"] = "cut=" + ws(proxy.port());
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    world.submit(0, 50, server);
    ASSERT_TRUE(world.becomes("NOT live", 50, server)) << world.story() << server.output();

    // These are answered while it is cut; those that come later can not even be sent.
    devnet.turn({{"delayMs", 3000}, {"reorderMs", 300}});
    world.submit(50, 25, server);
    ASSERT_TRUE(world.becomes("status <> 'queued' AND status <> 'processing'", 75, server));
    proxy.cut();
    const auto healing = Clock::now() + cutFor();
    world.submit(75, 25, server);
    const std::size_t onChain = devnet.requestLogs().size();
    ASSERT_TRUE(everythingIsAnswered(devnet, onChain, server)) << devnet.responder();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(healing - Clock::now());
    EXPECT_EQ(server.exitCode(std::max(left, ChainWorld::kBetweenLooks)), std::nullopt)
        << server.output();
    EXPECT_GT(world.rows("live"), 25U) << "nothing was cut";
    EXPECT_EQ(devnet.requestLogs().size(), onChain) << "nothing was cut";
    proxy.heal();
    ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
    world.expectEachOnce();
    world.expectPollsTellTheChain(server);
}

TEST(ChainListener, WithoutItsSubscriptionItReadsTheChainUntilItHasOneAgain)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    ChainWorld world(devnet);
    CuttingProxy proxy(devnet.gateway().port);
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_LISTENER__ENDPOINTS"] = "cut=" + ws(proxy.port());
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    world.submit(0, 25, server);
    ASSERT_TRUE(world.becomes("NOT live", 25, server)) << world.story() << server.output();
    const std::size_t before = proxy.connections();
    EXPECT_GE(before, 1U);
    proxy.cut();
    world.submit(25, 25, server);
    ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
    proxy.heal();
    const auto deadline = Clock::now() + ChainWorld::kPatience;
    while (proxy.connections() == before && Clock::now() < deadline &&
           !server.exitCode(ChainWorld::kBetweenLooks))
    {
    }
    EXPECT_GT(proxy.connections(), before) << server.output();
    world.submit(50, 25, server);
    ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
    world.expectEachOnce();
}

TEST(ChainListener, ADeadEndpointBesideALivingOneChangesNothing)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    ChainWorld world(devnet);
    CuttingProxy dead(devnet.gateway().port);
    dead.cut();
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_LISTENER__ENDPOINTS"] =
        "dead=" + ws(dead.port()) + ",living=" + devnet.gateway().ws;
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    world.submit(0, 50, server);
    ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
    EXPECT_EQ(dead.connections(), 0U);
    world.expectEachOnce();
}

TEST(ChainListener, TwoEndpointsOfBothSortsCountEachEventOnce)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    devnet.turn({{"reorderMs", 300}, {"duplicates", 1}});
    ChainWorld world(devnet);
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_LISTENER__ENDPOINTS"] =
        "subscribed=" + devnet.gateway().ws + ",polled=" + devnet.gateway().http;
    options.environment["RELAYER_LISTENER__POLL_INTERVAL"] = "50ms";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    world.submit(0, 50, server);
    ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
    world.expectEachOnce();
    const auto wanted = std::to_string(sharesOnChain(world, devnet));
    const auto deadline = Clock::now() + ChainWorld::kPatience;
    const std::string shares = "SELECT count(*) FROM kms_share";
    while (world.database().value(shares) != wanted && Clock::now() < deadline &&
           !server.exitCode(ChainWorld::kBetweenLooks))
    {
    }
    EXPECT_EQ(world.database().value(shares), wanted);
    EXPECT_EQ(world.database().value("SELECT count(DISTINCT (gateway_id, share_index))"
                                     " FROM kms_share"),
              wanted);
}
}  // namespace relayer::test
