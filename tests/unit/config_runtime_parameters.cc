#include "config/runtime_parameters.h"
#include "core/runtime_parameter.h"
#include "unit/config_testing.h"

using namespace relayer::config;
using namespace relayer::config::testing;
using relayer::core::checkValue;
using relayer::core::GivenValue;
using relayer::core::pascalCase;
using relayer::core::RuntimeParameter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = GivenValue::Kind;
using Type = RuntimeParameter::Type;

namespace
{
Settings configured()
{
    return load(sourcesWith("{}")).settings;
}

std::string wrongOf(const std::string &name, Kind kind, const std::string &text)
{
    return checkValue(*findRuntimeParameter(name), {kind, text}).wrong;
}
}  // namespace

// contract/retry-after.md §5.1, in the order of §5.4.
TEST(RuntimeParameters, AreThoseOfTheReferenceAndOursBehindThem)
{
    struct Row
    {
        std::string name;
        Type type;
        std::uint64_t min, max;
    };
    const std::vector<Row> reference = {
        {"input_proof_throttler_tps", Type::Integer, 1, 1000},
        {"user_decrypt_throttler_tps", Type::Integer, 1, 1000},
        {"public_decrypt_throttler_tps", Type::Integer, 1, 1000},
        {"nominal_readiness_check_seconds", Type::Integer, 1, 3600},
        {"nominal_input_proof_processing_seconds", Type::Integer, 1, 3600},
        {"nominal_user_decrypt_processing_seconds", Type::Integer, 1, 3600},
        {"nominal_public_decrypt_processing_seconds", Type::Integer, 1, 3600},
        {"nominal_tx_confirmation_ms", Type::Integer, 1, 60000},
        {"retry_after_min_seconds", Type::Integer, 1, 3600},
        {"retry_after_max_seconds", Type::Integer, 1, 3600},
        {"retry_after_safety_margin", Type::Fraction, 0, 1'000'000}};
    const auto &all = runtimeParameters();
    ASSERT_GT(all.size(), reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i)
    {
        EXPECT_EQ(all[i].name, reference[i].name);
        EXPECT_EQ(all[i].type, reference[i].type) << all[i].name;
        EXPECT_EQ(all[i].min, reference[i].min) << all[i].name;
        EXPECT_EQ(all[i].max, reference[i].max) << all[i].name;
    }
    for (const RuntimeParameter &parameter : all)
    {
        EXPECT_FALSE(parameter.description.empty()) << parameter.name;
        EXPECT_EQ(findRuntimeParameter(parameter.name), &parameter);
    }
    EXPECT_EQ(findRuntimeParameter("RetryAfterMinSeconds"), nullptr);
    EXPECT_EQ(pascalCase("input_proof_throttler_tps"), "InputProofThrottlerTps");
}

// §5.3
TEST(RuntimeParameters, SayWhatIsWrongInTheWordsOfTheReference)
{
    const std::string tps = "input_proof_throttler_tps";
    const std::string margin = "retry_after_safety_margin";
    EXPECT_EQ(wrongOf(tps, Kind::Integer, "0"), tps + " must be greater than 0");
    EXPECT_EQ(wrongOf(tps, Kind::Integer, "1001"), tps + " must be less than or equal to 1000");
    EXPECT_EQ(wrongOf(tps, Kind::Float, "50.0"), "Type mismatch: expected u32, got f32");
    EXPECT_EQ(wrongOf(margin, Kind::Integer, "1"), "Type mismatch: expected f32, got u32");
    EXPECT_EQ(wrongOf(margin, Kind::Float, "1.5"), "Value 1.5 is out of range [0, 1]");
    EXPECT_EQ(wrongOf(margin, Kind::Float, "-0.5"), "Value -0.5 is out of range [0, 1]");
    EXPECT_EQ(wrongOf(margin, Kind::Float, "2.0"), margin + " must be less than or equal to 1");
    EXPECT_EQ(wrongOf(margin, Kind::Float, "1e400"), "Value inf is out of range [0, 1]");
    EXPECT_EQ(wrongOf("log_level", Kind::Integer, "1"), "Type mismatch: expected text, got u32");
    EXPECT_EQ(wrongOf(tps, Kind::Integer, "1000"), "");
}

TEST(RuntimeParameters, KeepAFractionAsItIsMeant)
{
    const auto kept = [](const std::string &text) {
        return checkValue(*findRuntimeParameter("retry_after_safety_margin"), {Kind::Float, text})
            .text.value_or("refused");
    };
    EXPECT_EQ(kept("0.2"), "0.2");
    EXPECT_EQ(kept("0.30000001192092896"), "0.3");
    EXPECT_EQ(kept("2e-1"), "0.2");
    EXPECT_EQ(kept("0.0"), "0");
    EXPECT_EQ(kept("1.0"), "1");
    EXPECT_EQ(kept("1e-400"), "0");
    EXPECT_EQ(kept("-1.0"), "refused");
}

TEST(RuntimeParameters, GoOverWhatIsConfiguredAllOfThemOrNone)
{
    const Settings base = configured();
    const auto one = withOverrides(base, {{"input_proof_throttler_tps", "50"},
                                          {"retry_after_safety_margin", "0.5"},
                                          {"log_level", "debug"}});
    EXPECT_THAT(one.wrong, IsEmpty());
    EXPECT_EQ(one.settings.txThrottler.inputProof.perSecond, 50U);
    EXPECT_EQ(one.settings.http.retryAfter.safetyMarginMillionths, 500'000U);
    EXPECT_EQ(one.settings.log.level, "debug");
    EXPECT_EQ(valueOf(*findRuntimeParameter("log_level"), one.settings), "debug");
    EXPECT_EQ(valueOf(*findRuntimeParameter("log_level"), base), "info");
    EXPECT_THAT(withOverrides(base, {{"log_level", "loud"}, {"client_burst", "0"}}).wrong,
                ElementsAre("client_burst 0 is below the minimum of 1", HasSubstr("log_level")));
    EXPECT_THAT(withOverrides(base, {{"nothing", "1"}}).wrong,
                ElementsAre("Unknown configuration parameter: nothing"));
    EXPECT_THAT(withOverrides(base, {{"copro_kms_backoff_intervals", "4s"}}).wrong,
                ElementsAre(HasSubstr("copro_kms_backoff_intervals is not acceptable")));
}

TEST(RuntimeParameters, MustFitTogether)
{
    const Settings base = configured();
    EXPECT_THAT(withOverrides(base, {{"retry_after_min_seconds", "400"}}).wrong,
                ElementsAre("retry_after_max_seconds must not be less than "
                            "retry_after_min_seconds"));
    EXPECT_THAT(withOverrides(
                    base, {{"retry_after_min_seconds", "400"}, {"retry_after_max_seconds", "500"}})
                    .wrong,
                IsEmpty());
}

TEST(RuntimeParameters, WhatWasKeptAndDoesNotFitAnyMoreIsPassedOver)
{
    const Settings base = configured();
    Overrides kept = {{"input_proof_throttler_tps", "50"},
                      {"retry_after_min_seconds", "400"},
                      {"of_another_version", "1"},
                      {"client_burst", "many"}};
    const auto fitting = withThoseThatFit(base, kept);
    EXPECT_EQ(fitting.wrong.size(), 3U);
    EXPECT_EQ(fitting.settings.txThrottler.inputProof.perSecond, 50U);
    EXPECT_EQ(fitting.settings.http.retryAfter.minSeconds, base.http.retryAfter.minSeconds);
    EXPECT_THAT(kept, ElementsAre(std::pair<const std::string, std::string>(
                          "input_proof_throttler_tps", "50")));
}
