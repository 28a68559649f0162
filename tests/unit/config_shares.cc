// The numbers of the contract as defaults (helper-store.md §7, helper-processor.md §1 to §6), and
// what the share scheduler can not do without.
#include "config/schema.h"
#include "unit/config_testing.h"

using namespace relayer::config;
using namespace relayer::config::testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace
{
Sources enabledWith(const std::string &members)
{
    Sources sources = sourcesWith(R"({"share_scheduler": {"enabled": true)" + members + "}}");
    sources.environment["RELAYER_SHARE_SCHEDULER__WITNESS_KEYS"] = std::string(64, 'a');
    return sources;
}
}  // namespace

TEST(ConfigShares, TheDefaultsAreTheContracts)
{
    const auto shares = load(sourcesWith("{}")).settings.shares;
    EXPECT_FALSE(shares.enabled);
    EXPECT_FALSE(shares.exposeQueueStatus);
    EXPECT_TRUE(shares.apiToken.empty());
    EXPECT_EQ(shares.maxConcurrentProofs, 2U);
    EXPECT_EQ(shares.submitTimeout, 180s);
    EXPECT_EQ(shares.maintenance, 30s);
    EXPECT_EQ(parseWaits(shares.retryWaits),
              (std::vector<std::chrono::seconds>{2s, 4s, 8s, 16s, 32s}));
}

TEST(ConfigShares, TheChainAndAKeyHaveToBeNamed)
{
    EXPECT_THAT(
        problemsOf(enabledWith(R"(, "chain": [{"name": "vote", "url": "http://localhost:1317"}])")),
        IsEmpty());
    EXPECT_THAT(problemsOf(enabledWith("")),
                ElementsAre(HasSubstr("share_scheduler.chain: is required")));
    Sources keyless =
        enabledWith(R"(, "chain": [{"name": "vote", "url": "http://localhost:1317"}])");
    keyless.environment.erase("RELAYER_SHARE_SCHEDULER__WITNESS_KEYS");
    EXPECT_THAT(problemsOf(keyless),
                ElementsAre(HasSubstr("share_scheduler.witness_keys: is required")));
}

TEST(ConfigShares, ThereIsOneProver)
{
    EXPECT_THAT(problemsOf(sourcesWith(R"({"share_scheduler": {"prover_library": "/a.so",)"
                                       R"( "prover_command": "/b"}})")),
                ElementsAre(HasSubstr("can not be together with share_scheduler.prover_library")));
}
