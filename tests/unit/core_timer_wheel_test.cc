// The timer wheel, against a clock that the test moves.
#include "core/timer_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace relayer::core
{
namespace
{
using namespace std::chrono_literals;
using Wheel = TimerWheel<int>;
using Items = std::vector<int>;

Wheel wheelOf(std::size_t slots = 8, std::size_t capacity = 100)
{
    return {{10ms, slots, capacity}, 0ms};
}

TEST(TimerWheel, GivesNothingBeforeItsTimeAndAllOfATickTogether)
{
    Wheel wheel = wheelOf();
    ASSERT_TRUE(wheel.add(25ms, 1));
    ASSERT_TRUE(wheel.add(30ms, 2));
    ASSERT_TRUE(wheel.add(31ms, 3));
    EXPECT_EQ(wheel.nextLook(), 30ms);
    EXPECT_EQ(wheel.takeDue(29ms), Items{});
    EXPECT_EQ(wheel.takeDue(30ms), (Items{1, 2}));
    EXPECT_EQ(wheel.nextLook(), 40ms);
    EXPECT_EQ(wheel.takeDue(45ms), (Items{3}));
    EXPECT_EQ(wheel.nextLook(), std::nullopt);
    EXPECT_EQ(wheel.size(), 0U);
}

TEST(TimerWheel, WhatIsDueInALaterRoundStaysUntilThen)
{
    Wheel wheel = wheelOf();
    ASSERT_TRUE(wheel.add(20ms, 1));
    ASSERT_TRUE(wheel.add(100ms, 2));  // the same slot, a round later
    EXPECT_EQ(wheel.takeDue(20ms), Items{1});
    EXPECT_EQ(wheel.takeDue(95ms), Items{});
    EXPECT_EQ(wheel.takeDue(100ms), Items{2});
}

TEST(TimerWheel, AfterAJumpOverTheWholeRingAllComesInOrder)
{
    Wheel wheel = wheelOf();
    for (const int ms : {500, 10, 90, 170, 250, 2000})
    {
        ASSERT_TRUE(wheel.add(std::chrono::milliseconds(ms), ms));
    }
    EXPECT_EQ(wheel.takeDue(1999ms), (Items{10, 90, 170, 250, 500}));
    EXPECT_EQ(wheel.takeDue(2000ms), Items{2000});
}

TEST(TimerWheel, WhatIsOverdueWhenItIsAddedComesWithTheNextTick)
{
    Wheel wheel = wheelOf();
    EXPECT_EQ(wheel.takeDue(50ms), Items{});
    ASSERT_TRUE(wheel.add(10ms, 1));
    EXPECT_EQ(wheel.nextLook(), 60ms);
    EXPECT_EQ(wheel.takeDue(60ms), Items{1});
}

TEST(TimerWheel, RefusesWhatItHasNoRoomForAndForgetsWhatItIsTold)
{
    Wheel wheel = wheelOf(8, 2);
    EXPECT_TRUE(wheel.add(10ms, 1));
    EXPECT_TRUE(wheel.add(10ms, 2));
    EXPECT_FALSE(wheel.add(10ms, 3));
    wheel.clear();
    EXPECT_EQ(wheel.takeDue(100ms), Items{});
    EXPECT_TRUE(wheel.add(110ms, 4));
}

TEST(TimerWheel, AgreesWithASortedListOverManyRandomSteps)
{
    std::mt19937 random(1);
    Wheel wheel = wheelOf(16, 1000);
    std::multimap<std::int64_t, int> list;  // by tick
    Wheel::Time now{0};
    for (int step = 0; step < 20'000; ++step)
    {
        now += std::chrono::milliseconds(random() % 30 == 0 ? 700 : random() % 7);
        Items expected;
        const auto end = list.upper_bound(now / 10ms);
        std::for_each(list.begin(), end,
                      [&](const auto &each) { expected.push_back(each.second); });
        list.erase(list.begin(), end);
        Items due = wheel.takeDue(now);
        ASSERT_TRUE(std::ranges::is_permutation(due, expected)) << "at step " << step;
        const auto wait = std::chrono::milliseconds(random() % 400);
        if (wheel.add(now + wait, step))
        {
            const std::int64_t tick = (now + wait + 10ms - 1ns) / 10ms;
            list.emplace(std::max(tick, now / 10ms + 1), step);
        }
        ASSERT_EQ(wheel.size(), list.size());
        ASSERT_TRUE(list.empty() || wheel.nextLook() <= list.begin()->first * 10ms);
    }
}
}  // namespace
}  // namespace relayer::core
