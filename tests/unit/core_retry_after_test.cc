// The example tables of the requirement (Dynamic Retry-After), row by row, and what must hold for
// any numbers.
#include "core/retry_after.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace relayer::core
{
namespace
{
using std::chrono::seconds;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Those of the examples, whose B(E) is 3 s at any time.
RetryAfterSettings exampleSettings()
{
    RetryAfterSettings settings;
    settings.inputProofMs = 2000;
    settings.publicDecryptMs = 4000;
    settings.userDecryptMs = 4000;
    settings.readinessCheckMs = 2000;
    settings.txConfirmationMs = 100;
    settings.backoff = {{seconds::max(), seconds(3)}};
    return settings;
}

Standing at(Kind kind, Stage stage, std::uint64_t position, std::uint64_t txQueue)
{
    Standing standing;
    standing.kind = kind;
    standing.stage = stage;
    standing.position = position;
    standing.txQueueLength = txQueue;
    standing.txPerSecond = 10;
    standing.readinessConcurrency = 50;
    return standing;
}

struct Row
{
    std::uint64_t number;
    std::uint64_t ms;
    std::uint64_t seconds;
};

void expectTable(Kind kind, Stage stage, const std::vector<Row> &rows)
{
    const RetryAfterSettings settings = exampleSettings();
    for (const Row &row : rows)
    {
        const Standing standing = at(kind, stage, row.number, row.number);
        EXPECT_EQ(estimateMs(settings, standing), row.ms) << row.number;
        EXPECT_EQ(retryAfterSeconds(settings, standing), row.seconds) << row.number;
    }
}

TEST(RetryAfter, InputProofsInTheQueueAreAsTheTableSays)
{
    expectTable(Kind::InputProof, Stage::InTxQueue,
                {{0, 2100, 3}, {1, 2200, 3}, {10, 3100, 4}, {100, 12100, 15}, {1000, 102100, 123}});
}

TEST(RetryAfter, DecryptionsBeforeReadinessAreAsTheTableSays)
{
    for (const Kind kind : {Kind::PublicDecrypt, Kind::UserDecrypt})
    {
        expectTable(
            kind, Stage::InReadiness,
            {{0, 4100, 5}, {1, 4220, 6}, {10, 5300, 7}, {100, 16100, 20}, {1000, 124100, 149}});
    }
}

TEST(RetryAfter, DecryptionsBetweenTheQueuesAreAsTheTableSays)
{
    for (const Kind kind : {Kind::PublicDecrypt, Kind::UserDecrypt})
    {
        expectTable(
            kind, Stage::BetweenQueues,
            {{0, 6100, 8}, {1, 6200, 8}, {10, 7100, 9}, {100, 16100, 20}, {1000, 106100, 128}});
    }
}

TEST(RetryAfter, DecryptionsInTheQueueBeforeTheChainAreAsTheTableSays)
{
    for (const Kind kind : {Kind::PublicDecrypt, Kind::UserDecrypt})
    {
        expectTable(
            kind, Stage::InTxQueue,
            {{0, 4100, 5}, {1, 4200, 6}, {10, 5100, 7}, {100, 14100, 17}, {1000, 104100, 125}});
    }
}

TEST(RetryAfter, InFlightItIsTheProcessingTimeAndNothingElse)
{
    const RetryAfterSettings settings = exampleSettings();
    for (const std::uint64_t queue : {0, 100, 1000})
    {
        EXPECT_EQ(
            retryAfterSeconds(settings, at(Kind::InputProof, Stage::TxInFlight, queue, queue)), 3U);
        EXPECT_EQ(
            retryAfterSeconds(settings, at(Kind::PublicDecrypt, Stage::TxInFlight, queue, queue)),
            5U);
        EXPECT_EQ(
            retryAfterSeconds(settings, at(Kind::UserDecrypt, Stage::TxInFlight, queue, queue)),
            5U);
    }
}

TEST(RetryAfter, TheSummaryTableHolds)
{
    const RetryAfterSettings settings = exampleSettings();
    const auto says = [&settings](Kind kind, Stage stage) {
        return retryAfterSeconds(settings, at(kind, stage, 100, 100));
    };
    EXPECT_EQ(says(Kind::InputProof, Stage::InTxQueue), 15U);
    EXPECT_EQ(says(Kind::PublicDecrypt, Stage::InReadiness), 20U);
    EXPECT_EQ(says(Kind::PublicDecrypt, Stage::InTxQueue), 17U);
    EXPECT_EQ(says(Kind::InputProof, Stage::AwaitsAnswer), 3U);
    EXPECT_EQ(says(Kind::PublicDecrypt, Stage::AwaitsAnswer), 3U);
}

TEST(RetryAfter, WhatIsOverNeedsNoReturn)
{
    for (const Kind kind : kAllKinds)
    {
        EXPECT_EQ(retryAfterSeconds(exampleSettings(), at(kind, Stage::Over, 7, 7)), 0U);
    }
}

TEST(RetryAfter, AnswersOfOthersAreWaitedForByTheBackoffTable)
{
    RetryAfterSettings settings = exampleSettings();
    settings.backoff = standardBackoff();
    const std::vector<std::pair<std::int64_t, std::uint64_t>> rows = {
        {0, 4},    {59, 4},   {60, 10},   {119, 10},   {120, 30},       {299, 30},
        {300, 60}, {899, 60}, {900, 300}, {3600, 300}, {1'000'000, 300}};
    for (const auto &[elapsed, expected] : rows)
    {
        Standing standing = at(Kind::UserDecrypt, Stage::AwaitsAnswer, 0, 0);
        standing.inState = seconds(elapsed);
        EXPECT_EQ(retryAfterSeconds(settings, standing), expected) << elapsed << " s";
    }
}

TEST(RetryAfter, TheMarginIsDecimal)
{
    // With a binary 0.2 this is one second more (2500 ms and a fifth are exactly 3 s).
    RetryAfterSettings settings = exampleSettings();
    settings.inputProofMs = 2400;
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::InTxQueue, 0, 0)), 3U);
    settings.marginMillionths = 0;
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::InTxQueue, 0, 0)), 3U);
    settings.marginMillionths = 1'000'000;
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::InTxQueue, 0, 0)), 5U);
}

TEST(RetryAfter, NothingIsRoundedBeforeTheEnd)
{
    // 1/3 s and 2/3 s of two queues are one second, not 999 ms and not 1001.
    RetryAfterSettings settings = exampleSettings();
    settings.marginMillionths = 0;
    settings.publicDecryptMs = 0;
    settings.txConfirmationMs = 0;
    Standing standing = at(Kind::PublicDecrypt, Stage::InReadiness, 1, 2);
    standing.readinessConcurrency = 3;
    standing.txPerSecond = 3;
    EXPECT_EQ(estimateMs(settings, standing), 1000U);
    EXPECT_EQ(retryAfterSeconds(settings, standing), 1U);
}

TEST(RetryAfter, StaysWithinItsBoundsAndTheLowerOneWins)
{
    RetryAfterSettings settings = exampleSettings();
    settings.minSeconds = 7;
    settings.maxSeconds = 9;
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::InTxQueue, 0, 0)), 7U);
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::InTxQueue, 5000, 0)), 9U);
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::AwaitsAnswer, 0, 0)), 7U);
    // The reference ends its process here.
    settings.minSeconds = 400;
    settings.maxSeconds = 300;
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::InTxQueue, 0, 0)), 400U);
    settings.minSeconds = 0;
    settings.maxSeconds = 0;
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::InTxQueue, 0, 0)), 1U);
}

TEST(RetryAfter, AQueueThatStandsStillSaysTheUpperBound)
{
    const RetryAfterSettings settings = exampleSettings();
    Standing standing = at(Kind::UserDecrypt, Stage::InReadiness, 0, 0);
    standing.readinessConcurrency = 0;
    EXPECT_EQ(retryAfterSeconds(settings, standing), 300U);
    standing = at(Kind::InputProof, Stage::InTxQueue, 0, 0);
    standing.txPerSecond = 0;
    EXPECT_EQ(retryAfterSeconds(settings, standing), 300U);
}

TEST(RetryAfter, AnEmptyBackoffTableSaysTheLowerBound)
{
    RetryAfterSettings settings = exampleSettings();
    settings.backoff.clear();
    settings.minSeconds = 2;
    EXPECT_EQ(retryAfterSeconds(settings, at(Kind::InputProof, Stage::AwaitsAnswer, 0, 0)), 2U);
}

TEST(RetryAfter, WhoWasTurnedAwayComesBackWhenThereIsRoom)
{
    const RetryAfterSettings settings = exampleSettings();
    EXPECT_EQ(secondsUntilRoom(settings, 1, 10), 1U);
    EXPECT_EQ(secondsUntilRoom(settings, 100, 10), 12U);
    EXPECT_EQ(secondsUntilRoom(settings, kMost, 1), 300U);
    EXPECT_EQ(secondsUntilRoom(settings, 1, 0), 300U);
}

// A number of any size, large ones as likely as small ones.
std::uint64_t anyNumber(std::mt19937_64 &random)
{
    const std::uint64_t digits = random() % 65;
    return digits == 0 ? 0 : random() >> (64 - digits);
}

TEST(RetryAfter, IsTotalAndNeverShrinksWithThePosition)
{
    std::mt19937_64 random(20261119);
    for (int i = 0; i < 100'000; ++i)
    {
        RetryAfterSettings settings;
        settings.minSeconds = anyNumber(random);
        settings.maxSeconds = anyNumber(random);
        settings.marginMillionths = anyNumber(random);
        settings.inputProofMs = anyNumber(random);
        settings.publicDecryptMs = anyNumber(random);
        settings.userDecryptMs = anyNumber(random);
        settings.readinessCheckMs = anyNumber(random);
        settings.txConfirmationMs = anyNumber(random);
        Standing standing;
        standing.kind = kAllKinds.at(random() % kKinds);
        standing.stage = static_cast<Stage>(random() % 5);
        standing.position = anyNumber(random);
        standing.txQueueLength = anyNumber(random);
        standing.txPerSecond = anyNumber(random);
        standing.readinessConcurrency = anyNumber(random);
        standing.inState = std::chrono::milliseconds(static_cast<std::int64_t>(anyNumber(random)));
        const std::uint64_t here = retryAfterSeconds(settings, standing);
        ASSERT_GE(here, 1U);
        ASSERT_GE(here, settings.minSeconds);
        ASSERT_LE(here, std::max({settings.minSeconds, settings.maxSeconds, std::uint64_t{1}}));
        Standing behind = standing;
        behind.position = standing.position == kMost ? kMost : standing.position + 1;
        ASSERT_GE(retryAfterSeconds(settings, behind), here);
    }
}
}  // namespace
}  // namespace relayer::core
