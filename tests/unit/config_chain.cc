// The keys about chains: lists of nodes, addresses, the signer, and what belongs together.
#include "config/load.h"
#include "config/node_url.h"
#include "config/reference.h"
#include "config/schema.h"
#include "unit/config_testing.h"

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
constexpr const char *address = "0x00112233445566778899AABBccddeeff00112233";
constexpr const char *nodeKey = "node-key-of-the-test";
const std::string privateKey = std::string(63, 'a') + '7';

/// A relayer with a chain, complete.
Sources chainSources()
{
    auto sources = sourcesWith("{}");
    auto &variables = sources.environment;
    variables["RELAYER_GATEWAY__RPC__READ"] = "http://127.0.0.1:8545";
    variables["RELAYER_GATEWAY__CONTRACTS__DECRYPTION"] = address;
    variables["RELAYER_GATEWAY__CONTRACTS__INPUT_VERIFICATION"] = address;
    variables["RELAYER_SIGNER__PRIVATE_KEY"] = privateKey;
    return sources;
}

std::vector<std::string> namesOf(const std::vector<NamedUrl> &urls)
{
    std::vector<std::string> names;
    for (const auto &url : urls)
    {
        names.push_back(url.name + " " + url.url.reveal());
    }
    return names;
}

std::vector<std::string> problemsWithRead(const std::string &list)
{
    auto sources = chainSources();
    sources.environment["RELAYER_GATEWAY__RPC__READ"] = list;
    return problemsOf(sources);
}

std::vector<std::string> problemsWithTree(const std::string &tree)
{
    auto sources = chainSources();
    sources.environment.erase("RELAYER_GATEWAY__RPC__READ");
    sources.tree = json(tree);
    return problemsOf(sources);
}

std::vector<std::string> problemsWithout(const std::string &variable)
{
    auto sources = chainSources();
    sources.environment.erase(variable);
    return problemsOf(sources);
}
}  // namespace

TEST(ConfigChain, WithoutNodesTheDefaultsAreCompleteAndTheChainIsOff)
{
    const auto loaded = load(sourcesWith("{}"));
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    EXPECT_FALSE(loaded.settings.gateway.isOn());
    EXPECT_EQ(loaded.settings.gateway.chainId, 654321U);
    EXPECT_EQ(loaded.settings.gateway.userDecryptSharesThreshold, 9U);
    EXPECT_EQ(loaded.settings.txThrottler.inputProof.perSecond, 20U);
    EXPECT_EQ(loaded.settings.txThrottler.userDecrypt.capacity, 11000U);
    EXPECT_EQ(loaded.settings.txEngine.retry.maxAttempts, 100U);
    EXPECT_EQ(loaded.settings.listener.startBlock, std::nullopt);
}

TEST(ConfigChain, ReadsNodesAndAddressesFromTheFile)
{
    auto sources = chainSources();
    sources.environment.erase("RELAYER_GATEWAY__RPC__READ");
    sources.environment.erase("RELAYER_GATEWAY__CONTRACTS__DECRYPTION");
    sources.tree = json(R"({
        "gateway": {
            "rpc": {"read": [{"name": "first", "url": "https://node.test/v2/key?a=b"},
                             {"url": "http://[::1]:8545"}]},
            "contracts": {"decryption": "0xffffffffffffffffffffffffffffffffffffff01"}},
        "tx_throttler": {"user_decrypt": {"per_second": 7}},
        "listener": {"endpoints": [{"url": "wss://node.test"}], "start_block": 0}})");
    const auto loaded = load(sources);
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    const auto &settings = loaded.settings;
    EXPECT_TRUE(settings.gateway.isOn());
    EXPECT_THAT(namesOf(settings.gateway.rpc.read),
                ElementsAre("first https://node.test/v2/key?a=b", "read-2 http://[::1]:8545"));
    EXPECT_THAT(namesOf(settings.listener.endpoints), ElementsAre("endpoints-1 wss://node.test"));
    ASSERT_TRUE(settings.gateway.contracts.decryption.has_value());
    EXPECT_EQ(settings.gateway.contracts.decryption->front(), 0xff);
    EXPECT_EQ(settings.gateway.contracts.decryption->back(), 0x01);
    EXPECT_EQ(settings.txThrottler.userDecrypt.perSecond, 7U);
    EXPECT_EQ(settings.txThrottler.inputProof.perSecond, 20U);
    EXPECT_EQ(settings.listener.startBlock, 0U);
}

TEST(ConfigChain, ReadsNodesFromTheEnvironmentWithAndWithoutNames)
{
    auto sources = chainSources();
    sources.tree = json(R"({"gateway": {"rpc": {"read": [{"url": "http://of-the-file"}]}}})");
    sources.environment["RELAYER_GATEWAY__RPC__READ"] =
        "main=https://a.test/?key=x%2Cy,http://b.test:1/?k=v,c-3=http://c.test";
    const auto loaded = load(sources);
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    EXPECT_THAT(namesOf(loaded.settings.gateway.rpc.read),
                ElementsAre("main https://a.test/?key=x%2Cy", "read-2 http://b.test:1/?k=v",
                            "c-3 http://c.test"));
    sources.environment["RELAYER_GATEWAY__RPC__READ"] = "";
    EXPECT_THAT(namesOf(load(sources).settings.gateway.rpc.read), IsEmpty());
}

TEST(ConfigChain, AListWithAProblemNamesTheEntryAndKeepsItsUrlToItself)
{
    const auto wrong = [](const std::string &list, const std::string &why) {
        EXPECT_THAT(problemsWithRead(list),
                    ElementsAre(AllOf(HasSubstr("RELAYER_GATEWAY__RPC__READ: "), HasSubstr(why),
                                      Not(HasSubstr(nodeKey)))))
            << list;
    };
    const std::string key = nodeKey;
    wrong("ftp://h/" + key, "entry 1: the URL is not acceptable (it is not shown)");
    wrong("ws://h/" + key, "entry 1: the URL is not acceptable");
    wrong("a=http://h,b=" + key, "entry 2: the URL is not acceptable");
    wrong("a=http://h,a=http://i/" + key, "entry 2: its name is taken by another");
    wrong("a b=http://h/" + key, "entry 1: the URL is not acceptable");
    wrong("http://h/" + key + ",", "ends with a comma");
    wrong("http://h/" + key + ",,http://i", "entry 2: the URL is not acceptable");
    wrong("http://user:" + key + "@h", "entry 1: the URL is not acceptable");
    wrong(key, "entry 1: the URL is not acceptable");
    wrong("http://1,http://2,http://3,http://4,http://5,http://6", "has 6 entries, 5 are allowed");
    wrong(std::string(65, 'n') + "=http://h/" + key, "entry 1: the name must be");
}

TEST(ConfigChain, AListInTheFileIsAListOfObjectsAndOfNothingElse)
{
    const auto wrong = [](const std::string &list, const std::string &line) {
        EXPECT_THAT(problemsWithTree(R"({"gateway": {"rpc": {"read": )" + list + "}}}"),
                    ElementsAre(AllOf(HasSubstr(line), Not(HasSubstr(nodeKey)))))
            << list;
    };
    const auto url = std::string(R"("url": "http://h/)") + nodeKey + '"';
    wrong("\"http://h\"",
          "gateway.rpc.read: must be a list of objects with name and url, not text");
    wrong("[\"http://h\"]", "gateway.rpc.read[0]: must be an object with the texts name and url");
    wrong("[{" + url + "}, {}]", "gateway.rpc.read[1]: must be an object");
    wrong("[{\"name\": 1, " + url + "}]", "gateway.rpc.read[0]: must be an object");
    wrong("[{\"nam\": \"a\", " + url + "}]", "gateway.rpc.read[0].nam: unknown key");
    wrong("[{\"name\": \"two words\", " + url + "}]", "entry 1: the name must be letters");
    wrong("{}", "gateway.rpc.read: must be a list");
}

TEST(ConfigChain, TheUrlOfANodeHasASchemeAndAHost)
{
    for (const auto *url : {"http://h", "https://h:1/", "http://10.0.0.1:65535/a?b=c&d=%2C",
                            "http://[::1]", "http://[fe80::1]:80/x", "http://a_b.c-d?x"})
    {
        EXPECT_TRUE(isNodeUrl(url, false)) << url;
    }
    for (const auto *url : {"",
                            "h",
                            "http:",
                            "http://",
                            "http:///path",
                            "http://:80",
                            "http://h:",
                            "http://h:0",
                            "http://h:65536",
                            "http://h:8x",
                            "http://a b",
                            "http://h/\n",
                            "http://h#part",
                            "HTTP://h",
                            "http://u@h",
                            "http://[]",
                            "http://[::1",
                            "http://[::1]x",
                            "http://[x]",
                            "://h",
                            "javascript://h",
                            "http://h/\"",
                            "http://b\xc3\xbc"})
    {
        EXPECT_FALSE(isNodeUrl(url, true)) << url;
    }
    EXPECT_TRUE(isNodeUrl("wss://h", true));
    EXPECT_FALSE(isNodeUrl("wss://h", false));
    EXPECT_FALSE(isNodeUrl("http://h/" + std::string(3000, 'x'), true));
}

TEST(ConfigChain, AnAddressHasTwentyBytesInAnyCase)
{
    auto sources = sourcesWith("{}");
    auto &value = sources.environment["RELAYER_GATEWAY__CONTRACTS__DECRYPTION"];
    for (const auto *wrong : {"0x", "0x12", "00112233445566778899aabbccddeeff00112233",
                              "0x00112233445566778899aabbccddeeff0011223g",
                              "0x00112233445566778899aabbccddeeff001122334",
                              "0X00112233445566778899aabbccddeeff00112233"})
    {
        value = wrong;
        EXPECT_THAT(problemsOf(sources),
                    ElementsAre(HasSubstr("must be 0x and 40 hexadecimal digits")))
            << wrong;
    }
    value = "";
    EXPECT_EQ(load(sources).settings.gateway.contracts.decryption, std::nullopt);
    value = address;
    EXPECT_THAT(effectiveConfiguration(load(sources)),
                HasSubstr("= \"0x00112233445566778899aabbccddeeff00112233\""));
}

TEST(ConfigChain, ANumberThatMayBeLeftOutIsANumberOrNull)
{
    EXPECT_THAT(problemsOf(sourcesWith(R"({"listener": {"start_block": null}})")), IsEmpty());
    EXPECT_THAT(problemsOf(sourcesWith(R"({"listener": {"start_block": "5"}})")),
                ElementsAre("listener.start_block: must be an integer or null, not text"));
    EXPECT_THAT(problemsOf(sourcesWith(R"({"listener": {"start_block": -1}})")),
                ElementsAre("listener.start_block: -1 is below the minimum of 0"));
    auto sources = sourcesWith(R"({"listener": {"start_block": 5}})");
    EXPECT_EQ(load(sources).settings.listener.startBlock, 5U);
    sources.environment["RELAYER_LISTENER__START_BLOCK"] = "";
    EXPECT_EQ(load(sources).settings.listener.startBlock, std::nullopt);
}

TEST(ConfigChain, NodesNeedContractsAndAKeyAndTheProblemNamesTheKeyOfTheConfiguration)
{
    EXPECT_THAT(problemsOf(chainSources()), IsEmpty());
    EXPECT_THAT(problemsWithout("RELAYER_GATEWAY__CONTRACTS__DECRYPTION"),
                ElementsAre("gateway.contracts.decryption: is required since gateway.rpc.read is "
                            "set"));
    EXPECT_THAT(problemsWithout("RELAYER_GATEWAY__CONTRACTS__INPUT_VERIFICATION"),
                ElementsAre(HasSubstr("gateway.contracts.input_verification: is required")));
    EXPECT_THAT(problemsWithout("RELAYER_SIGNER__PRIVATE_KEY"),
                ElementsAre(AllOf(HasSubstr("signer.private_key: is required"),
                                  HasSubstr("RELAYER_SIGNER__PRIVATE_KEY,"),
                                  HasSubstr("signer.private_key_file"))));
    EXPECT_THAT(problemsWithout("RELAYER_GATEWAY__RPC__READ"), IsEmpty());
}

TEST(ConfigChain, AKeyThatIsNoneIsReportedOnceAndNotRepeated)
{
    auto sources = chainSources();
    for (const auto &key :
         {privateKey + "00", privateKey.substr(1), std::string(64, '0'), std::string(64, 'g')})
    {
        sources.environment["RELAYER_SIGNER__PRIVATE_KEY"] = key;
        EXPECT_THAT(problemsOf(sources),
                    ElementsAre(AllOf(HasSubstr("RELAYER_SIGNER__PRIVATE_KEY: is not acceptable"),
                                      Not(HasSubstr(key)))));
    }
    sources.environment["RELAYER_SIGNER__PRIVATE_KEY"] = "0x" + privateKey;
    EXPECT_THAT(problemsOf(sources), IsEmpty());
}

TEST(ConfigChain, AKeyInAwsKmsNeedsItsIdItsRegionAndSomebodyWhoMayUseIt)
{
    auto sources = chainSources();
    sources.environment.erase("RELAYER_SIGNER__PRIVATE_KEY");
    sources.environment["RELAYER_SIGNER__TYPE"] = "aws_kms";
    EXPECT_THAT(problemsOf(sources),
                ElementsAre("signer.kms.key_id: is required with signer.type aws_kms",
                            HasSubstr("signer.kms.region: is required"),
                            HasSubstr("signer.kms.access_key_id: is required"),
                            HasSubstr("signer.kms.secret_access_key: is required")));
    sources.tree = json(R"({"signer": {"kms": {"key_id": "alias/relayer", "region": "eu-west-1",
                            "access_key_id": "AKIDEXAMPLE", "endpoint": "http://127.0.0.1:1"}}})");
    sources.environment["RELAYER_SIGNER__KMS__SECRET_ACCESS_KEY"] = "wJalr/K7MDENG+bPx";
    EXPECT_THAT(problemsOf(sources), IsEmpty());
}

TEST(ConfigChain, WhatBelongsTogetherIsGivenTogether)
{
    auto sources = sourcesWith("{}");
    sources.environment["RELAYER_GATEWAY__RPC__WRITE"] = "http://h";
    EXPECT_THAT(problemsOf(sources), ElementsAre(HasSubstr("gateway.rpc.read: is required since "
                                                           "gateway.rpc.write is set")));
    sources.environment["RELAYER_LISTENER__ENDPOINTS"] = "ws://h";
    EXPECT_EQ(problemsOf(sources).size(), 1U);
    EXPECT_THAT(problemsOf(sourcesWith(R"({"protocol_config": {"rpc": [{"url": "http://h"}]}})")),
                ElementsAre(HasSubstr("protocol_config.address: is required")));
    EXPECT_THAT(problemsOf(sourcesWith(std::string(R"({"protocol_config": {"address": ")") +
                                       address + "\"}}")),
                ElementsAre(HasSubstr("protocol_config.rpc: is required")));
    EXPECT_THAT(problemsOf(sourcesWith(
                    R"({"tx_throttler": {"input_proof": {"capacity": 10, "safety_margin": 10}}})")),
                ElementsAre("tx_throttler.input_proof.safety_margin: must be below "
                            "tx_throttler.input_proof.capacity"));
    EXPECT_THAT(problemsOf(sourcesWith(
                    R"({"tx_throttler": {"input_proof": {"capacity": 10, "safety_margin": 9}}})")),
                IsEmpty());
    EXPECT_THAT(problemsOf(sourcesWith(R"({"tx_throttler": {"input_proof": {"per_second": 0}}})")),
                ElementsAre(HasSubstr("per_second: 0 is below the minimum of 1")));
    auto chain = chainSources();
    chain.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "8s";
    EXPECT_THAT(problemsOf(chain), ElementsAre("tx_engine.lane_lease: must be longer than "
                                               "database.client_timeout"));
}

TEST(ConfigChain, ThePrintedConfigurationShowsTheNamesOfNodesAndMasksTheirUrlsAndTheKey)
{
    auto sources = chainSources();
    sources.environment["RELAYER_GATEWAY__RPC__READ"] =
        std::string("main=https://h/") + nodeKey + ",http://i/" + nodeKey;
    const auto text = effectiveConfiguration(load(sources));
    EXPECT_THAT(text, HasSubstr("gateway.rpc.read = [{\"name\": \"main\", \"url\": \"***\"}, "
                                "{\"name\": \"read-2\", \"url\": \"***\"}]"));
    EXPECT_THAT(text, HasSubstr("signer.private_key = \"***\""));
    EXPECT_THAT(text, HasSubstr("listener.start_block = null"));
    EXPECT_THAT(text, Not(HasSubstr(nodeKey)));
    EXPECT_THAT(text, Not(HasSubstr(privateKey)));
}
