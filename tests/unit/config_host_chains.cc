// Host chains, in the file and in the environment, and what is asked before a decryption goes on.
#include "config/load.h"
#include "config/reference.h"
#include "unit/config_testing.h"

#include <map>

using namespace relayer::config;
using namespace relayer::config::testing;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace
{
constexpr const char *acl = "0x00112233445566778899AABBccddeeff00112233";
constexpr const char *nodeKey = "node-key-of-the-test";

Sources withVariables(const std::map<std::string, std::string> &variables,
                      const std::string &tree = "{}")
{
    auto sources = sourcesWith(tree);
    for (const auto &[name, value] : variables)
    {
        sources.environment["RELAYER_HOST_CHAINS" + name] = value;
    }
    return sources;
}

std::vector<std::string> storyOf(const Sources &sources)
{
    const auto loaded = load(sources);
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    std::vector<std::string> story;
    for (const auto &chain : loaded.settings.hostChains)
    {
        std::string line = std::to_string(chain.chainId);
        for (const auto &url : chain.rpc)
        {
            line += " " + url.name + "=" + url.url.reveal();
        }
        story.push_back(line + " ends " + std::to_string(chain.acl.back()));
    }
    return story;
}

std::string listOf(const std::string &entries)
{
    return R"({"host_chains": [)" + entries + "]}";
}
}  // namespace

TEST(ConfigHostChains, AreReadFromTheFile)
{
    const auto text = listOf(R"({"chain_id": 8009, "url": "https://node.test/?k=v",
                                 "acl_address": "0xffffffffffffffffffffffffffffffffffffff01"},
                                {"chain_id": 18446744073709551615,
                                 "url": "a=http://a.test,http://[::1]:1",
                                 "acl_address": "0xffffffffffffffffffffffffffffffffffffff02"})");
    EXPECT_THAT(storyOf(sourcesWith(text)),
                ElementsAre("8009 host-8009-1=https://node.test/?k=v ends 1",
                            "18446744073709551615 a=http://a.test "
                            "host-18446744073709551615-2=http://[::1]:1 ends 2"));
    EXPECT_THAT(storyOf(sourcesWith("{}")), IsEmpty());
}

TEST(ConfigHostChains, AreReadFromNumberedVariablesInTheOrderOfTheirNumbers)
{
    std::map<std::string, std::string> variables;
    for (const std::string number : {"2", "10", "0"})
    {
        variables["__" + number + "__CHAIN_ID"] = "100" + number;
        variables["__" + number + "__URL"] = "n=http://h:" + number + "1";
        variables["__" + number + "__ACL_ADDRESS"] = acl;
    }
    EXPECT_THAT(storyOf(withVariables(variables)),
                ElementsAre("1000 n=http://h:01 ends 51", "1002 n=http://h:21 ends 51",
                            "10010 n=http://h:101 ends 51"));
}

TEST(ConfigHostChains, OfTheEnvironmentReplaceThoseOfTheFile)
{
    const auto file =
        listOf(std::string(R"({"chain_id": 1, "url": "http://f", "acl_address": ")") + acl + "\"}");
    EXPECT_THAT(
        storyOf(withVariables(
            {{"__7__CHAIN_ID", "2"}, {"__7__URL", "http://e"}, {"__7__ACL_ADDRESS", acl}}, file)),
        ElementsAre("2 host-2-1=http://e ends 51"));
    EXPECT_THAT(storyOf(withVariables({{"", ""}}, file)), IsEmpty());
}

TEST(ConfigHostChains, AProblemNamesTheMemberAndKeepsTheUrlToItself)
{
    const std::string key = nodeKey;
    const auto whole = [](const std::string &number) {
        return std::map<std::string, std::string>{{"__" + number + "__CHAIN_ID", "5"},
                                                  {"__" + number + "__URL", "http://h"},
                                                  {"__" + number + "__ACL_ADDRESS", acl}};
    };
    const auto wrong = [&](const std::string &name, const std::string &value,
                           const std::string &problem) {
        auto variables = whole("0");
        variables[name] = value;
        EXPECT_THAT(problemsOf(withVariables(variables)),
                    ElementsAre(AllOf(HasSubstr(problem), Not(HasSubstr(key)))))
            << name;
    };
    wrong("__0__URL", "ws://h/" + key, "RELAYER_HOST_CHAINS__0__URL: entry 1: the URL is not");
    wrong("__0__URL", "", "RELAYER_HOST_CHAINS__0__URL: is required");
    wrong("__0__CHAIN_ID", "0", "RELAYER_HOST_CHAINS__0__CHAIN_ID: 0 is below the minimum of 1");
    wrong("__0__CHAIN_ID", "x", "RELAYER_HOST_CHAINS__0__CHAIN_ID: \"x\" is not an integer");
    wrong("__0__ACL_ADDRESS", "0x12", "RELAYER_HOST_CHAINS__0__ACL_ADDRESS: is not acceptable");
    wrong("__0__UR", "http://h/" + key, "RELAYER_HOST_CHAINS__0__UR: unknown variable");
    wrong("__00000__URL", "http://h/" + key, "RELAYER_HOST_CHAINS__00000__URL: unknown variable");
    wrong("__X__URL", "http://h/" + key, "RELAYER_HOST_CHAINS__X__URL: unknown variable");
    auto variables = whole("0");
    variables.merge(whole("1"));
    EXPECT_THAT(problemsOf(withVariables(variables)),
                ElementsAre("RELAYER_HOST_CHAINS__1__CHAIN_ID: 5 is taken by another host chain"));
    EXPECT_THAT(problemsOf(withVariables({{"__3__CHAIN_ID", "5"}})),
                ElementsAre(HasSubstr("RELAYER_HOST_CHAINS__3__URL: is required"),
                            HasSubstr("RELAYER_HOST_CHAINS__3__ACL_ADDRESS: is required")));
    EXPECT_THAT(problemsOf(withVariables({{"", "http://h/" + key}})),
                ElementsAre(AllOf(HasSubstr("RELAYER_HOST_CHAINS: is given in parts: "
                                            "RELAYER_HOST_CHAINS__0__CHAIN_ID"),
                                  Not(HasSubstr(key)))));
}

TEST(ConfigHostChains, InTheFileAreAListOfObjectsAndOfNothingElse)
{
    const auto wrong = [](const std::string &tree, const std::string &problem) {
        EXPECT_THAT(problemsOf(sourcesWith(tree)), ElementsAre(problem)) << tree;
    };
    const std::string address = std::string(R"(, "acl_address": ")") + acl + '"';
    const std::string good = R"({"chain_id": 1, "url": "http://h")" + address + "}";
    wrong(R"({"host_chains": "http://h"})",
          "host_chains: must be a list of objects with chain_id, "
          "url and acl_address, not text");
    wrong(listOf(good + ", 5"), "host_chains[1]: must be an object, not an integer");
    wrong(listOf(R"({"chain_id": "1", "url": "http://h")" + address + "}"),
          "host_chains[0].chain_id: must be an integer, not text");
    wrong(listOf(R"({"chain_id": 1, "url": ["http://h"])" + address + "}"),
          "host_chains[0].url: must be text, not a list");
    wrong(listOf(R"({"chain_id": 1, "ulr": "http://h")" + address + "}"),
          "host_chains[0].ulr: unknown key (did you mean url?)");
    wrong(listOf(R"({"chain_id": -1, "url": "http://h")" + address + "}"),
          "host_chains[0].chain_id: -1 is below the minimum of 1");
    wrong(listOf(R"({"chain_id": 1, "url": "http://h"})"),
          "host_chains[0].acl_address: is required: each host chain has one");
    wrong(listOf(good + "," + good), "host_chains[1].chain_id: 1 is taken by another host chain");
}

TEST(ConfigHostChains, ArePrintedWithTheirNamesAndMaskedUrls)
{
    const auto text = effectiveConfiguration(load(withVariables(
        {{"__0__CHAIN_ID", "5"},
         {"__0__URL", std::string("main=http://h/") + nodeKey + ",http://i/" + nodeKey},
         {"__0__ACL_ADDRESS", acl}})));
    EXPECT_THAT(text,
                HasSubstr(R"(host_chains = [{"chain_id": 5, "url": "main=***,host-5-2=***", )"
                          R"("acl_address": "0x00112233445566778899aabbccddeeff00112233"}])"));
    EXPECT_THAT(text, Not(HasSubstr(nodeKey)));
}

TEST(ConfigReadiness, AsksAsOftenAsTheReferenceDoes)
{
    const auto readiness = load(sourcesWith("{}")).settings.gateway.readiness;
    EXPECT_EQ(readiness.hostAcl.retry.maxAttempts, 3U);
    EXPECT_EQ(readiness.hostAcl.retry.interval, 1s);
    EXPECT_EQ(readiness.gwCiphertext.retry.maxAttempts, 75U);
    EXPECT_EQ(readiness.gwCiphertext.retry.interval, 3s);
    EXPECT_EQ(readiness.userDecrypt.capacity, 11000U);
    EXPECT_EQ(readiness.userDecrypt.safetyMargin, 1000U);
    EXPECT_EQ(readiness.publicDecrypt.maxConcurrency, 250U);
}

TEST(ConfigReadiness, IsReadFromTheFileAndChecked)
{
    const auto withQueue = [](const std::string &queue) {
        return sourcesWith(R"({"gateway": {"readiness_checker": {"user_decrypt": )" + queue +
                           "}}}");
    };
    EXPECT_EQ(load(withQueue(R"({"capacity": 9, "safety_margin": 8, "max_concurrency": 2})"))
                  .settings.gateway.readiness.userDecrypt.maxConcurrency,
              2U);
    EXPECT_THAT(problemsOf(withQueue(R"({"capacity": 9, "safety_margin": 9})")),
                ElementsAre("gateway.readiness_checker.user_decrypt.safety_margin: must be below "
                            "gateway.readiness_checker.user_decrypt.capacity"));
    EXPECT_THAT(problemsOf(withQueue(R"({"max_concurrency": 0})")),
                ElementsAre(HasSubstr("max_concurrency: 0 is below the minimum of 1")));
    EXPECT_THAT(problemsOf(sourcesWith(R"({"gateway": {"readiness_checker": {
                    "host_acl_check": {"retry": {"max_attempts": 0}}}}})")),
                ElementsAre(HasSubstr("max_attempts: 0 is below the minimum of 1")));
}
