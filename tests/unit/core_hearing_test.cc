// What is overdue may only be ended by who has heard that no answer came.
#include "core/hearing.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Hearing::Patience kPatience = {seconds(40), seconds(30), minutes(10), seconds(25)};
constexpr Hearing::Time kStart = minutes(7);
constexpr seconds kRound(5);

// Asked in each round, as the sweeper does; whether it said so in any.
bool everSaysSo(Hearing &hearing, Hearing::Time from, Hearing::Time until)
{
    bool ever = false;
    for (Hearing::Time at = from; at <= until; at += kRound)
    {
        ever = hearing.silenceMeansNoAnswer(at) || ever;
    }
    return ever;
}

// Reads to the head in each round, too, the last time at `until`.
bool everSaysSoHearing(Hearing &hearing, Hearing::Time from, Hearing::Time until)
{
    bool ever = false;
    for (Hearing::Time at = from; at <= until; at += kRound)
    {
        hearing.heard(at);
        ever = hearing.silenceMeansNoAnswer(at) || ever;
    }
    return ever;
}
}  // namespace

TEST(Hearing, AStartHasHeardNothing)
{
    Hearing hearing(kPatience);
    EXPECT_FALSE(everSaysSo(hearing, kStart, kStart + minutes(9)));
}

TEST(Hearing, WhatWasHeardIsGivenTimeToBeActedUpon)
{
    Hearing hearing(kPatience);
    EXPECT_FALSE(everSaysSoHearing(hearing, kStart, kStart + seconds(25)));
    hearing.heard(kStart + seconds(30));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(kStart + seconds(31)));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(kStart + seconds(55)));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(kStart + seconds(70)));
}

TEST(Hearing, WhoFallsSilentHasNotHeard)
{
    Hearing hearing(kPatience);
    EXPECT_TRUE(everSaysSoHearing(hearing, kStart, kStart + minutes(5)));
    everSaysSo(hearing, kStart + minutes(5), kStart + minutes(5) + seconds(40));
    const auto silent = kStart + minutes(5) + seconds(41);
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(silent));
    // Back again, but what came meanwhile has only just been read.
    EXPECT_FALSE(everSaysSoHearing(hearing, silent, silent + seconds(25)));
    hearing.heard(silent + seconds(30));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(silent + seconds(30)));
}

TEST(Hearing, NobodyIsKeptWaitingForEverByADeafListener)
{
    Hearing hearing(kPatience);
    EXPECT_FALSE(everSaysSo(hearing, kStart, kStart + minutes(10) - kRound));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(kStart + minutes(10)));
    const auto heard = kStart + minutes(12);
    EXPECT_TRUE(everSaysSoHearing(hearing, kStart + minutes(10), heard));
    // The last time that all was known is when the silence was too long.
    const auto deaf = heard + seconds(40);
    everSaysSo(hearing, heard, deaf);
    EXPECT_FALSE(everSaysSo(hearing, deaf + kRound, deaf + minutes(10) - kRound));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(deaf + minutes(10)));
}

TEST(Hearing, OneReadingNowAndThenIsNoHearing)
{
    Hearing hearing(kPatience);
    for (int i = 0; i < 12; ++i)
    {
        const auto at = kStart + seconds(45) * i;
        hearing.heard(at);
        EXPECT_FALSE(everSaysSo(hearing, at, at + seconds(40))) << i;
    }
}

// A process that stood still, or whose database was away, or that begins to sweep only now: the
// time in which nobody asked is no time in which the chain was waited for.
TEST(Hearing, WhoWasAwayHasNotWaited)
{
    Hearing hearing(kPatience);
    EXPECT_TRUE(everSaysSoHearing(hearing, kStart, kStart + minutes(5)));
    const auto back = kStart + minutes(36);
    EXPECT_FALSE(hearing.silenceMeansNoAnswer(back));
    EXPECT_FALSE(everSaysSo(hearing, back, back + minutes(10) - kRound));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(back + minutes(10)));
}

// A chain without new blocks is read to its head by who can not write an answer down.
TEST(Hearing, WhoWasAwayActsFirstUponWhatWasHeardMeanwhile)
{
    Hearing hearing(kPatience);
    EXPECT_TRUE(everSaysSoHearing(hearing, kStart, kStart + minutes(5)));
    const auto back = kStart + minutes(36);
    for (Hearing::Time at = kStart + minutes(5); at < back; at += kRound)
    {
        hearing.heard(at);
    }
    EXPECT_FALSE(everSaysSoHearing(hearing, back, back + seconds(25)));
    hearing.heard(back + seconds(30));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(back + seconds(30)));
}

TEST(Hearing, WhoeverCatchesUpIsNotDeaf)
{
    Hearing hearing(kPatience);
    for (Hearing::Time at = kStart; at < kStart + minutes(30); at += kRound)
    {
        hearing.hearing(at);
        EXPECT_FALSE(hearing.silenceMeansNoAnswer(at));
    }
    const auto last = kStart + minutes(30) - kRound;
    EXPECT_FALSE(everSaysSo(hearing, last + kRound, last + minutes(10) - kRound));
    EXPECT_TRUE(hearing.silenceMeansNoAnswer(last + minutes(10)));
}
}  // namespace relayer::core
