// Which checks go to which node next, and how many of them.
#include "core/check_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>

namespace relayer::core
{
namespace
{
using Ids = std::vector<CheckLine::Id>;
constexpr CheckTarget kGateway{true, 0};
constexpr CheckTarget kHostChain{false, 8009};
constexpr CheckTarget kOtherChain{false, 9001};

std::optional<CheckLine::Batch> next(CheckLine &line, std::size_t largest = 100)
{
    return line.next([largest](const CheckTarget &) { return largest; });
}

void addAgain(CheckLine &line, const CheckTarget &target, CheckLine::Id from, CheckLine::Id count)
{
    for (CheckLine::Id id = from; id < from + count; ++id)
    {
        line.addAgain(target, id);
    }
}

TEST(CheckLine, GivesFullBatchesInOrderAndThenTheRest)
{
    CheckLine line(400);
    addAgain(line, kGateway, 0, 250);
    Ids all;
    for (const std::size_t size : {100U, 100U, 50U})
    {
        const auto batch = next(line);
        if (size == 50)
        {
            ASSERT_FALSE(batch) << "it is not full, and others are in the air";
            line.landed(kGateway, 200);
        }
        const auto last = size == 50 ? next(line) : batch;
        ASSERT_TRUE(last);
        EXPECT_EQ(last->ids.size(), size);
        all.insert(all.end(), last->ids.begin(), last->ids.end());
    }
    Ids expected(250);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
    EXPECT_EQ(line.inTheAir(), 50U);
    EXPECT_FALSE(next(line));
}

TEST(CheckLine, HasNoMoreInTheAirThanIsAllowed)
{
    CheckLine line(8);
    addAgain(line, kGateway, 0, 50);
    addAgain(line, kHostChain, 100, 50);
    std::deque<CheckLine::Batch> air;
    std::size_t asked = 0;
    std::size_t most = 0;
    while (line.due() > 0)
    {
        while (auto batch = next(line, 3))
        {
            asked += batch->ids.size();
            air.push_back(std::move(*batch));
        }
        most = std::max(most, line.inTheAir());
        ASSERT_FALSE(air.empty());
        line.landed(air.front().target, air.front().ids.size());
        air.pop_front();
    }
    EXPECT_EQ(asked, 100U);
    EXPECT_LE(most, 8U);
    EXPECT_GE(most, 6U);
}

TEST(CheckLine, OneThatIsNewIsInTheNextBatchHoweverManyAreAskedAgain)
{
    CheckLine line(250);
    addAgain(line, kGateway, 0, 1000);
    ASSERT_TRUE(next(line));
    ASSERT_TRUE(next(line));
    line.addFresh(kGateway, 5000);
    EXPECT_FALSE(next(line)) << "four fifths of 250 have no room for a third full batch";
    line.landed(kGateway, 100);
    const auto third = next(line);
    ASSERT_TRUE(third);
    EXPECT_EQ(third->ids.size(), 100U);
    EXPECT_EQ(third->ids.front(), 5000);
}

TEST(CheckLine, AFloodOfNewOnesLeavesHalfABatchToTheOthers)
{
    CheckLine line(250);
    for (CheckLine::Id id = 0; id < 1000; ++id)
    {
        line.addFresh(kGateway, id);
    }
    addAgain(line, kGateway, 5000, 1000);
    const auto batch = next(line);
    ASSERT_TRUE(batch);
    EXPECT_EQ(std::ranges::count_if(batch->ids, [](auto id) { return id >= 5000; }), 50);
}

TEST(CheckLine, ANodeThatDoesNotAnswerLeavesRoomForTheOthers)
{
    CheckLine line(8);
    addAgain(line, kHostChain, 0, 100);
    while (next(line, 2))
    {
    }
    EXPECT_EQ(line.inTheAir(), 6U) << "of the seven it may have, in twos";
    addAgain(line, kOtherChain, 100, 2);
    const auto batch = next(line, 2);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->target, kOtherChain);
}

TEST(CheckLine, WithRoomForOneAsksOneByOne)
{
    CheckLine line(1);
    addAgain(line, kGateway, 0, 2);
    line.addFresh(kHostChain, 7);
    for (int i = 0; i < 3; ++i)
    {
        const auto batch = next(line);
        ASSERT_TRUE(batch);
        EXPECT_EQ(batch->ids.size(), 1U);
        EXPECT_FALSE(next(line));
        line.landed(batch->target, 1);
    }
    EXPECT_EQ(line.due(), 0U);
}

TEST(CheckLine, AnotherLimitCountsFromTheNextBatchOn)
{
    CheckLine line(4);
    addAgain(line, kGateway, 0, 100);
    EXPECT_EQ(next(line)->ids.size(), 4U);
    line.setMaxConcurrency(40);
    EXPECT_EQ(next(line, 20)->ids.size(), 20U);
    line.setMaxConcurrency(2);
    EXPECT_FALSE(next(line));
    line.landed(kGateway, 24);
    EXPECT_EQ(next(line)->ids.size(), 2U);
}

TEST(CheckLine, WhatIsForgottenIsNotDueAndWhatIsInTheAirStillLands)
{
    CheckLine line(4);
    addAgain(line, kGateway, 0, 10);
    line.addFresh(kGateway, 20);
    const auto batch = next(line);
    line.forget();
    EXPECT_EQ(line.due(), 0U);
    EXPECT_EQ(line.fresh(), 0U);
    line.landed(batch->target, batch->ids.size());
    EXPECT_EQ(line.inTheAir(), 0U);
}
}  // namespace
}  // namespace relayer::core
