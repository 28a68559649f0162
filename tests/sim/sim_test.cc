// Deployments that go wrong in every way, each from one number, and what holds all the same.
//
//     RELAYER_TEST_SIM_SEED=N ./test Simulator     one run, as it was
//     ./test --sim=1000000 Simulator               so many
#include "sim/runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

namespace relayer::sim
{
namespace
{
constexpr std::uint64_t kUsualRuns = 3000;
constexpr std::uint64_t kFullRuns = 100'000;
constexpr std::uint64_t kRunsUnderSanitizers = 150;
constexpr std::uint64_t kRunsToFindAMutation = 1000;

std::optional<std::uint64_t> numberIn(const char *variable)
{
    const char *const text = std::getenv(variable);
    return text == nullptr ? std::nullopt : std::optional<std::uint64_t>(std::stoull(text));
}

std::uint64_t wantedRuns()
{
    if (const auto wanted = numberIn("RELAYER_TEST_SIM"))
    {
        return *wanted;
    }
    if (std::getenv("RELAYER_TEST_SANITIZER") != nullptr)
    {
        return kRunsUnderSanitizers;
    }
    return std::getenv("RELAYER_TEST_FULL") != nullptr ? kFullRuns : kUsualRuns;
}

std::string howToReplay(const Failure &failure)
{
    return failure.what + "\n  seed " + std::to_string(failure.seed) + ", step " +
           std::to_string(failure.step) +
           "; to see it again: RELAYER_TEST_SIM_SEED=" + std::to_string(failure.seed) +
           " ./test Simulator\n" + failure.story;
}
}  // namespace

TEST(Simulator, EveryRunKeepsTheInvariantsAndAllTogetherMeetEverything)
{
    if (const auto seed = numberIn("RELAYER_TEST_SIM_SEED"))
    {
        const Outcome outcome = runAll({*seed, 1, Mutation::None, 1});
        ASSERT_FALSE(outcome.failure.has_value()) << howToReplay(*outcome.failure);
        return;
    }
    Plan plan;
    plan.runs = wantedRuns();
    const Outcome outcome = runAll(plan);
    ASSERT_FALSE(outcome.failure.has_value()) << howToReplay(*outcome.failure);
    const Coverage &coverage = outcome.coverage;
    std::cout << summaryOf(coverage) << std::flush;
    EXPECT_GE(coverage.leastRequests, 20U);
    EXPECT_GE(coverage.leastFaults, 3U);
    EXPECT_GE(coverage.leastSteps, 200U);
    if (plan.runs >= kUsualRuns)
    {
        EXPECT_EQ(whatNeverHappened(coverage), "");
    }
}

TEST(Simulator, TheSameSeedIsTheSameRun)
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed)
    {
        const Outcome first = runAll({seed, 1, Mutation::None, 1});
        const Outcome second = runAll({seed, 1, Mutation::None, 1});
        EXPECT_EQ(first.coverage.steps, second.coverage.steps);
        EXPECT_EQ(first.coverage.edges, second.coverage.edges);
        EXPECT_EQ(first.coverage.faults, second.coverage.faults);
    }
}

class SimulatorMutation : public testing::TestWithParam<Mutation>
{};

TEST_P(SimulatorMutation, IsCaught)
{
    Plan plan;
    plan.runs = kRunsToFindAMutation;
    plan.mutation = GetParam();
    const Outcome outcome = runAll(plan);
    ASSERT_TRUE(outcome.failure.has_value()) << name(GetParam()) << " was not caught";
    std::cout << "# " << name(GetParam()) << ": caught in run " << outcome.failure->seed
              << " at step " << outcome.failure->step << ": " << outcome.failure->what << "\n";
    // Its number alone is enough to see it again, step for step.
    const Outcome again = runAll({outcome.failure->seed, 1, GetParam(), 1});
    ASSERT_TRUE(again.failure.has_value());
    EXPECT_EQ(again.failure->seed, outcome.failure->seed);
    EXPECT_EQ(again.failure->step, outcome.failure->step);
    EXPECT_EQ(again.failure->what, outcome.failure->what);
    EXPECT_EQ(again.failure->story, outcome.failure->story);
    // The same world without the bug is sound.
    const Outcome sound = runAll({outcome.failure->seed, 1, Mutation::None, 1});
    EXPECT_FALSE(sound.failure.has_value()) << howToReplay(*sound.failure);
}

INSTANTIATE_TEST_SUITE_P(Planted, SimulatorMutation,
                         testing::Values(Mutation::SkipGuard, Mutation::ForgetReset,
                                         Mutation::SendBeforeCommit, Mutation::CommitWithoutLane,
                                         Mutation::NonceLeftOpen, Mutation::CursorBeforeInbox,
                                         Mutation::AnswerDroppedIfEarly, Mutation::NewNonceInDoubt,
                                         Mutation::RevertedSentAnew, Mutation::DeadlineIsBlind,
                                         Mutation::FreedOnItsWay),
                         [](const auto &parameter) {
                             std::string text(name(parameter.param));
                             std::ranges::replace(text, ' ', '_');
                             return text;
                         });
}  // namespace relayer::sim
