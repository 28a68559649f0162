// Where claims begin: at the last ones, or a moment behind them, and never beyond what is known to
// be free.
#include "plugins/claim_floor.h"

#include <gtest/gtest.h>

namespace relayer::plugins
{
namespace
{
// Where a look back begins.
std::int64_t behind(ClaimFloor floor)
{
    const auto start = floor.next(ClaimFloor::TimePoint::max());
    EXPECT_TRUE(start.looksBack);
    return start.after;
}
}  // namespace

TEST(ClaimFloor, LooksBackAMomentBehindTheClaims)
{
    ClaimFloor floor;
    ClaimFloor::TimePoint now(std::chrono::hours(1));
    floor.claimed(5, now);
    EXPECT_EQ(behind(floor), 0);
    floor.claimed(9, now + ClaimFloor::kBehind / 2);
    EXPECT_EQ(behind(floor), 0);
    now += ClaimFloor::kBehind;
    floor.claimed(20, now);
    EXPECT_EQ(behind(floor), 5);
    floor.claimed(21, now + ClaimFloor::kBehind);
    EXPECT_EQ(behind(floor), 20);
}

TEST(ClaimFloor, BeginsAtTheLastTicketWhileClaimsFollowEachOtherClosely)
{
    ClaimFloor floor;
    ClaimFloor::TimePoint now(std::chrono::hours(1));
    EXPECT_TRUE(floor.next(now).looksBack) << "the first one";
    floor.claimed(5, now);
    auto start = floor.next(now + ClaimFloor::kLookBackEvery / 2);
    EXPECT_FALSE(start.looksBack);
    EXPECT_EQ(start.after, 5);
    EXPECT_TRUE(floor.mayBeMore(start, 10, 10));
    EXPECT_FALSE(floor.next(now + ClaimFloor::kLookBackEvery / 2).looksBack);
    start = floor.next(now + ClaimFloor::kLookBackEvery);
    EXPECT_TRUE(start.looksBack);
    EXPECT_EQ(start.after, 0);
}

TEST(ClaimFloor, TakesNothingForFreeOnlyAfterALookBack)
{
    ClaimFloor floor;
    const ClaimFloor::TimePoint now(std::chrono::hours(1));
    auto start = floor.next(now);
    EXPECT_FALSE(floor.mayBeMore(start, 10, 9)) << "it looked back";
    floor.claimed(9, now);
    start = floor.next(now);
    ASSERT_FALSE(start.looksBack);
    EXPECT_TRUE(floor.mayBeMore(start, 10, 3));
    start = floor.next(now);
    EXPECT_TRUE(start.looksBack);
    EXPECT_FALSE(floor.mayBeMore(start, 10, 0));
}

TEST(ClaimFloor, ComesBackForWhatIsFreeBelowIt)
{
    ClaimFloor floor;
    ClaimFloor::TimePoint now(std::chrono::hours(1));
    floor.claimed(50, now);
    floor.claimed(60, now += ClaimFloor::kBehind);
    ASSERT_EQ(behind(floor), 50);
    floor.measured(std::nullopt);
    EXPECT_EQ(behind(floor), 50);
    floor.measured(70);
    EXPECT_EQ(behind(floor), 50);
    floor.measured(30);
    EXPECT_EQ(behind(floor), 29);
    floor.claimed(30, now += ClaimFloor::kBehind);
    floor.claimed(31, now += ClaimFloor::kBehind);
    EXPECT_EQ(behind(floor), 30) << "and goes on from there";
}
}  // namespace relayer::plugins
