// Events that are pushed, and what a subscription loses: nothing is lost, and nothing counts twice.
#include "integration/listener_harness.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using std::chrono::milliseconds;
using std::chrono::seconds;

class ListenerSubscription : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        openAttempts(*database_);
        listener_ = std::make_unique<ListenerHarness>(*database_);
        chain_.showOn(&node_);
    }

    void TearDown() override { listener_.reset(); }

    [[nodiscard]] bool arrive(std::size_t count)
    {
        return eventually([&] { return listener_->events() == count; });
    }
    std::shared_ptr<plugins::ListenerSource> subscribed(const std::string &name = "a")
    {
        auto source = listener_->subscribe(name, &node_, {&node_});
        EXPECT_TRUE(eventually([&] { return source->state().connected; }));
        return source;
    }

    GatewayChain chain_;
    FakeNode node_;
    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ListenerHarness> listener_;
};

ChainEvent rejected(std::uint64_t number)
{
    return proofRejected(hash32(number, 0x01));
}
}  // namespace

TEST_F(ListenerSubscription, StoresWhatIsPushedAtOnce)
{
    listener_->options.coverInterval = seconds(3600);
    const auto source = subscribed();
    ASSERT_TRUE(eventually([&] { return source->state().cursor == 0; }));
    // The reading that follows each connect may still be to come.
    node_.on("eth_getLogs", [](const Json::Value &) { return FakeNode::error(-32000, "not now"); });
    chain_.mine({rejected(1)});
    chain_.mine({rejected(2)});
    ASSERT_TRUE(arrive(2));
    EXPECT_EQ(listener_->cursor("a"), 0) << "a push does not move the cursor";
    EXPECT_GE(listener_->wakes(), 1U);
}

TEST_F(ListenerSubscription, FindsWhatANodeNeverPushed)
{
    GatewayChain::Manners manners;
    manners.push = false;
    chain_.behave(manners);
    subscribed();
    for (std::uint64_t i = 0; i < 30; ++i)
    {
        chain_.mine({rejected(i)});
    }
    ASSERT_TRUE(arrive(30));
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == 30; }));
}

TEST_F(ListenerSubscription, LosesNothingWhenConnectionsBreakUnderLoad)
{
    const auto source = subscribed();
    constexpr std::uint64_t kBlocks = 150;
    for (std::uint64_t i = 0; i < kBlocks; ++i)
    {
        if (i % 25 == 10)
        {
            node_.dropSockets();
        }
        chain_.mine({rejected(2 * i), rejected(2 * i + 1)});
    }
    ASSERT_TRUE(arrive(2 * kBlocks));
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == kBlocks; }));
    EXPECT_EQ(listener_->events(), 2 * kBlocks);
    EXPECT_GE(source->state().connects, 2U);
}

TEST_F(ListenerSubscription, NoticesAConnectionThatFellSilent)
{
    listener_->options.silence = milliseconds(400);
    listener_->options.coverInterval = seconds(3600);
    const auto source = subscribed();
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == 0; }));
    node_.goSilent(true);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(eventually([&] { return !source->state().connected; }));
    node_.goSilent(false);
    ASSERT_TRUE(eventually([&] { return source->state().connected; }));
    ASSERT_TRUE(arrive(1)) << "read when the connection was made anew";
}

TEST_F(ListenerSubscription, TakesAHundredPushesOfOneBlock)
{
    listener_->options.coverInterval = seconds(3600);
    const auto source = subscribed();
    ASSERT_TRUE(eventually([&] { return source->state().cursor == 0; }));
    std::vector<ChainEvent> events;
    for (std::uint64_t i = 0; i < 100; ++i)
    {
        events.push_back(rejected(i));
    }
    chain_.mine(events);
    ASSERT_TRUE(arrive(100));
}

TEST_F(ListenerSubscription, ReadsAgainWhatDidNotFitItsQueue)
{
    listener_->options.maxLive = 3;
    const auto source = subscribed();
    std::vector<ChainEvent> events;
    for (std::uint64_t i = 0; i < 200; ++i)
    {
        events.push_back(rejected(i));
    }
    chain_.mine(events);
    ASSERT_TRUE(arrive(200));
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == 1; }));
}

TEST_F(ListenerSubscription, CountsEventsWithMadeUpHashesOnce)
{
    // As the doubles of other test suites: random hashes, log index 0, one object for all, and
    // eth_getLogs without transaction hashes. One endpoint is listed twice, too.
    GatewayChain::Manners manners;
    manners.pushMadeUp = true;
    manners.hideTxHashes = true;
    manners.ignoreFilters = true;
    manners.randomBlockHashes = true;
    chain_.behave(manners);
    const auto first = subscribed("a");
    const auto second = subscribed("b");
    for (std::uint64_t i = 0; i < 60; ++i)
    {
        chain_.mine({rejected(i)});
    }
    ASSERT_TRUE(arrive(60));
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == 60; }));
    ASSERT_TRUE(eventually([&] { return listener_->cursor("b") == 60; }));
    EXPECT_EQ(listener_->events(), 60U);
    EXPECT_TRUE(listener_->reorgs().empty());
    EXPECT_EQ(database_->value("SELECT count(*) FROM gateway_event WHERE handled_at IS NULL"),
              "60");
    EXPECT_GT(first->state().skipped + second->state().skipped, 0U);
}

TEST_F(ListenerSubscription, TakesBackWhatTheNodeSaysIsRemoved)
{
    GatewayChain::Manners manners;
    manners.pushRemoved = true;
    chain_.behave(manners);
    subscribed();
    chain_.mine({rejected(1)});
    chain_.mine({rejected(2)});
    ASSERT_TRUE(arrive(2));
    chain_.reorganise(1, {rejected(3)});
    const auto waiting = [&](std::uint64_t id) {
        return database_->value(
            "SELECT count(*) FROM gateway_event WHERE handled_at IS NULL AND "
            "gateway_id = " +
            hexLiteral(hash32(id, 0x01)));
    };
    ASSERT_TRUE(eventually([&] { return waiting(3) == "1" && waiting(2) == "0"; }));
    EXPECT_EQ(waiting(1), "1");
    ASSERT_TRUE(eventually([&] { return !listener_->reorgs().empty(); }));
    EXPECT_EQ(listener_->reorgs().front(), 2);
}

TEST_F(ListenerSubscription, ReadsAllOfANewBranchThoughItsTipWasPushed)
{
    chain_.mineEmpty(7);
    listener_->options.coverInterval = seconds(3600);
    listener_->options.overlap = 0;
    subscribed();
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == 7; }));
    // Of the new blocks 4 to 7 only the last comes by push.
    GatewayChain::Manners manners;
    manners.push = false;
    chain_.behave(manners);
    chain_.reorganise(4, {rejected(1)});
    manners.push = true;
    chain_.behave(manners);
    chain_.reorganise(1, {rejected(2)});
    ASSERT_TRUE(eventually([&] { return listener_->events() >= 1; }));
    node_.dropSockets();  // so that the chain is looked at
    ASSERT_TRUE(arrive(2));
    ASSERT_FALSE(listener_->reorgs().empty());
    EXPECT_LE(listener_->reorgs().front(), 4);
}

TEST_F(ListenerSubscription, KeepsWhatIsPushedWhileTheDatabaseIsAway)
{
    // What is pushed here is nowhere else: eth_getLogs has no transaction hashes.
    GatewayChain::Manners manners;
    manners.hideTxHashes = true;
    chain_.behave(manners);
    const auto source = subscribed();
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == 0; }));
    listener_->databaseAway(true);
    chain_.mine({rejected(1)});
    chain_.mine({rejected(2)});
    ASSERT_TRUE(eventually([&] { return source->state().lastError == "database"; }));
    EXPECT_EQ(listener_->cursor("a"), 0);
    EXPECT_EQ(listener_->events(), 0U);
    listener_->databaseAway(false);
    ASSERT_TRUE(arrive(2));
    ASSERT_TRUE(eventually([&] { return listener_->cursor("a") == 2; }));
    EXPECT_TRUE(eventually([&] { return source->state().lastError.empty(); }));
}

TEST_F(ListenerSubscription, ReadsFromAnotherNodeWhenTheFirstIsDead)
{
    FakeNode dead;
    dead.refuseConnections(true);
    GatewayChain::Manners manners;
    manners.push = false;
    chain_.behave(manners);
    listener_->subscribe("a", &node_, {&dead, &node_});
    chain_.mine({rejected(1)});
    ASSERT_TRUE(arrive(1));
    listener_->stopAll();
}

TEST_F(ListenerSubscription, ReadsOnWhileSubscribingIsRefused)
{
    node_.refuseSubscriptions(true);
    const auto source = listener_->subscribe("a", &node_, {&node_});
    for (std::uint64_t i = 0; i < 20; ++i)
    {
        chain_.mine({rejected(i)});
    }
    ASSERT_TRUE(arrive(20));
    EXPECT_FALSE(source->state().connected);
    EXPECT_TRUE(eventually([&] { return source->state().lag() == 0; }));
}
}  // namespace relayer::test
