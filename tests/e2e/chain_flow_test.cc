// From a client's request to its answer: the real program, PostgreSQL, and a chain of anvil.
#include "e2e/chain_world.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace relayer::test
{
namespace
{
constexpr std::uint64_t kMany = 200;

void expectManyMixedRequestsToComplete(const Devnet &devnet)
{
    ChainWorld world(devnet);
    ServerProcess server(world.serverOptions());
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    world.submit(0, kMany, server);
    ASSERT_TRUE(world.unanswered().empty());
    ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
    world.expectEachOnce();
    world.expectPollsTellTheChain(server);
    EXPECT_EQ(world.rows("kind = 'input_proof' AND status = 'failure'"), kMany / kSorts / 8);
}
}  // namespace

TEST(ChainFlow, TwoHundredMixedRequestsOfAllKindsComplete)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet({.arguments = {"--quiet", "0.25"}});
    expectManyMixedRequestsToComplete(devnet);
}

TEST(ChainFlow, TwoHundredMixedRequestsCompleteWhenAnswersOvertakeReceipts)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet({.arguments = {"--instant"}});
    expectManyMixedRequestsToComplete(devnet);
}

TEST(ChainFlow, APollSays202WithRetryAfterUntilTheAnswerIsThere)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    Json::Value silence;
    silence["silence"]["input_proof"] = "all";
    devnet.turn(silence);
    ChainWorld world(devnet);
    ServerProcess server(world.serverOptions());
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    ASSERT_TRUE(world.submit(0, server));
    const std::string path = world.jobPathOf(0);
    ASSERT_TRUE(world.becomes("status = 'receipt_received'", 1, server)) << server.output();
    const HttpReply waiting = HttpClient(server.port()).get(path).value();
    EXPECT_EQ(waiting.status, 202) << waiting.body;
    EXPECT_GE(std::atoi(waiting.header("retry-after").c_str()), 1);
    EXPECT_EQ(waiting.json()["status"], "queued") << waiting.body;

    silence["silence"]["input_proof"] = 0;
    devnet.turn(silence);
    const HttpReply ended = pollToTheEnd(server, path);
    EXPECT_EQ(ended.status, 200) << ended.body;
    EXPECT_EQ(ended.json()["result"]["accepted"], true) << ended.body;
}

TEST(ChainFlow, ARestartInMidFlightLosesNothingAndSendsNothingTwice)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet({.arguments = {"--quiet", "0.25"}});
    devnet.turn({{"delayMs", 400}, {"reorderMs", 400}});
    ChainWorld world(devnet);
    {
        ServerProcess server(world.serverOptions());
        ASSERT_TRUE(server.becomesHealthy()) << server.output();
        world.submit(0, 50, server);
        ASSERT_TRUE(world.unanswered().empty());
        ASSERT_TRUE(world.becomes("status IN ('queued', 'processing')", 0, server))
            << world.story() << server.output();
        server.kill(SIGTERM);
        EXPECT_EQ(server.exitCode(), 0) << server.output();
    }
    EXPECT_GT(world.rows("live"), 0U) << "it was to be ended in the middle";
    ServerProcess next(world.serverOptions());
    ASSERT_TRUE(next.becomesHealthy()) << next.output();
    ASSERT_TRUE(world.allEnd(next)) << world.story() << next.output();
    world.expectEachOnce();
    world.expectPollsTellTheChain(next);
}
}  // namespace relayer::test
