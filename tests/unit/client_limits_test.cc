// How often a client may ask for something new.
#include "core/client_limits.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
using Time = ClientLimits::Time;
using std::chrono::minutes;
using std::chrono::seconds;

// One each second, three at once.
constexpr ClientLimits::Rules kRules{60, 3, 100};
constexpr Time kStart = minutes(1000);
}  // namespace

TEST(ClientLimits, ABurstGoesAtOnceAndThenOneAfterTheOther)
{
    ClientLimits limits(kRules);
    for (const std::uint64_t remaining : {2U, 1U, 0U})
    {
        const auto verdict = limits.take("a", kStart);
        EXPECT_TRUE(verdict.allowed);
        EXPECT_EQ(verdict.remaining, remaining);
    }
    auto verdict = limits.take("a", kStart);
    EXPECT_FALSE(verdict.allowed);
    EXPECT_EQ(verdict.untilNext, seconds(1));
    EXPECT_EQ(verdict.untilFull, seconds(3));
    EXPECT_FALSE(limits.take("a", kStart + seconds(1) - Time(1)).allowed);
    verdict = limits.take("a", kStart + seconds(1));
    EXPECT_TRUE(verdict.allowed);
    EXPECT_EQ(verdict.remaining, 0U);
    EXPECT_EQ(verdict.untilNext, seconds(1));
}

TEST(ClientLimits, WhoIsRefusedWaitsNoLongerForHavingAsked)
{
    ClientLimits limits(kRules);
    for (int i = 0; i < 1000; ++i)
    {
        static_cast<void>(limits.take("a", kStart));
    }
    EXPECT_TRUE(limits.take("a", kStart + seconds(1)).allowed);
}

TEST(ClientLimits, OneClientCostsAnotherNothing)
{
    ClientLimits limits(kRules);
    for (int i = 0; i < 5; ++i)
    {
        static_cast<void>(limits.take("a", kStart));
    }
    EXPECT_EQ(limits.take("b", kStart).remaining, 2U);
}

TEST(ClientLimits, ALongRestGivesNoMoreThanABurst)
{
    ClientLimits limits(kRules);
    static_cast<void>(limits.take("a", kStart));
    EXPECT_EQ(limits.take("a", kStart + minutes(60)).remaining, 2U);
}

TEST(ClientLimits, WhatIsGivenBackCanBeTakenAgainButNoMoreThanThat)
{
    ClientLimits limits(kRules);
    for (int i = 0; i < 3; ++i)
    {
        static_cast<void>(limits.take("a", kStart));
    }
    limits.giveBack("a", kStart);
    EXPECT_TRUE(limits.take("a", kStart).allowed);
    EXPECT_FALSE(limits.take("a", kStart).allowed);
    for (int i = 0; i < 10; ++i)
    {
        limits.giveBack("a", kStart);
    }
    EXPECT_EQ(limits.take("a", kStart).remaining, 2U);
    limits.giveBack("nobody", kStart);
    EXPECT_EQ(limits.clients(), 1U);
}

TEST(ClientLimits, OfTooManyTheOneThatWasNotHeardOfForLongestIsForgotten)
{
    ClientLimits limits({60, 1, 2});
    EXPECT_TRUE(limits.take("a", kStart).allowed);
    EXPECT_TRUE(limits.take("b", kStart).allowed);
    EXPECT_FALSE(limits.take("a", kStart).allowed);
    EXPECT_TRUE(limits.take("c", kStart).allowed);  // b goes
    EXPECT_EQ(limits.clients(), 2U);
    EXPECT_FALSE(limits.take("a", kStart).allowed);
    EXPECT_TRUE(limits.take("b", kStart).allowed);  // c goes
    EXPECT_FALSE(limits.take("a", kStart).allowed);
}

TEST(ClientLimits, WithOtherRulesWhoHasUsedHalfOfItsBurstHasUsedHalfOfTheNewOne)
{
    ClientLimits limits({60, 4, 100});
    static_cast<void>(limits.take("a", kStart));
    static_cast<void>(limits.take("a", kStart));
    limits.change(120, 10, kStart);
    const auto verdict = limits.take("a", kStart);
    EXPECT_EQ(verdict.limit, 10U);
    EXPECT_EQ(verdict.remaining, 4U);
    EXPECT_EQ(verdict.untilFull, seconds(3));
    EXPECT_EQ(limits.take("b", kStart).remaining, 9U);
    limits.change(60, 2, kStart);
    EXPECT_FALSE(limits.take("a", kStart).remaining > 1) << "nobody gets more by it";
}

TEST(ClientLimits, TheFastestRateIsExactOverAMinute)
{
    ClientLimits limits({1'000'000, 1, 10});
    std::uint64_t allowed = 0;
    for (Time now = kStart; now < kStart + seconds(6); now += Time(20'000))
    {
        allowed += limits.take("a", now).allowed ? 1 : 0;
    }
    EXPECT_EQ(allowed, 100'000U);
}
}  // namespace relayer::core
