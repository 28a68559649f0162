// What is overdue may only be ended by who has heard that no answer came.
#include "core/hearing.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Hearing::Patience kPatience = {seconds(40), seconds(30), minutes(10)};
constexpr Hearing::Time kStart = minutes(7);

// Reads every five seconds, the last time at `until`.
void hearFromTo(Hearing &hearing, Hearing::Time from, Hearing::Time until)
{
    for (Hearing::Time at = from; at <= until; at += seconds(5))
    {
        hearing.heard(at);
    }
}
}  // namespace

TEST(Hearing, AStartHasHeardNothing)
{
    const Hearing hearing(kPatience, kStart);
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(kStart));
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(kStart + minutes(9)));
}

TEST(Hearing, WhatWasHeardIsGivenTimeToBeActedUpon)
{
    Hearing hearing(kPatience, kStart);
    hearFromTo(hearing, kStart, kStart + seconds(25));
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(kStart + seconds(26)));
    hearing.heard(kStart + seconds(30));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(kStart + seconds(31)));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(kStart + seconds(70)));
}

TEST(Hearing, WhoFallsSilentHasNotHeard)
{
    Hearing hearing(kPatience, kStart);
    hearFromTo(hearing, kStart, kStart + minutes(5));
    const auto silent = kStart + minutes(5) + seconds(41);
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(silent));
    // Back again, but what came meanwhile has only just been read.
    hearing.heard(silent);
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(silent));
    hearFromTo(hearing, silent, silent + seconds(30));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(silent + seconds(30)));
}

TEST(Hearing, NobodyIsKeptWaitingForEverByADeafListener)
{
    Hearing hearing(kPatience, kStart);
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(kStart + minutes(10)));
    hearFromTo(hearing, kStart + minutes(11), kStart + minutes(12));
    const auto last = kStart + minutes(12);
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(last + minutes(9)));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(last + minutes(10)));
}

TEST(Hearing, OneReadingNowAndThenIsNoHearing)
{
    Hearing hearing(kPatience, kStart);
    for (int i = 0; i < 12; ++i)
    {
        const auto at = kStart + seconds(45) * i;
        hearing.heard(at);
        EXPECT_FALSE(hearing.silenceMeansNoAnswer(at)) << i;
    }
}
}  // namespace relayer::core
