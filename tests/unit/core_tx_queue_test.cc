// The queue before the chain: places, order, tokens, and when to wake whoever sends.
#include "core/tx_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace relayer::core
{
namespace
{
using namespace std::chrono_literals;
using Place = TxQueue::Place;

TxQueue queueOf(std::uint64_t perSecond, std::size_t capacity, std::size_t softLimit)
{
    return {{perSecond, capacity, softLimit}, 0s};
}

void admit(TxQueue &queue, TxQueue::Ticket ticket)
{
    ASSERT_TRUE(queue.reserve(Place::New));
    queue.accept(ticket);
}

void pull(TxQueue &queue, std::vector<TxQueue::Ticket> tickets)
{
    queue.pulled(tickets);
}

TEST(TxQueue, NewRequestsStopAtTheSoftLimitAndThoseThatReturnAtTheCapacity)
{
    auto queue = queueOf(1, 4, 2);
    EXPECT_TRUE(queue.reserve(Place::New));
    EXPECT_TRUE(queue.reserve(Place::New));
    EXPECT_FALSE(queue.reserve(Place::New)) << "a reserved place is taken";
    EXPECT_TRUE(queue.reserve(Place::Returning));
    EXPECT_TRUE(queue.reserve(Place::Returning));
    EXPECT_FALSE(queue.reserve(Place::Returning));
    queue.giveUp();
    queue.giveUp();
    queue.giveUp();
    EXPECT_TRUE(queue.reserve(Place::New)) << "what was given up is free again";
    queue.accept(1);
    queue.accept(2);
    EXPECT_FALSE(queue.reserve(Place::New));
    pull(queue, {1});
    EXPECT_TRUE(queue.reserve(Place::New)) << "so is what went";
}

TEST(TxQueue, PositionsFollowTheTicketsAndMoveUp)
{
    auto queue = queueOf(10, 10, 10);
    admit(queue, 11);
    admit(queue, 13);
    admit(queue, 12);
    EXPECT_EQ(queue.position(11), 0U);
    EXPECT_EQ(queue.position(12), 1U);
    EXPECT_EQ(queue.position(13), 2U);
    pull(queue, {11});
    EXPECT_EQ(queue.position(11), std::nullopt);
    EXPECT_EQ(queue.position(13), 1U);
}

TEST(TxQueue, WakesAtOnceForANewRequestAndThenForEachToken)
{
    auto queue = queueOf(10, 100, 100);
    EXPECT_EQ(queue.wakeAt(0s), std::nullopt) << "nothing waits";
    for (TxQueue::Ticket ticket = 1; ticket <= 12; ++ticket)
    {
        admit(queue, ticket);
    }
    ASSERT_EQ(queue.wakeAt(0s), 0s);
    queue.told();
    EXPECT_EQ(queue.wakeAt(0s), std::nullopt) << "told once";
    ASSERT_EQ(queue.takeTokens(100, 0s), 10U);
    EXPECT_EQ(queue.wakeAt(0s), 100ms) << "wanted more";
    pull(queue, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    EXPECT_EQ(queue.wakeAt(30ms), 100ms) << "the time does not depend on when it is asked";
    EXPECT_EQ(queue.takeTokens(100, 100ms), 1U);
    pull(queue, {11});
    EXPECT_EQ(queue.takeTokens(100, 200ms), 1U);
    pull(queue, {12});
    EXPECT_EQ(queue.wakeAt(200ms), std::nullopt) << "nothing waits any more";
}

TEST(TxQueue, WhoGotAllItAskedForIsNotWokenBeforeSomethingNewComes)
{
    auto queue = queueOf(10, 100, 100);
    admit(queue, 1);
    admit(queue, 2);
    queue.told();
    EXPECT_EQ(queue.takeTokens(1, 0s), 1U);
    pull(queue, {1});
    EXPECT_EQ(queue.wakeAt(0s), std::nullopt) << "it has no room for more";
    admit(queue, 3);
    EXPECT_EQ(queue.wakeAt(0s), 0s);
}

TEST(TxQueue, WhoFoundNothingIsNotWokenInCirclesButLearnsWhatCameMeanwhile)
{
    auto queue = queueOf(10, 100, 100);
    queue.level(5, 1);
    ASSERT_EQ(queue.wakeAt(0s), 0s);
    queue.told();
    ASSERT_EQ(queue.takeTokens(10, 0s), 10U);
    queue.returnTokens(10, 0s);
    EXPECT_EQ(queue.wakeAt(0s), std::nullopt) << "somebody else has the row";
    ASSERT_EQ(queue.takeTokens(10, 0s), 10U);
    admit(queue, 6);
    queue.returnTokens(9, 0s);
    EXPECT_EQ(queue.wakeAt(0s), 0s);
}

TEST(TxQueue, TheDatabaseSaysWhatWaitsElsewhereAndThatCountsForTheLimits)
{
    auto queue = queueOf(10, 100, 3);
    queue.level(1, 3);
    EXPECT_EQ(queue.snapshot(0s).waiting, 3U);
    EXPECT_FALSE(queue.reserve(Place::New));
    EXPECT_EQ(queue.wakeAt(0s), 0s) << "work from before the start";
    pull(queue, {1, 2});
    EXPECT_EQ(queue.snapshot(0s).waiting, 1U);
    admit(queue, 10);
    EXPECT_EQ(queue.position(10), 1U) << "behind the one from before the start";
    queue.level(10, 1);
    EXPECT_EQ(queue.position(10), 0U);
    EXPECT_EQ(queue.snapshot(0s).waiting, 1U);
}

TEST(TxQueue, WhatTheDatabaseDoesNotNameIsGone)
{
    auto queue = queueOf(10, 100, 100);
    admit(queue, 1);
    admit(queue, 2);
    admit(queue, 3);
    queue.level(3, 1);
    EXPECT_EQ(queue.position(1), std::nullopt);
    EXPECT_EQ(queue.position(3), 0U);
    admit(queue, 4);
    queue.level(std::nullopt, 0);
    EXPECT_EQ(queue.position(3), std::nullopt) << "was there when the question was asked";
    EXPECT_EQ(queue.position(4), 0U) << "may have come since";
    queue.level(std::nullopt, 0);
    EXPECT_EQ(queue.snapshot(0s).waiting, 0U);
    EXPECT_EQ(queue.wakeAt(0s), std::nullopt);
}

TEST(TxQueue, ARequestThatWentBeforeItWasAcceptedDoesNotWait)
{
    auto queue = queueOf(10, 100, 100);
    ASSERT_TRUE(queue.reserve(Place::New));
    pull(queue, {7});
    queue.accept(7);
    EXPECT_EQ(queue.position(7), std::nullopt);
    EXPECT_EQ(queue.snapshot(0s).waiting, 0U);
    EXPECT_EQ(queue.snapshot(0s).reserved, 0U);
    admit(queue, 8);
    admit(queue, 7);
    EXPECT_EQ(queue.position(7), 0U) << "came back";
}

TEST(TxQueue, ARequestThatIsAcceptedTwiceWaitsOnce)
{
    auto queue = queueOf(10, 100, 100);
    admit(queue, 7);
    admit(queue, 7);
    EXPECT_EQ(queue.snapshot(0s).waiting, 1U);
    EXPECT_EQ(queue.snapshot(0s).reserved, 0U);
}

TEST(TxQueue, AnotherRateChangesTheNextWakeAndGivesNoBurst)
{
    auto queue = queueOf(10, 100, 100);
    admit(queue, 1);
    EXPECT_EQ(queue.takeTokens(20, 0s), 10U);
    EXPECT_EQ(queue.wakeAt(0s), 100ms);
    EXPECT_FALSE(queue.setRate(0, 0s));
    EXPECT_FALSE(queue.setRate(1001, 0s));
    EXPECT_TRUE(queue.setRate(1000, 0s));
    EXPECT_EQ(queue.wakeAt(0s), 1ms);
    EXPECT_EQ(queue.takeTokens(20, 0s), 0U);
    EXPECT_TRUE(queue.setRate(1, 0s));
    EXPECT_EQ(queue.wakeAt(0s), 1s);
}

TEST(TxQueue, TheSnapshotSaysWhatThereIs)
{
    auto queue = queueOf(10, 100, 90);
    admit(queue, 4);
    ASSERT_TRUE(queue.reserve(Place::New));
    queue.takeTokens(10, 0s);
    const auto seen = queue.snapshot(40ms);
    EXPECT_EQ(seen.waiting, 1U);
    EXPECT_EQ(seen.reserved, 1U);
    EXPECT_EQ(seen.capacity, 100U);
    EXPECT_EQ(seen.softLimit, 90U);
    EXPECT_EQ(seen.perSecond, 10U);
    EXPECT_EQ(seen.tokens, 0U);
    EXPECT_EQ(seen.timeToNextToken, 60ms);
    EXPECT_EQ(seen.head, 4);
    queue.level(2, 2);
    EXPECT_EQ(queue.snapshot(40ms).head, 2);
}
}  // namespace
}  // namespace relayer::core
