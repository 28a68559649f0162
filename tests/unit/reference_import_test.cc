// The reference relayer's configuration as ours: every key has a place or a reason why not.
#include "config/load.h"
#include "importer/flat_yaml.h"
#include "importer/reference_config.h"
#include "importer/reference_rules.h"
#include "support/source_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/reader.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>

namespace relayer::importer
{
namespace
{
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string fullSample()
{
    std::ifstream in(test::sourceDir() / "tests" / "unit" / "reference_config.yaml");
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
    {
        throw std::invalid_argument(from);
    }
    return text.replace(at, from.size(), to);
}

// The settings that our own program would have with that file and the secrets.
config::Loaded loadedFrom(const Import &import)
{
    Json::Value file;
    const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
    std::string errors;
    EXPECT_TRUE(
        reader->parse(import.file.data(), import.file.data() + import.file.size(), &file, &errors))
        << errors;
    config::Sources sources;
    sources.tree = file["plugins"][0]["config"];
    sources.environment = {{"RELAYER_DATABASE__URL", "postgresql://a@b/c"},
                           {"RELAYER_SIGNER__PRIVATE_KEY", std::string(63, '0') + "1"},
                           {"RELAYER_ADMIN__TOKEN", "0123456789abcdef"}};
    return config::load(sources);
}

auto about(const std::string &theirs)
{
    return Contains(Field(&Import::Note::theirs, theirs));
}

TEST(ImportReference, TheSampleHasEveryKeyThatThereIsARuleFor)
{
    const auto flat = flatten(fullSample());
    ASSERT_EQ(flat.wrong, "");
    // A signer is one of two kinds; those of the other stand in a test of their own.
    const std::set<std::string_view> ofTheOtherKind = {"gateway.tx_engine.signer.key_id",
                                                       "gateway.tx_engine.signer.region",
                                                       "gateway.tx_engine.signer.endpoint"};
    for (const Rule &rule : rules())
    {
        std::string start(rule.theirs.substr(0, rule.theirs.find_first_of("*[")));
        const auto next = flat.leaves.lower_bound(start);
        EXPECT_TRUE(ofTheOtherKind.contains(rule.theirs) ||
                    (next != flat.leaves.end() && next->first.starts_with(start)))
            << rule.theirs;
    }
}

TEST(ImportReference, EveryValueOfTheSampleArrivesOrIsExplained)
{
    const Import import = importReference(fullSample());
    EXPECT_EQ(import.wrong, "");
    EXPECT_THAT(import.unknown, IsEmpty());
    EXPECT_THAT(import.refused, IsEmpty()) << import.report();
    const auto loaded = loadedFrom(import);
    ASSERT_THAT(loaded.problems, IsEmpty()) << config::line(loaded.problems.front());
    const config::Settings &ours = loaded.settings;
    EXPECT_EQ(ours.gateway.rpc.write.at(0).url.reveal(), "https://write.example/key-in-a-path");
    EXPECT_EQ(ours.gateway.rpc.read.at(0).url.reveal(), "https://read.example");
    EXPECT_EQ(ours.gateway.chainId, 654321U);
    EXPECT_EQ(ours.listener.startBlock, 17U);
    EXPECT_EQ(ours.listener.recycle, std::chrono::minutes(30));
    EXPECT_EQ(ours.listener.pollInterval, std::chrono::milliseconds(2500));
    ASSERT_EQ(ours.listener.endpoints.size(), 2U);
    EXPECT_EQ(ours.listener.endpoints[0].name, "subscription-0");
    EXPECT_EQ(ours.listener.endpoints[1].url.reveal(), "https://events.example/b");
    EXPECT_EQ(ours.txEngine.maxInFlight, 120U);
    EXPECT_EQ(ours.txEngine.retry.interval, std::chrono::milliseconds(600));
    EXPECT_EQ(ours.txThrottler.inputProof.perSecond, 21U);
    EXPECT_EQ(ours.txThrottler.userDecrypt.capacity, 11002U);
    EXPECT_EQ(ours.txThrottler.publicDecrypt.safetyMargin, 1003U);
    EXPECT_EQ(ours.gateway.userDecryptSharesThreshold, 9U);
    ASSERT_EQ(ours.hostChains.size(), 2U);
    EXPECT_EQ(ours.hostChains[1].chainId, 8010U);
    EXPECT_EQ(ours.keyUrl.pollInterval, std::chrono::seconds(13));
    EXPECT_EQ(ours.signatureCheck.erc1271GasLimit, 110'000U);
    EXPECT_EQ(ours.log.format, "json");
    EXPECT_EQ(ours.host.address, "0.0.0.0");
    EXPECT_EQ(ours.host.port, 3000U);
    EXPECT_EQ(ours.admin.access, "token");
    EXPECT_EQ(ours.http.retryAfter.safetyMarginMillionths, 250'000U);
    EXPECT_EQ(ours.http.retryAfter.backoff, "0s=5s, 60s=12s");
    EXPECT_EQ(ours.metrics.port, 9899U);
    EXPECT_EQ(ours.sweeper.responseTimeout.userDecrypt, std::chrono::minutes(62));
    EXPECT_EQ(ours.sweeper.keep.inputProof, std::chrono::hours(8 * 24));
}

TEST(ImportReference, NoSecretIsInTheFileOrTheReport)
{
    const Import import = importReference(fullSample());
    EXPECT_THAT(import.file, AllOf(Not(HasSubstr("hunter2")), Not(HasSubstr("c0ffee"))));
    EXPECT_THAT(import.report(), AllOf(Not(HasSubstr("hunter2")), Not(HasSubstr("c0ffee")),
                                       Not(HasSubstr("key-in-a-path"))));
    EXPECT_THAT(import.report(),
                AllOf(HasSubstr("storage.sql_database_url -> RELAYER_DATABASE__URL"),
                      HasSubstr("gateway.tx_engine.signer.private_key -> "
                                "RELAYER_SIGNER__PRIVATE_KEY"),
                      HasSubstr("RELAYER_ADMIN__TOKEN")));
}

TEST(ImportReference, AKeyInAwsKmsIsTakenOver)
{
    const Import import = importReference(replaced(
        replaced(fullSample(), "type: private_key", "type: aws_kms"),
        "private_key: \"0xc0ffee00000000000000000000000000000000000000000000000000c0ffee01\"",
        "key_id: alias/relayer\n      region: eu-west-1\n      endpoint: https://kms.example"));
    EXPECT_THAT(import.file, AllOf(HasSubstr("\"aws_kms\""), HasSubstr("\"alias/relayer\""),
                                   HasSubstr("\"eu-west-1\""), HasSubstr("https://kms.example")));
    EXPECT_THAT(import.report(), HasSubstr("RELAYER_SIGNER__KMS__SECRET_ACCESS_KEY"));
}

TEST(ImportReference, WhatIsNotKeptByTheReferenceIsKeptForEverHere)
{
    const Import import =
        importReference(replaced(fullSample(), "expiry_enabled: true", "expiry_enabled: false"));
    EXPECT_EQ(loadedFrom(import).settings.sweeper.keep.publicDecrypt, std::chrono::seconds(0));
}

TEST(ImportReference, WhatIsRefusedIsLeftOutAndSaid)
{
    const Import import = importReference(
        replaced(replaced(fullSample(), "chain_id: 654321", "chain_id: many"), "31m", "2 moons"));
    EXPECT_THAT(import.refused, about("gateway.chain_id"));
    EXPECT_THAT(import.refused, about("sweeper.response_timeout.public_decrypt"));
    EXPECT_THAT(import.file, AllOf(Not(HasSubstr("many")), Not(HasSubstr("moons"))));
}

TEST(ImportReference, AKeyThatTheReferenceDoesNotKnowIsSaid)
{
    EXPECT_THAT(importReference(fullSample() + "\nstorrage: {a: [1]}\n").unknown,
                about("storrage.a[0]"));
}

TEST(ImportReference, WhatIsMissingAndRequiredIsSaid)
{
    const Import import = importReference("http: {endpoint: 'localhost:80'}");
    EXPECT_THAT(import.refused, about("http.retry_after.nominal_times.tx_confirmation_ms"));
    EXPECT_THAT(import.changed, about("http.endpoint"));
    EXPECT_THAT(import.file, HasSubstr("127.0.0.1"));
}

TEST(ImportReference, WhatIsNoYamlIsSaidWithItsLine)
{
    EXPECT_THAT(importReference("a: 1\n b: [").wrong, StartsWith("line "));
    EXPECT_EQ(importReference("").wrong, "holds no keys with values");
    EXPECT_EQ(importReference("- 1").wrong, "holds no keys with values");
    EXPECT_EQ(importReference(std::string(2 << 20, ' ')).wrong, "is larger than 1 MiB");
}

// An alias of lists of aliases: ten lines that stand for a billion values, or for as many empty
// lists.
class ImportGrowingFile : public ::testing::TestWithParam<const char *>
{};

INSTANTIATE_TEST_SUITE_P(Of, ImportGrowingFile, ::testing::Values("[1,2,3,4,5,6,7,8,9,0]", "[]"));

TEST_P(ImportGrowingFile, IsRefused)
{
    std::string text = "a0: &a0 " + std::string(GetParam()) + "\n";
    for (int i = 1; i < 10; ++i)
    {
        const std::string last = "*a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
        for (int j = 1; j < 10; ++j)
        {
            text += "," + last;
        }
        text += "]\n";
    }
    EXPECT_EQ(importReference(text).wrong, "holds more than such a file can hold");
}
}  // namespace
}  // namespace relayer::importer
