// Reading the chain by eth_getLogs alone: nothing is left out, whatever the node does.
#include "integration/listener_harness.h"
#include "support/await.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
class ListenerPolling : public testing::Test
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

    [[nodiscard]] bool arrive(std::size_t count)
    {
        return eventually([&] { return listener_->events() == count; });
    }
    [[nodiscard]] bool readTo(const std::string &name, std::int64_t block)
    {
        return eventually([&] { return listener_->cursor(name) == block; });
    }
    [[nodiscard]] std::string handledAs(const core::Hash32 &id)
    {
        return database_->value(
            "SELECT string_agg((handled_at IS NULL)::text, ',') "
            "FROM gateway_event WHERE gateway_id = " +
            hexLiteral(id));
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

std::vector<ChainEvent> rejections(std::uint64_t from, std::uint64_t count)
{
    std::vector<ChainEvent> events;
    for (std::uint64_t i = 0; i < count; ++i)
    {
        events.push_back(rejected(from + i));
    }
    return events;
}
}  // namespace

TEST_F(ListenerPolling, ReadsWhatWasThereAndWhatComes)
{
    chain_.mine({rejected(1)});
    chain_.mineEmpty(3);
    chain_.mine({rejected(2), rejected(3)});
    const auto source = listener_->poll("a", &node_);
    ASSERT_TRUE(arrive(3));
    ASSERT_TRUE(readTo("a", 5));
    chain_.mine({rejected(4)});
    ASSERT_TRUE(arrive(4));
    ASSERT_TRUE(readTo("a", 6));
    ASSERT_TRUE(eventually([&] { return source->state().cursor == 6; }));
    EXPECT_EQ(source->state().lag(), 0);
    EXPECT_TRUE(source->state().connected);
    EXPECT_EQ(source->state().stored, 4U);
    EXPECT_GE(listener_->wakes(), 2U);
}

TEST_F(ListenerPolling, BeginsAtTheHeadWhenNothingIsSaid)
{
    chain_.mine({rejected(1)});
    chain_.mineEmpty(40);
    chain_.mine({rejected(2)});
    listener_->options.startBlock.reset();
    listener_->options.overlap = 0;
    listener_->poll("a", &node_);
    ASSERT_TRUE(arrive(1)) << "the block of that moment belongs to us";
    ASSERT_TRUE(readTo("a", 42));
    EXPECT_EQ(listener_->events(), 1U);
}

TEST_F(ListenerPolling, GoesOnWhereItWasAfterARestart)
{
    listener_->poll("a", &node_);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(arrive(1));
    ASSERT_TRUE(readTo("a", 1));
    listener_->stopAll();
    chain_.mine({rejected(2)});
    chain_.mineEmpty(30);
    listener_->options.startBlock = 1000;  // counts for a new database only
    listener_->poll("a", &node_);
    ASSERT_TRUE(arrive(2));
    ASSERT_TRUE(readTo("a", 32));
}

TEST_F(ListenerPolling, GoesOnWhereAnotherWasWhenItsNameIsNew)
{
    listener_->options.startBlock.reset();
    listener_->poll("a", &node_);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(readTo("a", 1));
    listener_->stopAll();
    chain_.mine({rejected(2)});
    chain_.mineEmpty(30);
    listener_->options.overlap = 0;
    listener_->poll("b", &node_);
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(2, 0x01)) == "true"; }))
        << "it came while the endpoint was being replaced";
    ASSERT_TRUE(readTo("b", 32));
}

TEST_F(ListenerPolling, TakesABurstInOneBlock)
{
    listener_->options.eventsPerCommit = 64;
    listener_->poll("a", &node_);
    chain_.mine(rejections(1, 700));
    ASSERT_TRUE(arrive(700));
    ASSERT_TRUE(readTo("a", 1));
}

TEST_F(ListenerPolling, FindsRangesThatTheNodeTakes)
{
    GatewayChain::Manners manners;
    manners.mostBlocks = 7;
    chain_.behave(manners);
    for (std::uint64_t i = 0; i < 300; ++i)
    {
        chain_.mine({rejected(i)});
    }
    listener_->options.maxBlockRange = 1000;
    const auto source = listener_->poll("a", &node_);
    ASSERT_TRUE(arrive(300));
    ASSERT_TRUE(readTo("a", 300));
    EXPECT_GT(chain_.refusals(), 0U);
    EXPECT_LT(chain_.refusals(), 60U) << "it learns";
    ASSERT_TRUE(eventually([&] { return source->state().lastError.empty(); }));
}

TEST_F(ListenerPolling, CountsEventsOnlyUnderTheirConfirmations)
{
    listener_->options.confirmations = 3;
    listener_->poll("a", &node_);
    chain_.mineEmpty(2);
    chain_.mine({rejected(1)});
    chain_.mineEmpty(2);
    ASSERT_TRUE(readTo("a", 2));
    EXPECT_EQ(listener_->events(), 0U) << "two blocks stand on it, three are wanted";
    chain_.mineEmpty(1);
    ASSERT_TRUE(arrive(1));
    ASSERT_TRUE(readTo("a", 3));
}

TEST_F(ListenerPolling, FollowsTheChainThatWentAnotherWay)
{
    listener_->poll("a", &node_);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(readTo("a", 1));
    chain_.mine({rejected(2)});
    chain_.mine({rejected(3)});
    chain_.mine({rejected(4)});
    ASSERT_TRUE(arrive(4));
    ASSERT_TRUE(readTo("a", 4));
    // Blocks 2 to 4 are others now, and nobody says so.
    chain_.reorganise(3, {rejected(2), rejected(5)});
    ASSERT_TRUE(eventually([&] { return !listener_->reorgs().empty(); }));
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(5, 0x01)) == "true"; }));
    EXPECT_EQ(listener_->reorgs().front(), 2);
    EXPECT_EQ(database_->value("SELECT count(*) FROM gateway_event WHERE handled_at IS NULL "
                               "AND gateway_id = " +
                               hexLiteral(hash32(3, 0x01))),
              "0")
        << "of a block that is no more";
    EXPECT_EQ(database_->value("SELECT count(*) FROM gateway_event WHERE handled_at IS NULL "
                               "AND gateway_id = " +
                               hexLiteral(hash32(2, 0x01))),
              "1")
        << "the same event in another block";
    EXPECT_EQ(handledAs(hash32(1, 0x01)), "true");
    ASSERT_TRUE(readTo("a", 4));
    chain_.mine({rejected(6)});
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(6, 0x01)) == "true"; }));
}

TEST_F(ListenerPolling, FollowsReorgsThatHappenWhileItIsAway)
{
    listener_->poll("a", &node_);
    chain_.mineEmpty(20);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(arrive(1));
    ASSERT_TRUE(readTo("a", 21));
    listener_->stopAll();
    chain_.reorganise(10, {rejected(2)});
    chain_.mineEmpty(50);
    listener_->options.overlap = 0;
    listener_->poll("a", &node_);
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(2, 0x01)) == "true"; }));
    ASSERT_TRUE(readTo("a", 71));
}

TEST_F(ListenerPolling, NoticesAReorgBetweenItsLookAndItsReading)
{
    listener_->options.overlap = 0;  // which would read once more what was replaced
    listener_->poll("a", &node_);
    chain_.mine({rejected(1)});
    chain_.mineEmpty(3);
    ASSERT_TRUE(readTo("a", 4));
    // Whoever has just seen that block 4 is the one that was read reads block 5 of another chain.
    chain_.reorganiseBehind(4, {rejected(2)});
    chain_.mineEmpty(1);
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(2, 0x01)) == "true"; }));
    ASSERT_TRUE(readTo("a", 5));
    EXPECT_EQ(listener_->reorgs().size(), 1U);
}

TEST_F(ListenerPolling, ReadsNoFurtherThanTheNodeHasBlocks)
{
    // One node behind a name tells its head, another one, two blocks behind, shows blocks and logs.
    listener_->options.overlap = 0;
    GatewayChain::Manners manners;
    manners.lag = 2;
    chain_.behave(manners);
    chain_.mineEmpty(4);
    const auto source = listener_->poll("a", &node_);
    for (std::uint64_t i = 1; i <= 5; ++i)
    {
        chain_.mine({rejected(i)});
        ASSERT_TRUE(eventually([&] { return source->state().head == chain_.head(); }));
        ASSERT_TRUE(i < 4 || arrive(i - 2)) << i << ": it stays as far behind, and no further";
    }
    // All that there is to be had: whoever waits for more would wait as long as it lags.
    ASSERT_TRUE(eventually([&] { return listener_->readToHead() > 0; }));
    chain_.behave({});
    ASSERT_TRUE(arrive(5));
    ASSERT_TRUE(readTo("a", 9));
}

TEST_F(ListenerPolling, ReadsAsFarAsANodeThatLagsALotShows)
{
    listener_->options.overlap = 0;
    listener_->poll("a", &node_);
    chain_.mineEmpty(3);
    ASSERT_TRUE(readTo("a", 3));
    GatewayChain::Manners manners;
    manners.lag = 40;
    chain_.behave(manners);
    chain_.mine({rejected(1)});
    chain_.mineEmpty(60);
    ASSERT_TRUE(arrive(1)) << "23 blocks are to be had, and 64 are told of";
}

// Behind one name there may be nodes that lag, that limit, or that follow another fork: what one of
// them does not say must not pass for agreement.
TEST_F(ListenerPolling, NoticesAReorgThatNotAllTell)
{
    using Saying = GatewayChain::Saying;
    listener_->options.overlap = 0;  // which would read once more what was replaced
    listener_->poll("a", &node_);
    std::int64_t read = 0;
    std::uint64_t events = 0;
    std::size_t reorgs = 0;
    for (const std::deque<Saying> &ofTheCursor :
         {std::deque{Saying::Truth, Saying::Nothing, Saying::Truth},
          std::deque{Saying::Truth, Saying::Refusal, Saying::Truth},
          std::deque{Saying::Truth, Saying::Another, Saying::Truth}, std::deque{Saying::Refusal},
          std::deque{Saying::Refusal, Saying::Refusal}})
    {
        chain_.mineEmpty(4);
        read += 4;
        ASSERT_TRUE(readTo("a", read));
        const auto event = ++events;
        chain_.reorganiseSaying(3, {rejected(event)}, {{read, ofTheCursor}});
        ++read;
        ASSERT_TRUE(eventually([&] { return handledAs(hash32(event, 0x01)) == "true"; })) << event;
        ASSERT_TRUE(readTo("a", read));
        EXPECT_EQ(listener_->reorgs().size(), ++reorgs);
    }
}

TEST_F(ListenerPolling, NoticesAReorgBehindABlockWhoseHashItWasNotTold)
{
    using Saying = GatewayChain::Saying;
    listener_->options.overlap = 0;
    listener_->poll("a", &node_);
    chain_.mineEmpty(4);
    ASSERT_TRUE(readTo("a", 4));
    // Refused for a moment, and for longer than reading waits for it.
    std::int64_t read = 4;
    std::uint64_t events = 0;
    for (const std::size_t refusals : {1U, 20U})
    {
        ++read;
        chain_.say({{read, std::deque<Saying>(refusals, Saying::Refusal)}});
        chain_.mineEmpty(1);
        ASSERT_TRUE(readTo("a", read)) << "it does not stand still";
        const auto event = ++events;
        chain_.reorganiseSaying(4, {rejected(event)}, {});
        ++read;
        ASSERT_TRUE(eventually([&] { return handledAs(hash32(event, 0x01)) == "true"; })) << event;
        ASSERT_TRUE(readTo("a", read));
        EXPECT_EQ(listener_->reorgs().size(), events);
    }
}

TEST_F(ListenerPolling, ReadsFromNodesThatShowNoBlocks)
{
    listener_->poll("a", &node_);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(readTo("a", 1));
    GatewayChain::Manners manners;
    manners.refuseBlocks = true;
    chain_.behave(manners);
    chain_.mine({rejected(2)});
    ASSERT_TRUE(arrive(2));
    ASSERT_TRUE(readTo("a", 2));
    chain_.mine({rejected(3)});
    ASSERT_TRUE(arrive(3));
    ASSERT_TRUE(readTo("a", 3));
}

TEST_F(ListenerPolling, ComesBackToABlockThatReturned)
{
    // Two nodes behind one name disagree for a while; what was removed has to live again.
    listener_->poll("a", &node_);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(arrive(1));
    const auto block = database_->value("SELECT encode(block_hash, 'hex') FROM gateway_event");
    core::Hash32 hash{};
    const core::Bytes bytes = core::fromHex(block).value();
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    await(listener_->inbox().removeBlocks({hash}));
    listener_->stopAll();
    database_->query("UPDATE chain_cursor SET block_number = 0");
    listener_->poll("a", &node_);
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(1, 0x01)) == "true"; }));
}

TEST_F(ListenerPolling, StartsOverOnAChainThatWasReset)
{
    listener_->poll("a", &node_);
    FakeNode second;
    chain_.showOn(&second);
    listener_->poll("b", &second);
    chain_.mineEmpty(30);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(readTo("a", 31));
    ASSERT_TRUE(readTo("b", 31));
    chain_.restart(2, 3);
    chain_.mine({rejected(9)});
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(9, 0x01)) == "true"; }));
    ASSERT_TRUE(readTo("a", 4));
    ASSERT_TRUE(readTo("b", 4));
    EXPECT_EQ(listener_->events(), 1U) << "those of the old chain are forgotten";
    listener_->stopAll();
}

TEST_F(ListenerPolling, NoticesAResetThatHappenedWhileItWasAway)
{
    listener_->poll("a", &node_);
    chain_.mine({rejected(1)});
    ASSERT_TRUE(readTo("a", 1));
    listener_->stopAll();
    chain_.restart(2, 5);
    chain_.mine({rejected(9)});
    listener_->poll("a", &node_);
    ASSERT_TRUE(eventually([&] { return handledAs(hash32(9, 0x01)) == "true"; }));
    EXPECT_EQ(listener_->events(), 1U);
}

TEST_F(ListenerPolling, IsNotLedAstrayByANodeThatMakesUpHashes)
{
    GatewayChain::Manners manners;
    manners.randomBlockHashes = true;
    chain_.behave(manners);
    listener_->poll("a", &node_);
    for (std::uint64_t i = 0; i < 50; ++i)
    {
        chain_.mine({rejected(i)});
        ASSERT_TRUE(i % 10 != 0 || arrive(i + 1));
    }
    ASSERT_TRUE(arrive(50));
    ASSERT_TRUE(readTo("a", 50));
    EXPECT_TRUE(listener_->reorgs().empty());
    EXPECT_EQ(database_->value("SELECT count(*) FROM gateway_event WHERE handled_at IS NULL"),
              "50");
}

TEST_F(ListenerPolling, CountsLogsWithoutTransactionAndThoseOfOthers)
{
    GatewayChain::Manners manners;
    manners.ignoreFilters = true;
    chain_.behave(manners);
    ChainEvent stranger = rejected(7);
    stranger.address.fill(0x99);
    ChainEvent unknown = rejected(8);
    unknown.topics[0] = hash32(1234);
    ChainEvent malformed = shareArrived(hash32(9), 0);
    malformed.data.resize(40);
    chain_.mine({rejected(1), stranger, unknown, malformed});
    const auto source = listener_->poll("a", &node_);
    ASSERT_TRUE(readTo("a", 1));
    ASSERT_TRUE(eventually([&] { return source->state().unrelated >= 2; }));
    EXPECT_EQ(source->state().malformed, 1U);
    EXPECT_EQ(listener_->events(), 1U);
    manners.hideTxHashes = true;
    chain_.behave(manners);
    chain_.mine({rejected(2)});
    ASSERT_TRUE(readTo("a", 2));
    ASSERT_TRUE(eventually([&] { return source->state().skipped >= 1; }));
    EXPECT_EQ(listener_->events(), 1U);
}

TEST_F(ListenerPolling, KeepsGoingWithOneOfTwoNodesDead)
{
    FakeNode dead;
    dead.refuseConnections(true);
    const auto broken = listener_->poll("dead", &dead);
    listener_->poll("alive", &node_);
    for (std::uint64_t i = 0; i < 20; ++i)
    {
        chain_.mine({rejected(i)});
    }
    ASSERT_TRUE(arrive(20));
    ASSERT_TRUE(eventually([&] { return !broken->state().lastError.empty(); }));
    EXPECT_FALSE(broken->state().connected);
    EXPECT_GE(broken->state().failures, 1U);
    // It comes back, and is read from the beginning by its own cursor.
    dead.refuseConnections(false);
    chain_.showOn(&dead);
    ASSERT_TRUE(readTo("dead", 20));
    EXPECT_TRUE(eventually([&] { return broken->state().connected; }));
    EXPECT_EQ(listener_->events(), 20U);
    listener_->stopAll();
}

TEST_F(ListenerPolling, StoresEachEventOnceFromTwoNodes)
{
    FakeNode second;
    chain_.showOn(&second);
    const auto a = listener_->poll("a", &node_);
    const auto b = listener_->poll("b", &second);
    for (std::uint64_t i = 0; i < 100; ++i)
    {
        chain_.mine({rejected(i)});
    }
    ASSERT_TRUE(readTo("a", 100));
    ASSERT_TRUE(readTo("b", 100));
    EXPECT_EQ(listener_->events(), 100U);
    EXPECT_TRUE(eventually([&] { return a->state().stored + b->state().stored == 100U; }));
    listener_->stopAll();
}

TEST_F(ListenerPolling, DropsWhatIsOfOtherRelayers)
{
    database_->query("DELETE FROM tx_attempt");
    const auto source = listener_->poll("a", &node_);
    chain_.mine(rejections(1, 5));
    ASSERT_TRUE(readTo("a", 1));
    ASSERT_TRUE(eventually([&] { return source->state().foreign == 5U; }));
    EXPECT_EQ(listener_->events(), 0U);
    EXPECT_EQ(listener_->wakes(), 0U);
}
}  // namespace relayer::test
