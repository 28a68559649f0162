// What the second estimator of Retry-After learns, and what it is worth on the committed workload.
#include "core/drain_rate.h"
#include "core/fading_quantiles.h"
#include "core/measured_retry_after.h"
#include "core/promises.h"
#include "support/polling_world.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <set>

namespace relayer::core
{
namespace
{
using std::chrono::milliseconds;
using std::chrono::seconds;

JobId jobOf(std::uint8_t number)
{
    JobId::Raw raw{};
    raw.fill(number);
    return JobId::fromRandom(raw);
}

RetryAfterSettings nominal()
{
    RetryAfterSettings settings;
    settings.inputProofMs = 2000;
    settings.publicDecryptMs = settings.userDecryptMs = 4000;
    settings.readinessCheckMs = 2000;
    settings.txConfirmationMs = 100;
    return settings;
}

Standing proofAt(Stage stage, std::uint64_t position = 0)
{
    Standing standing;
    standing.stage = stage;
    standing.position = position;
    standing.txPerSecond = 10;
    return standing;
}

void teach(MeasuredRetryAfter &estimator, const Standing &standing, milliseconds lasts)
{
    for (int i = 0; i < 100; ++i)
    {
        estimator.learn(standing, lasts);
    }
}
}  // namespace

TEST(FadingQuantiles, SaysNothingBeforeThereIsEnough)
{
    FadingQuantiles durations;
    EXPECT_EQ(durations.quantile(0.5, 0), std::nullopt);
    for (int i = 0; i < 19; ++i)
    {
        durations.add(1000);
        EXPECT_EQ(durations.quantile(0.5, 0), std::nullopt);
    }
    durations.add(1000);
    durations.add(1000);
    EXPECT_TRUE(durations.quantile(0.5, 0));
}

TEST(FadingQuantiles, KnowsAnyQuantileWithinAFewPercent)
{
    FadingQuantiles durations;
    for (std::uint64_t ms = 1000; ms < 2000; ++ms)
    {
        durations.add(ms * 7919 % 1000 + 1000);
    }
    EXPECT_NEAR(static_cast<double>(durations.quantile(0.5, 0).value()), 1500, 60);
    EXPECT_NEAR(static_cast<double>(durations.quantile(0.9, 0).value()), 1900, 60);
    EXPECT_NEAR(static_cast<double>(durations.quantile(0.5, 1500).value()), 1750, 60)
        << "of those that lasted longer than that";
    EXPECT_EQ(durations.quantile(0.5, 5000), std::nullopt) << "none lasted that long";
}

TEST(FadingQuantiles, ForgetsWhatUsedToBe)
{
    FadingQuantiles durations;
    for (int i = 0; i < 1000; ++i)
    {
        durations.add(1000);
    }
    for (int i = 0; i < 1000; ++i)
    {
        durations.add(8000);
    }
    EXPECT_NEAR(static_cast<double>(durations.quantile(0.5, 0).value()), 8000, 400);
}

TEST(FadingQuantiles, AnyInputHasAnOutcome)
{
    FadingQuantiles durations;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 200'000; ++i)
    {
        durations.add(i % 2 == 0 ? most : 0);
    }
    EXPECT_GT(durations.quantile(1, 0).value(), 3'000'000U);
    EXPECT_EQ(durations.quantile(0, 0).value(), 0U);
    static_cast<void>(durations.quantile(2, most));
    static_cast<void>(durations.quantile(-1, most));
}

TEST(DrainRate, CountsWhatLeavesInFrontOfTheOneThatIsWatched)
{
    DrainRate rate;
    EXPECT_EQ(rate.perSecond(), std::nullopt);
    rate.offer(700, 100, seconds(0));
    rate.offer(900, 300, seconds(0));
    EXPECT_EQ(rate.watched(), 700) << "one at a time";
    for (int second = 1; second < 10; ++second)
    {
        rate.look(seconds(second), 100 - static_cast<std::size_t>(second) * 10);
    }
    EXPECT_NEAR(rate.perSecond().value(), 10, 0.01);
    rate.look(seconds(10), 0);
    EXPECT_EQ(rate.watched(), std::nullopt);
    EXPECT_NEAR(rate.perSecond().value(), 10, 0.01) << "an empty queue says nothing";
}

TEST(DrainRate, AQueueThatStandsStillHasNone)
{
    DrainRate rate;
    rate.offer(700, 100, seconds(0));
    for (int second = 1; second < 10; ++second)
    {
        rate.look(seconds(second), 100);
    }
    EXPECT_EQ(rate.perSecond(), 0);
}

TEST(Promises, KeepWhatWasToldFirstAndLastAndForgetTheOldest)
{
    Promises promises(2);
    const auto tell = [&](std::uint8_t job, int at) {
        promises.told(jobOf(job), {Standing(), seconds(at), seconds(3)});
    };
    tell(1, 10);
    tell(1, 13);
    tell(1, 16);
    tell(2, 20);
    const auto kept = promises.fetched(jobOf(1));
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->first.at, seconds(10));
    EXPECT_EQ(kept->last.at, seconds(16));
    EXPECT_EQ(kept->times, 3U);
    EXPECT_FALSE(promises.fetched(jobOf(1)));
    tell(3, 30);
    tell(4, 40);
    EXPECT_FALSE(promises.fetched(jobOf(2)));
    EXPECT_TRUE(promises.fetched(jobOf(3)));
    EXPECT_TRUE(promises.fetched(jobOf(4)));
    EXPECT_EQ(promises.size(), 0U);
}

TEST(MeasuredRetryAfter, AnswersAsNominalUntilItHasSeenEnough)
{
    const MeasuredRetryAfter estimator(nominal());
    for (const std::uint64_t position : {0U, 1U, 10U, 100U, 1000U})
    {
        const Standing standing = proofAt(Stage::InTxQueue, position);
        EXPECT_EQ(estimator.seconds(standing, jobOf(1)), retryAfterSeconds(nominal(), standing));
    }
    EXPECT_EQ(estimator.seconds(proofAt(Stage::AwaitsAnswer), jobOf(1)), 4U);
    EXPECT_EQ(estimator.seconds(proofAt(Stage::Over), jobOf(1)), 0U);
}

TEST(MeasuredRetryAfter, LearnsHowLongThingsTakeHereForEachStageAndKind)
{
    MeasuredRetryAfter estimator(nominal());
    teach(estimator, proofAt(Stage::InTxQueue), seconds(20));
    EXPECT_NEAR(static_cast<double>(estimator.seconds(proofAt(Stage::InTxQueue), jobOf(7))), 20, 2);
    EXPECT_NEAR(static_cast<double>(estimator.seconds(proofAt(Stage::InTxQueue, 100), jobOf(7))),
                30, 2)
        << "a hundred at ten a second";
    EXPECT_EQ(estimator.estimateMs(proofAt(Stage::TxInFlight)), std::nullopt);
    Standing other = proofAt(Stage::InTxQueue);
    other.kind = Kind::UserDecrypt;
    EXPECT_EQ(estimator.estimateMs(other), std::nullopt);
}

TEST(MeasuredRetryAfter, WhoHasWaitedForAnAnswerIsToldOfTheRest)
{
    MeasuredRetryAfter estimator(nominal());
    teach(estimator, proofAt(Stage::AwaitsAnswer), seconds(30));
    Standing standing = proofAt(Stage::AwaitsAnswer);
    standing.inState = seconds(20);
    EXPECT_NEAR(static_cast<double>(estimator.seconds(standing, jobOf(7))), 10, 3);
    standing.inState = std::chrono::minutes(10);
    EXPECT_EQ(estimator.seconds(standing, jobOf(7)), 60U) << "longer than any: the backoff table";
}

TEST(MeasuredRetryAfter, AQueueThatDrainsSlowerThanItShouldIsSeen)
{
    MeasuredRetryAfter estimator(nominal());
    teach(estimator, proofAt(Stage::InTxQueue), seconds(1));
    DrainRate &rate = estimator.beforeTheChain(Kind::InputProof);
    rate.offer(1000, 100, seconds(0));
    for (int second = 1; second < 20; ++second)
    {
        rate.look(seconds(second), 100 - static_cast<std::size_t>(second) * 2);
    }
    EXPECT_NEAR(static_cast<double>(estimator.seconds(proofAt(Stage::InTxQueue, 100), jobOf(7))),
                51, 2);
}

TEST(MeasuredRetryAfter, StaysWithinTheBoundsAndIsNeverZero)
{
    RetryAfterSettings settings = nominal();
    settings.minSeconds = 2;
    settings.maxSeconds = 60;
    MeasuredRetryAfter estimator(settings);
    teach(estimator, proofAt(Stage::InTxQueue), milliseconds(10));
    EXPECT_EQ(estimator.seconds(proofAt(Stage::InTxQueue), jobOf(1)), 2U);
    EXPECT_EQ(estimator.seconds(proofAt(Stage::InTxQueue, 1'000'000), jobOf(1)), 60U);
    Standing stuck = proofAt(Stage::InTxQueue, 5);
    stuck.txPerSecond = 0;
    EXPECT_EQ(estimator.seconds(stuck, jobOf(1)), 60U);
}

TEST(MeasuredRetryAfter, ThoseAtOnePlaceAreToldALittleApartEachAlwaysTheSame)
{
    MeasuredRetryAfter estimator(nominal());
    teach(estimator, proofAt(Stage::InTxQueue), milliseconds(20'400));
    std::set<std::uint64_t> told;
    for (std::uint8_t number = 0; number < 255; ++number)
    {
        const auto seconds = estimator.seconds(proofAt(Stage::InTxQueue), jobOf(number));
        EXPECT_EQ(seconds, estimator.seconds(proofAt(Stage::InTxQueue), jobOf(number)));
        told.insert(seconds);
    }
    EXPECT_EQ(told.size(), 2U);
    EXPECT_LE(*told.rbegin() - *told.begin(), 1U);
}

// On 10,500 requests, at loads from half of what the queues drain to three times that.
TEST(Estimators, MeasuredIsRightMoreOftenAskedLessAndNoLaterThanTheReference)
{
    const test::Workload workload = test::committedWorkload();
    ASSERT_LE(workload.sigma, 0.2);
    ASSERT_EQ(workload.phases.front().load, 0.5);
    ASSERT_EQ(workload.phases.back().load, 3);
    const test::Figures reference = simulate(workload, test::Estimator::Reference);
    const test::Figures measured = simulate(workload, test::Estimator::Measured);
    std::printf(
        "# measured: median error %.1f %%, polls %.2f (reference %.2f), lateness %.2f s"
        " (reference %.2f s)\n",
        measured.medianError * 100, measured.polls, reference.polls, measured.meanLateness,
        reference.meanLateness);
    EXPECT_GE(measured.requests, 10'000U);
    EXPECT_LT(measured.medianError, 0.2);
    EXPECT_LE(measured.polls, 0.7 * reference.polls);
    EXPECT_LE(measured.meanLateness, reference.meanLateness);
}

TEST(Estimators, OneSeedHasOneResult)
{
    const test::Workload workload = test::committedWorkload();
    const test::Figures once = simulate(workload, test::Estimator::Measured);
    const test::Figures again = simulate(workload, test::Estimator::Measured);
    EXPECT_EQ(once.medianError, again.medianError);
    EXPECT_EQ(once.polls, again.polls);
    EXPECT_EQ(once.meanLateness, again.meanLateness);
}

// What is written down is a third of what it takes: it learns, where the others can not. (It may
// well be later then than who asks all the time.)
TEST(Estimators, MeasuredLearnsWhereNominalTimesAreWrong)
{
    test::Workload workload = test::committedWorkload();
    for (double &processing : workload.real.processing)
    {
        processing *= 3;
    }
    const test::Figures nominal = simulate(workload, test::Estimator::Nominal);
    const test::Figures measured = simulate(workload, test::Estimator::Measured);
    EXPECT_LT(measured.medianError, nominal.medianError);
    EXPECT_LT(measured.polls, nominal.polls);
}
}  // namespace relayer::core
