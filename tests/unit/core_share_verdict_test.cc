// What the vote chain's codes mean (helper-processor.md §6, its table of codes).
#include "core/share_verdict.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
constexpr std::size_t kFirst = 0;
constexpr std::size_t kSecond = 1;

Verdict said(std::uint32_t code, const char *codespace, std::size_t failures = kFirst,
             bool over = false)
{
    return verdictOf({code, codespace}, failures, over);
}

TEST(ShareVerdict, Row_6_Code_0_IsAcceptedWhereverItIsSaid)
{
    EXPECT_EQ(said(0, "").means, VerdictMeans::Accepted);
    EXPECT_EQ(said(0, "vote").means, VerdictMeans::Accepted);
}

TEST(ShareVerdict, Row_6_Code_2_IsASuccessOnlyOfTheVoteModule)
{
    EXPECT_EQ(said(2, "vote").means, VerdictMeans::AlreadySpent);
    EXPECT_EQ(said(2, "").means, VerdictMeans::PerhapsSpent) << "the nullifier tells";
    EXPECT_EQ(said(2, "sdk").means, VerdictMeans::Ended) << "a transaction that can not be read";
    EXPECT_EQ(said(2, "sdk").end, AttemptEnd::WillNotChange);
}

TEST(ShareVerdict, Rows_6_Codes_3_And_4_GoOnUntilTheRoundIsOver)
{
    for (const std::uint32_t code : {3U, 4U})
    {
        for (const char *codespace : {"vote", ""})
        {
            EXPECT_EQ(said(code, codespace, kFirst, false).end, AttemptEnd::MayGoBetter);
            EXPECT_EQ(said(code, codespace, kFirst, true).end, AttemptEnd::WillNotChange);
        }
    }
}

TEST(ShareVerdict, Row_6_Code_5_IsTriedOnceMore)
{
    EXPECT_EQ(said(5, "vote", kFirst).end, AttemptEnd::MayGoBetter);
    EXPECT_EQ(said(5, "vote", kSecond).end, AttemptEnd::WillNotChange);
}

TEST(ShareVerdict, Row_6_Code_7_IsTriedAgain)
{
    EXPECT_EQ(said(7, "vote", 4).end, AttemptEnd::MayGoBetter);
}

TEST(ShareVerdict, Rows_6_Codes_8_9_13_FailNow)
{
    for (const std::uint32_t code : {8U, 9U, 13U})
    {
        EXPECT_EQ(said(code, "vote").end, AttemptEnd::WillNotChange);
        EXPECT_EQ(said(code, "").end, AttemptEnd::WillNotChange);
        EXPECT_EQ(said(code, "sdk").end, AttemptEnd::MayGoBetter) << "another module's code";
    }
}

TEST(ShareVerdict, Row_6_OthersAreTriedAgain)
{
    EXPECT_EQ(said(99, "vote").end, AttemptEnd::MayGoBetter);
    EXPECT_EQ(said(1, "undefined").end, AttemptEnd::MayGoBetter);
    EXPECT_EQ(said(20, "sdk").end, AttemptEnd::ChainAway) << "its pool is full for everybody";
}

TEST(ShareVerdict, EachHasANameForTheRow)
{
    EXPECT_EQ(said(5, "vote").name, "invalid_proof");
    EXPECT_EQ(said(99, "vote").name, "chain_refused");
}
}  // namespace
}  // namespace relayer::core
