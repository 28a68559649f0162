#include "config/backoff.h"
#include "config/reference.h"
#include "unit/config_testing.h"

using namespace relayer::config;
using namespace relayer::config::testing;
using namespace std::chrono_literals;
using relayer::core::Backoff;
using relayer::core::standardBackoff;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace
{
Sources onlyWithDatabase(const std::string &tree = "{}")
{
    return {json(tree), {{"RELAYER_DATABASE__URL", databaseUrl}}, {}, "h"};
}

std::vector<std::string> problemsWith(const std::string &members)
{
    return problemsOf(sourcesWith(R"({"http": {"retry_after": {)" + members + "}}}"));
}
}  // namespace

TEST(ConfigRetryAfter, EveryNominalTimeThatIsMissingIsNamed)
{
    const std::string times = "http.retry_after.nominal_times.";
    EXPECT_THAT(problemsOf(onlyWithDatabase()),
                UnorderedElementsAre(HasSubstr(times + "readiness_check_seconds: is required"),
                                     HasSubstr(times + "input_proof_processing_seconds: is "),
                                     HasSubstr(times + "user_decrypt_processing_seconds: is "),
                                     HasSubstr(times + "public_decrypt_processing_seconds: is "),
                                     HasSubstr(times + "tx_confirmation_ms: is required")));
    EXPECT_THAT(
        problemsOf(onlyWithDatabase()),
        Contains(HasSubstr("RELAYER_HTTP__RETRY_AFTER__NOMINAL_TIMES__TX_CONFIRMATION_MS")));
}

TEST(ConfigRetryAfter, NominalTimesComeFromTheFileAndTheEnvironmentGoesBeforeIt)
{
    Sources sources = onlyWithDatabase(R"({"http": {"retry_after": {"nominal_times": {
        "readiness_check_seconds": 5, "input_proof_processing_seconds": 6,
        "user_decrypt_processing_seconds": 7, "public_decrypt_processing_seconds": 8,
        "tx_confirmation_ms": 9}}}})");
    sources.environment["RELAYER_HTTP__RETRY_AFTER__NOMINAL_TIMES__TX_CONFIRMATION_MS"] = "250";
    const auto loaded = load(sources);
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    const auto &nominal = loaded.settings.http.retryAfter.nominal;
    EXPECT_EQ(nominal.readinessCheckSeconds, 5U);
    EXPECT_EQ(nominal.inputProofSeconds, 6U);
    EXPECT_EQ(nominal.userDecryptSeconds, 7U);
    EXPECT_EQ(nominal.publicDecryptSeconds, 8U);
    EXPECT_EQ(nominal.txConfirmationMs, 250U);
}

TEST(ConfigRetryAfter, WhatWasGivenAndRefusedIsNotMissingAsWell)
{
    Sources sources = sourcesWith("{}");
    const std::string name = "RELAYER_HTTP__RETRY_AFTER__NOMINAL_TIMES__READINESS_CHECK_SECONDS";
    sources.environment[name] = "0";
    EXPECT_THAT(problemsOf(sources), ElementsAre(name + ": 0 is below the minimum of 1"));
}

TEST(ConfigRetryAfter, TheRestHasTheDefaultsOfTheRequirement)
{
    const auto retryAfter = load(sourcesWith("{}")).settings.http.retryAfter;
    EXPECT_EQ(retryAfter.minSeconds, 1U);
    EXPECT_EQ(retryAfter.maxSeconds, 300U);
    EXPECT_EQ(retryAfter.safetyMarginMillionths, 200'000U);
    EXPECT_EQ(parseBackoff(retryAfter.backoff), standardBackoff());
}

TEST(ConfigRetryAfter, TheBoundsMustBeInOrder)
{
    EXPECT_THAT(problemsWith(R"("min_seconds": 10, "max_seconds": 9)"),
                ElementsAre("http.retry_after.max_seconds: must not be less than "
                            "http.retry_after.min_seconds"));
    EXPECT_THAT(problemsWith(R"("min_seconds": 10, "max_seconds": 10)"), IsEmpty());
    EXPECT_THAT(problemsWith(R"("min_seconds": 0)"),
                ElementsAre(HasSubstr("0 is below the minimum of 1")));
}

TEST(ConfigRetryAfter, TheMarginIsADecimalFractionAndExact)
{
    const auto margin = [](const std::string &text) {
        return load(sourcesWith(R"({"http": {"retry_after": {"safety_margin": )" + text + "}}}"))
            .settings.http.retryAfter.safetyMarginMillionths;
    };
    EXPECT_EQ(margin("0.2"), 200'000U);
    EXPECT_EQ(margin("0.3"), 300'000U);
    EXPECT_EQ(margin("0.123456"), 123'456U);
    EXPECT_EQ(margin("1"), 1'000'000U);
    EXPECT_EQ(margin("0"), 0U);
    EXPECT_THAT(problemsWith(R"("safety_margin": 1.5)"),
                ElementsAre("http.retry_after.safety_margin: 1.5 is above the maximum of 1"));
    EXPECT_THAT(problemsWith(R"("safety_margin": -0.5)"),
                ElementsAre(HasSubstr("\"-0.5\" is not a number such as 0.2")));
    EXPECT_THAT(problemsWith(R"("safety_margin": "0.2")"),
                ElementsAre("http.retry_after.safety_margin: must be a number, not text"));
    Sources sources = sourcesWith("{}");
    sources.environment["RELAYER_HTTP__RETRY_AFTER__SAFETY_MARGIN"] = "0.25";
    EXPECT_EQ(load(sources).settings.http.retryAfter.safetyMarginMillionths, 250'000U);
}

TEST(ConfigRetryAfter, ReadsABackoffTable)
{
    EXPECT_EQ(parseBackoff("0s=3s"), (Backoff{{std::chrono::seconds::max(), 3s}}));
    EXPECT_EQ(parseBackoff("0s=4s,1m 30s = 5m"),
              (Backoff{{90s, 4s}, {std::chrono::seconds::max(), 300s}}));
}

TEST(ConfigRetryAfter, RefusesWhatIsNoBackoffTable)
{
    for (const auto *text :
         {"", "4s", "0s", "0s=", "=4s", "1s=4s", "0s=0s", "0s=1500ms", "0s=4s, 500ms=5s",
          "0s=4s, 1m=5s, 1m=6s", "0s=4s, 2m=5s, 1m=6s", "0s=61m", "0s=4s,,1m=5s", "0s=4s=5s"})
    {
        EXPECT_EQ(parseBackoff(text), std::nullopt) << text;
    }
    std::string many = "0s=1s";
    for (int i = 1; i < 33; ++i)
    {
        many += ", " + std::to_string(i) + "s=1s";
    }
    EXPECT_EQ(parseBackoff(many), std::nullopt);
    EXPECT_THAT(problemsWith(R"("copro_kms_backoff_intervals": "4s")"),
                ElementsAre(HasSubstr("must be intervals such as 0s=4s, 1m=10s")));
}

TEST(ConfigRetryAfter, TheDocumentSaysWhatIsRequired)
{
    EXPECT_THAT(configurationReference(),
                HasSubstr("| integer, 1 to 60000 | required; `config.json` says `100` |"));
}
