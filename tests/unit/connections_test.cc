// When a client is replaced, and when it is not. The clients lead to nowhere: nothing is sent.
#include "models/connections.h"

#include <gtest/gtest.h>

namespace relayer::models
{
namespace
{
using Clock = Connections::Clock;

drogon::orm::DbClientPtr toNowhere(std::size_t)
{
    return drogon::orm::DbClient::newPgClient("host=127.0.0.1 port=1 connect_timeout=2", 1);
}
}  // namespace

TEST(Connections, AreReplacedWhenNothingWasAnsweredSinceAStatementThatTimedOutWasSent)
{
    Connections connections(toNowhere);
    const auto stuck = connections.client();
    connections.answered(stuck);
    connections.timedOut(stuck, Clock::now());
    EXPECT_NE(connections.client(), stuck);
    EXPECT_EQ(connections.replaced(), 1U);
}

TEST(Connections, StayWhenOthersWereAnsweredMeanwhileAndBeginAnewBesideOnceInAWhile)
{
    std::size_t made = 0;
    Connections connections([&made](std::size_t address) {
        ++made;
        return toNowhere(address);
    });
    const auto busy = connections.client();
    const auto sent = Clock::now() - std::chrono::seconds(8);
    connections.answered(busy);
    connections.timedOut(busy, sent);
    EXPECT_EQ(connections.client(), busy);
    EXPECT_EQ(made, 2U);
    constexpr std::chrono::seconds kPatience(10);
    connections.supervise(Clock::now() + std::chrono::seconds(11), kPatience);
    connections.answered(connections.client());
    connections.timedOut(connections.client(), sent);
    EXPECT_EQ(made, 3U) << "one that found nobody, one for the client without a connection";
}

TEST(Connections, AreReplacedOnceForAllStatementsOfOneClientThatTimedOut)
{
    Connections connections(toNowhere);
    const auto stuck = connections.client();
    connections.timedOut(stuck, Clock::now());
    connections.timedOut(stuck, Clock::now());
    connections.answered(stuck);
    EXPECT_EQ(connections.replaced(), 1U);
}

TEST(Connections, AreReplacedWhenThereHasBeenNoConnectionForLong)
{
    Connections connections(toNowhere);
    const auto start = Clock::now();
    const auto away = connections.client();
    constexpr std::chrono::seconds kPatience(10);
    connections.supervise(start + std::chrono::seconds(9), kPatience);
    EXPECT_EQ(connections.client(), away);
    connections.supervise(start + std::chrono::seconds(11), kPatience);
    EXPECT_NE(connections.client(), away);
    connections.supervise(start + std::chrono::seconds(12), kPatience);
    EXPECT_EQ(connections.replaced(), 1U) << "the new one has its own time";
}

TEST(Connections, GoOnToTheNextAddressWhenThereIsNoConnectionAndWhenWritesAreNotTaken)
{
    std::vector<std::size_t> asked;
    Connections connections([&asked](std::size_t address) {
        asked.push_back(address);
        return toNowhere(address);
    });
    const auto start = Clock::now();
    connections.supervise(start + std::chrono::seconds(11), std::chrono::seconds(10));
    connections.moveOn();
    EXPECT_EQ(asked, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(connections.address(), 2U);
}

TEST(Connections, ThatBeginAnewKeepTheOldClientUntilTheNewOneHasAConnection)
{
    std::size_t made = 0;
    Connections connections([&made](std::size_t address) {
        ++made;
        return toNowhere(address);
    });
    const auto old = connections.client();
    const auto start = Clock::now();
    constexpr std::chrono::seconds kPatience(10);
    connections.beginAnew();
    connections.beginAnew();
    connections.supervise(start + std::chrono::seconds(9), kPatience);
    EXPECT_EQ(connections.client(), old);
    EXPECT_EQ(made, 2U) << "one at a time";
    connections.timedOut(old, Clock::now());
    EXPECT_NE(connections.client(), old);
    EXPECT_EQ(made, 3U) << "whatever replaces the client begins anew, too";
    connections.beginAnew();
    EXPECT_EQ(made, 4U);
}

TEST(Connections, StayWithTheirAddressWhenAStatementTimedOut)
{
    std::vector<std::size_t> asked;
    Connections connections([&asked](std::size_t address) {
        asked.push_back(address);
        return toNowhere(address);
    });
    connections.timedOut(connections.client(), Clock::now());
    EXPECT_EQ(asked, (std::vector<std::size_t>{0, 0}));
}
}  // namespace relayer::models
