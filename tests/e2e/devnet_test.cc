// The devnet itself, as tests use it: it answers, can be misbehaved, and survives what it is put
// through.

#include "support/devnet.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <tuple>
#include <unistd.h>

namespace relayer::test
{
namespace
{
// Its chains end a moment after it, when they have saved their states.
bool endsSoon(int pidfd)
{
    pollfd ended{pidfd, POLLIN, 0};
    const bool gone = pidfd < 0 || ::poll(&ended, 1, 20000) == 1;
    ::close(pidfd);
    return gone;
}
}  // namespace

TEST(Devnet, HasTheContractsOnThreeChains)
{
    if (const std::string why = Devnet::whyMissing(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    const Devnet devnet;
    for (const auto &[name, id, contract] :
         {std::tuple{"gateway", "0x9fbf1", "decryption"}, std::tuple{"host-8009", "0x1f49", "acl"},
          std::tuple{"host-9001", "0x2329", "protocolConfig"}})
    {
        EXPECT_EQ(devnet.call("eth_chainId", {}, name), id);
        const std::string address = devnet.chain(name).contracts.at(contract);
        EXPECT_NE(devnet.call("eth_getCode", {address, "finalized"}, name), "0x") << name;
    }
    EXPECT_EQ(devnet.transactionsOf(devnet.relayerAddress()), 1U) << "the approval of the fees";
    EXPECT_TRUE(devnet.requestLogs().empty());
}

TEST(Devnet, MakesHandlesThatNameTheirChain)
{
    const auto one = Devnet::handle(1);
    EXPECT_EQ(one, Devnet::handle(1));
    EXPECT_NE(one, Devnet::handle(2));
    EXPECT_EQ(one[28] * 256 + one[29], 8009);
    const auto other = Devnet::handle(1, 9001);
    EXPECT_EQ(other[28] * 256 + other[29], 9001);
    EXPECT_EQ(other[30], 5) << "an unsigned integer of 64 bits";
}

TEST(Devnet, TurnsSwitchesOfItsNodesAndContracts)
{
    if (const std::string why = Devnet::whyMissing(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    const Devnet devnet;
    EXPECT_EQ(devnet.turn({{"delayMs", 7}, {"rejectAll", true}})["switches"]["delayMs"], 7);
    EXPECT_EQ(devnet.responder()["switches"]["rejectAll"], true);
    EXPECT_THROW(devnet.turn({{"delays", 7}}), std::runtime_error);
    EXPECT_EQ(devnet.write("gateway", "decryption", "paused", {})[0], false);
    EXPECT_EQ(devnet.write("gateway", "decryption", "setPaused", {true})["status"], "0x1");
    EXPECT_EQ(devnet.write("gateway", "decryption", "paused", {})[0], true);
}

TEST(Devnet, AStopKeepsTheChainAndAResetBeginsAnother)
{
    if (const std::string why = Devnet::whyMissing(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    Devnet devnet;
    const DevnetChain before = devnet.gateway();
    devnet.write("gateway", "decryption", "setPaused", {true});
    devnet.act("gateway", "stop");
    EXPECT_THROW(static_cast<void>(devnet.call("eth_chainId")), std::runtime_error);
    devnet.act("gateway", "start");
    EXPECT_EQ(devnet.gateway().genesis, before.genesis);
    EXPECT_EQ(devnet.gateway().port, before.port);
    EXPECT_EQ(devnet.write("gateway", "decryption", "paused", {})[0], true);
    devnet.act("gateway", "reset");
    EXPECT_NE(devnet.gateway().genesis, before.genesis);
    EXPECT_EQ(devnet.gateway().contracts, before.contracts);
    EXPECT_EQ(devnet.write("gateway", "decryption", "paused", {})[0], false);
}

TEST(Devnet, LeavesNothingBehindEvenWhenItIsKilled)
{
    if (const std::string why = Devnet::whyMissing(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    Devnet devnet;
    const DevnetChain before = devnet.gateway();
    const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, before.pid, 0));
    devnet.kill();
    EXPECT_TRUE(endsSoon(pidfd));
    devnet.restart();
    EXPECT_EQ(devnet.gateway().genesis, before.genesis);
    EXPECT_EQ(devnet.gateway().port, before.port);
}
}  // namespace relayer::test
