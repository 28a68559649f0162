// Fees: the first offer, and raises that a node accepts as a replacement.

#include "chain/fees.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{
using relayer::chain::Fees;
using relayer::chain::gasLimitFor;
using relayer::chain::raiseFees;
using relayer::chain::suggestFees;
using relayer::chain::Uint256;

TEST(Fees, AreTwiceTheBaseFeeAndTheMedianReward)
{
    EXPECT_EQ(suggestFees(100, {5, 1, 3}), (Fees{203, Uint256(3)}));
    EXPECT_EQ(suggestFees(100, {5, 1, 3, 4}), (Fees{203, Uint256(3)}))
        << "mean of 3 and 4, rounded";
    EXPECT_EQ(suggestFees(100, {0, 0, 7}), (Fees{207, Uint256(7)})) << "empty blocks do not count";
    EXPECT_EQ(suggestFees(100, {}), (Fees{201, Uint256(1)}));
    EXPECT_EQ(suggestFees(0, {0}), (Fees{1, Uint256(1)}));
}

TEST(Fees, OfALyingNodeDoNotOverflow)
{
    const Uint256 all = std::numeric_limits<Uint256>::max();
    const Fees fees = suggestFees(all, {all, all});
    EXPECT_GT(fees.maxFeePerGas, *fees.maxPriorityFeePerGas);
    EXPECT_TRUE(raiseFees({all, all}, {all, all}, 1000, all).has_value());
}

TEST(Fees, AReplacementOffersMoreInBothParts)
{
    const auto raised = raiseFees({200, Uint256(10)}, {100, Uint256(1)}, 12, 10'000);
    EXPECT_EQ(raised, (Fees{224, Uint256(12)}));
    EXPECT_EQ(raiseFees({8, Uint256(1)}, {8, Uint256(1)}, 10, 10'000), (Fees{9, Uint256(2)}))
        << "small fees are raised, too";
}

TEST(Fees, AReplacementFollowsTheMarketWhenThatIsMore)
{
    EXPECT_EQ(raiseFees({200, Uint256(10)}, {900, Uint256(40)}, 12, 10'000),
              (Fees{900, Uint256(40)}));
}

TEST(Fees, TheCapHoldsAndARaiseThatNobodyWouldTakeIsNone)
{
    EXPECT_EQ(raiseFees({200, Uint256(10)}, {900, Uint256(40)}, 12, 300), (Fees{300, Uint256(40)}));
    EXPECT_EQ(raiseFees({200, Uint256(10)}, {900, Uint256(40)}, 12, 223), std::nullopt);
    EXPECT_EQ(raiseFees({200, Uint256(10)}, {900, Uint256(400)}, 12, 300),
              (Fees{300, Uint256(300)}))
        << "the priority is part of the whole";
}

TEST(Fees, OfAChainWithoutABaseFeeAreOnePrice)
{
    EXPECT_EQ(raiseFees({200, std::nullopt}, {100, std::nullopt}, 10, 10'000),
              (Fees{220, std::nullopt}));
}

TEST(GasLimit, IsTheEstimateAndAFifth)
{
    EXPECT_EQ(gasLimitFor(100'001, 120), 120'001U);
    EXPECT_EQ(gasLimitFor(0, 120), 0U);
    EXPECT_EQ(gasLimitFor(std::numeric_limits<std::uint64_t>::max(), 120),
              std::numeric_limits<std::uint64_t>::max());
}
}  // namespace
