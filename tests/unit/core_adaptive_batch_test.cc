#include "core/adaptive_batch.h"

#include <gtest/gtest.h>

namespace relayer::core
{
TEST(AdaptiveBatch, HalvesDownToItsLeastAndNeverBelow)
{
    AdaptiveBatch batch(500, 100);
    EXPECT_EQ(batch.rows(), 500U);
    batch.tookTooLong();
    EXPECT_EQ(batch.rows(), 250U);
    batch.tookTooLong();
    batch.tookTooLong();
    batch.tookTooLong();
    EXPECT_EQ(batch.rows(), 100U);
}

TEST(AdaptiveBatch, GrowsBackAfterSeveralThatWentInARow)
{
    AdaptiveBatch batch(400, 10);
    batch.tookTooLong();
    for (int i = 0; i < 7; ++i)
    {
        batch.went();
        EXPECT_EQ(batch.rows(), 200U) << i;
    }
    batch.went();
    EXPECT_EQ(batch.rows(), 400U);
    for (int i = 0; i < 20; ++i)
    {
        batch.went();
    }
    EXPECT_EQ(batch.rows(), 400U);
}

TEST(AdaptiveBatch, OneThatTookTooLongBeginsTheCountAnew)
{
    AdaptiveBatch batch(400, 10);
    batch.tookTooLong();
    for (int i = 0; i < 7; ++i)
    {
        batch.went();
    }
    batch.tookTooLong();
    batch.went();
    EXPECT_EQ(batch.rows(), 100U);
}

TEST(AdaptiveBatch, TakesOneRowWhereItIsToldNone)
{
    AdaptiveBatch batch(0, 0);
    batch.tookTooLong();
    EXPECT_EQ(batch.rows(), 1U);
}
}  // namespace relayer::core
