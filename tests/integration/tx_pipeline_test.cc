// The transaction pipeline against a real EVM node: every request becomes one mined transaction.

#include "chain/address.h"
#include "support/devnet.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using core::Kind;

class TxPipelineOnAnvil : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        if (const std::string why = Devnet::whyMissing(); !why.empty())
        {
            GTEST_SKIP() << why;
        }
        database_ = std::make_unique<TestDatabase>();
        devnet_ = std::make_unique<Devnet>();
    }

    [[nodiscard]] PipelineOptions options() const
    {
        PipelineOptions options;
        options.nodeUrl = devnet_->gateway().http;
        options.key = devnet_->relayerKey();
        options.tx = impatientOptions();
        const auto &contracts = devnet_->gateway().contracts;
        options.tx.contracts.decryption = *chain::parseAddress(contracts.at("decryption"));
        options.tx.contracts.inputVerification =
            *chain::parseAddress(contracts.at("inputVerification"));
        return options;
    }

    [[nodiscard]] std::string countIn(const std::string &status) const
    {
        return database_->value("SELECT count(*) FROM request WHERE status = '" + status + "'");
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<Devnet> devnet_;
};

TEST_F(TxPipelineOnAnvil, EveryRequestIsMinedOnceUnderGaplessNonces)
{
    RunningPipeline pipeline(*database_, options());
    const std::uint64_t before = devnet_->transactionsOf(devnet_->relayerAddress());
    admitReady(pipeline.store(), Kind::InputProof, 20, 1000);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 20, 2000);
    admitReady(pipeline.store(), Kind::UserDecrypt, 20, 3000);
    pipeline.pullAll();
    ASSERT_TRUE(pipeline.becomes([](const auto &s) {
        return s.preparing + s.signing + s.open == 0;
    })) << pipeline.snapshot().preparing
        << " " << pipeline.snapshot().signing << " " << pipeline.snapshot().open;
    EXPECT_EQ(countIn("receipt_received"), "60");
    EXPECT_EQ(devnet_->requestLogs().size(), 60U);
    EXPECT_EQ(devnet_->transactionsOf(devnet_->relayerAddress()) - before, 60U);
    EXPECT_EQ(
        database_->value("SELECT count(DISTINCT nonce) FROM tx_attempt WHERE state = 'mined'"),
        "60");
}

TEST_F(TxPipelineOnAnvil, ARevertEndsTheRequestWithItsCodeBeforeANonceIsSpent)
{
    devnet_->write("gateway", "inputVerification", "setPaused", {true});
    RunningPipeline pipeline(*database_, options());
    const auto ids = admitReady(pipeline.store(), Kind::InputProof, 2, 1);
    pipeline.pullAll();
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.preparing + s.open == 0; }));
    EXPECT_EQ(countIn("failure"), "2");
    EXPECT_EQ(database_->value("SELECT string_agg(DISTINCT error_code, ',') FROM request"),
              "protocol_paused");
    EXPECT_EQ(database_->value("SELECT count(*) FROM tx_attempt"), "0");
}
}  // namespace
}  // namespace relayer::test
