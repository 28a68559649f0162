#include "core/lane_lease.h"

#include <gtest/gtest.h>

namespace relayer::core
{
using std::chrono::seconds;
using Due = LaneLease::Due;

TEST(LaneLease, IsAskedForAtOnceAndThenEachSecond)
{
    LaneLease lease(seconds(15));
    EXPECT_EQ(lease.due(seconds(0)), Due::Acquire);
    lease.acquiring(seconds(0));
    EXPECT_EQ(lease.due(seconds(0)), Due::Nothing);
    EXPECT_EQ(lease.due(seconds(1)), Due::Acquire);
    EXPECT_FALSE(lease.held());
}

TEST(LaneLease, IsRenewedAfterAThirdAndNotBelievedAfterItsEnd)
{
    LaneLease lease(seconds(15));
    lease.taken(seconds(100));
    EXPECT_TRUE(lease.held());
    EXPECT_EQ(lease.due(seconds(104)), Due::Nothing);
    EXPECT_EQ(lease.due(seconds(105)), Due::Renew);
    EXPECT_EQ(lease.due(seconds(114)), Due::Renew);
    EXPECT_EQ(lease.due(seconds(115)), Due::RunOut);
    lease.renewed(seconds(114));
    EXPECT_EQ(lease.due(seconds(115)), Due::Nothing);
    lease.notRenewed(seconds(119));
    EXPECT_EQ(lease.due(seconds(119)), Due::Nothing);
    EXPECT_EQ(lease.due(seconds(120)), Due::Renew);
}

TEST(LaneLease, WhatIsLostIsAskedForAgainAfterOneLease)
{
    LaneLease lease(seconds(15));
    EXPECT_FALSE(lease.lost(seconds(0))) << "it was not ours";
    lease.taken(seconds(0));
    EXPECT_TRUE(lease.lost(seconds(3)));
    EXPECT_FALSE(lease.held());
    EXPECT_EQ(lease.due(seconds(17)), Due::Nothing);
    EXPECT_EQ(lease.due(seconds(18)), Due::Acquire);
}

TEST(LaneLease, InDoubtIsNotHeldAndReadAtOnce)
{
    LaneLease lease(seconds(15));
    lease.taken(seconds(0));
    lease.doubt(seconds(2));
    EXPECT_FALSE(lease.held());
    EXPECT_TRUE(lease.inDoubt());
    EXPECT_EQ(lease.due(seconds(2)), Due::Acquire);
    // A renewal that was under way says nothing of the nonces.
    lease.renewed(seconds(1));
    EXPECT_TRUE(lease.inDoubt());
}
}  // namespace relayer::core
