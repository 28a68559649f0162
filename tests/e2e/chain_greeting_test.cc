// What the server asks of the gateway before it sends anything: which chain it is, and whether the
// contracts are there. And with whose key it signs.
#include "chain/address.h"
#include "chain/private_key_signer.h"
#include "e2e/requests.h"
#include "support/fake_kms.h"
#include "support/lying_chain.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using core::Kind;

const std::string kKey = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(60);

class ChainGreeting : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        chain_ = std::make_unique<LyingChain>();
    }

    [[nodiscard]] ServerOptions serverOptions() const
    {
        const auto &contracts = chain_->options().contracts;
        ServerOptions options = onDatabase(database_->url());
        auto &environment = options.environment;
        environment["RELAYER_GATEWAY__CHAIN_ID"] = std::to_string(chain_->options().chainId);
        environment["RELAYER_GATEWAY__RPC__READ"] = "fake=" + chain_->node().url();
        environment["RELAYER_GATEWAY__CONTRACTS__DECRYPTION"] =
            chain::checksummed(contracts.decryption);
        environment["RELAYER_GATEWAY__CONTRACTS__INPUT_VERIFICATION"] =
            chain::checksummed(contracts.inputVerification);
        environment["RELAYER_SIGNER__PRIVATE_KEY"] = kKey;
        return options;
    }

    // It looks each second; so many looks later nothing had been sent.
    void expectNothingIsSent(const std::string &question)
    {
        const std::size_t looks = chain_->node().calls(question) + 3;
        EXPECT_TRUE(chain_->node().waitForCalls(question, looks, kPatience));
        EXPECT_EQ(chain_->node().calls("eth_estimateGas"), 0U);
        EXPECT_EQ(chain_->minedTransactions(), 0U);
        EXPECT_EQ(database_->value("SELECT string_agg(DISTINCT status::text, ' ') FROM request"),
                  "processing");
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::unique_ptr<LyingChain> chain_;
};

TEST_F(ChainGreeting, OfAnotherChainIsAnAlertAndNoMore)
{
    chain_->node().answer("eth_chainId", "\"0x1\"");
    ServerProcess server(serverOptions());
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitReady(*store_, Kind::InputProof, 3, 10);
    EXPECT_TRUE(chain_->waitForRequests(3, kPatience)) << server.output();
    EXPECT_TRUE(server.printed("step=wrong_chain alert=true")) << server.output();
}

TEST_F(ChainGreeting, OfAnotherChainStopsAllSendingWhenItIsStrict)
{
    chain_->node().answer("eth_chainId", "\"0x1\"");
    ServerOptions options = serverOptions();
    options.environment["RELAYER_GATEWAY__STRICT_CHAIN_ID"] = "true";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitReady(*store_, Kind::InputProof, 3, 10);
    ASSERT_TRUE(server.printed("step=wrong_chain alert=true")) << server.output();
    expectNothingIsSent("eth_chainId");
    // The right node behind the same name: no restart is needed.
    chain_->node().answer("eth_chainId", "\"0x9fbf1\"");
    EXPECT_TRUE(chain_->waitForRequests(3, kPatience)) << server.output();
}

TEST_F(ChainGreeting, WithoutContractsStopsAllSending)
{
    chain_->node().answer("eth_getCode", "\"0x\"");
    ServerProcess server(serverOptions());
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitReady(*store_, Kind::InputProof, 3, 10);
    ASSERT_TRUE(server.printed("step=no_contract alert=true")) << server.output();
    expectNothingIsSent("eth_getCode");
    chain_->node().answer("eth_getCode", "\"0x6080\"");
    EXPECT_TRUE(chain_->waitForRequests(3, kPatience)) << server.output();
}

TEST_F(ChainGreeting, AsksForTheCodeOnceNotForEachTransaction)
{
    ServerProcess server(serverOptions());
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitReady(*store_, Kind::InputProof, 20, 10);
    admitReady(*store_, Kind::PublicDecrypt, 20, 100);
    ASSERT_TRUE(chain_->waitForRequests(40, kPatience)) << server.output();
    EXPECT_EQ(chain_->node().calls("eth_getCode"), 2U) << "one for each contract";
    EXPECT_EQ(chain_->node().calls("eth_chainId"), 1U);
}

// Keys of providers stand in the paths of their URLs.
TEST_F(ChainGreeting, NoUrlOfANodeIsPrintedNotEvenAtTrace)
{
    ServerOptions options = serverOptions();
    auto &environment = options.environment;
    environment["RELAYER_LOG__LEVEL"] = "trace";
    environment["RELAYER_GATEWAY__RPC__READ"] =
        "dead=http://127.0.0.1:9/SECRET,fake=" + chain_->node().url("/v3/SECRET");
    environment["RELAYER_LISTENER__ENDPOINTS"] =
        "pushed=" + chain_->node().socketUrl("/ws/SECRET") +
        ",deaf=ws://127.0.0.1:9/SECRET,polled=" + chain_->node().url("/v3/SECRET");
    chain_->lieOnSend(Lie::RevertText, When::BeforeAccepting);
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitReady(*store_, Kind::InputProof, 3, 10);
    ASSERT_TRUE(chain_->waitForRequests(2, kPatience)) << server.output();
    server.kill(SIGTERM);
    EXPECT_EQ(server.exitCode(), 0) << server.output();
    EXPECT_NE(server.output().find("step=tx_engine_started"), std::string::npos);
    EXPECT_EQ(server.output().find("SECRET"), std::string::npos) << server.output();
}

TEST_F(ChainGreeting, SignsWithTheKeyThatIsInKms)
{
    FakeKms kms;
    ServerOptions options = serverOptions();
    auto &environment = options.environment;
    environment.erase("RELAYER_SIGNER__PRIVATE_KEY");
    environment["RELAYER_SIGNER__TYPE"] = "aws_kms";
    environment["RELAYER_SIGNER__KMS__KEY_ID"] = "alias/relayer";
    environment["RELAYER_SIGNER__KMS__REGION"] = "eu-test-1";
    environment["RELAYER_SIGNER__KMS__ENDPOINT"] = kms.url();
    environment["RELAYER_SIGNER__KMS__ACCESS_KEY_ID"] = "AKIDEXAMPLE";
    environment["RELAYER_SIGNER__KMS__SECRET_ACCESS_KEY"] = "wJalrXUtnFEMI";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    admitReady(*store_, Kind::InputProof, 5, 10);
    ASSERT_TRUE(chain_->waitForRequests(5, kPatience)) << server.output();
    for (const auto &request : chain_->requests())
    {
        EXPECT_EQ(core::toHex(request.sender), core::toHex(kms.address()));
    }
    EXPECT_EQ(server.output().find("wJalrXUtnFEMI"), std::string::npos);
}
}  // namespace
}  // namespace relayer::test
