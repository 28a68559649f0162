// A chain that begins anew between two runs of the relayer, as a devnet does whose folder was
// removed.
#include "e2e/chain_world.h"

#include <gtest/gtest.h>

#include <vector>

namespace relayer::test
{
namespace
{
constexpr std::uint64_t kOfEach = 20;

std::vector<std::string> tellsOf(const ChainWorld &world, std::uint64_t requests,
                                 ServerProcess &server)
{
    std::vector<std::string> results;
    for (std::uint64_t number = 0; number < requests; ++number)
    {
        const HttpReply reply = pollToTheEnd(server, world.jobPathOf(number));
        EXPECT_EQ(reply.status, 200) << reply.body;
        results.push_back(reply.json()["result"].toStyledString());
    }
    return results;
}
}  // namespace

TEST(ChainReset, NewRequestsCompleteOnTheNewChainAndOldAnswersStay)
{
    RELAYER_NEEDS_CHAIN();
    Devnet devnet;
    ChainWorld world(devnet);
    std::vector<std::string> before;
    {
        ServerProcess server(world.serverOptions());
        ASSERT_TRUE(server.becomesHealthy()) << server.output();
        world.submit(0, kOfEach, server);
        ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
        before = tellsOf(world, kOfEach, server);
        server.kill(SIGTERM);
        ASSERT_EQ(server.exitCode(), 0) << server.output();
    }
    devnet.act("gateway", "reset");
    ASSERT_TRUE(devnet.requestLogs().empty());
    const std::uint64_t nonce = devnet.transactionsOf(devnet.relayerAddress());

    ServerProcess next(world.serverOptions());
    ASSERT_TRUE(next.becomesHealthy()) << next.output();
    world.submit(kOfEach, kOfEach, next);
    ASSERT_TRUE(world.unanswered().empty());
    ASSERT_TRUE(world.allEnd(next)) << world.story() << next.output();
    EXPECT_EQ(world.rows("status = 'completed'"), 2 * kOfEach - 1) << world.story();
    EXPECT_EQ(world.rows("accepted = false"), 1U) << "the proof 35 is a bad one";
    EXPECT_EQ(devnet.requestLogs().size(), kOfEach);
    EXPECT_EQ(devnet.transactionsOf(devnet.relayerAddress()) - nonce, kOfEach);
    EXPECT_EQ(tellsOf(world, kOfEach, next), before);
    static_cast<void>(tellsOf(world, 2 * kOfEach, next));
}
}  // namespace relayer::test
