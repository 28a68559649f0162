// kill -9 between any two durable steps, against a real chain: nothing is lost, and nothing is sent
// twice.
#include "e2e/chain_world.h"
#include "e2e/devnet_suite.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace relayer::test
{
namespace
{
constexpr std::uint64_t kAtLeast = 6;
constexpr std::uint64_t kAtMost = 150;
constexpr std::chrono::milliseconds kPace{40};

// Requests come until it dies, since some places are passed once for many of them.
void submitUntilItDies(ChainWorld &world, std::uint64_t first, ServerProcess &server)
{
    for (std::uint64_t i = 0; i < kAtMost; ++i)
    {
        world.submit(first + i, server);
        if (i + 1 >= kAtLeast && server.exitCode(kPace))
        {
            return;
        }
    }
}

void expectAKillToCostNothing(const Devnet &devnet, const std::string &place, int times)
{
    SCOPED_TRACE(place + ":" + std::to_string(times));
    ChainWorld world(devnet);
    {
        ServerOptions options = world.serverOptions();
        options.environment["RELAYER_FAIL_POINT"] = place + ":" + std::to_string(times);
        ServerProcess server(options);
        ASSERT_TRUE(server.becomesHealthy()) << server.output();
        submitUntilItDies(world, 0, server);
        ASSERT_EQ(server.exitCode(), 128 + SIGKILL) << server.output();
    }
    ServerProcess next(world.serverOptions());
    ASSERT_TRUE(next.becomesHealthy()) << next.output();
    // A client whose answer was cut off asks again, and joins what is there.
    for (const std::uint64_t number : std::set(world.unanswered()))
    {
        world.submit(number, next);
    }
    ASSERT_TRUE(world.unanswered().empty());
    ASSERT_TRUE(world.allEnd(next)) << world.story() << next.output();
    world.expectEachOnce();
}

class ChainKill : public DevnetSuite, public testing::WithParamInterface<const char *>
{};

TEST_P(ChainKill, CostsNothing)
{
    RELAYER_NEEDS_CHAIN();
    const int rounds = fullTests() ? 10 : 1;
    for (int round = 0; round < rounds && !HasFailure(); ++round)
    {
        expectAKillToCostNothing(devnet(), GetParam(), 1 + round % 4);
    }
}

std::string nameOf(const testing::TestParamInfo<const char *> &info)
{
    std::string name = info.param;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(At, ChainKill,
                         testing::Values("admitted", "claimed", "signed", "committed", "broadcast",
                                         "receipt stored", "event stored", "completed"),
                         nameOf);
}  // namespace
}  // namespace relayer::test
