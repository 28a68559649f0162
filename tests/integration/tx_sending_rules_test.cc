// The rules of sending, one at a time: what waits too long, or is refused; whose nonce somebody
// else took, or which a reorg gave back; what becomes of requests that another lane has.
#include "integration/tx_rules.h"
#include "plugins/tx_signing.h"
#include "support/await.h"

#include <atomic>

namespace relayer::test
{
using core::Kind;
using std::chrono::milliseconds;

// A reorg gave the first transaction back while another one was being prepared.
TEST_F(TxRules, WhatComesBackIsNotFailedByTheEstimateOfAnother)
{
    enum class Node : std::uint8_t
    {
        Estimates,
        Away,
        Reverts
    };
    std::atomic<Node> node{Node::Estimates};
    chain_->node().on("eth_estimateGas", [&](const Json::Value &) {
        if (node == Node::Reverts)
        {
            return FakeNode::error(3, "execution reverted", "\"0xd93c0665\"");
        }
        FakeNode::Reply reply = FakeNode::result("\"0x186a0\"");
        if (node.exchange(Node::Away) == Node::Away)
        {
            reply.wire.status = 503;
        }
        return reply;
    });
    chain_->mineWithoutEvents(1);
    options_.tx.lookForGapsEvery = milliseconds(100);
    options_.tx.maxAttempts = 1'000'000;
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(
        says("SELECT string_agg(r.status || ' ' || a.state, '') FROM request r, tx_attempt a",
             "processing mined"));
    chain_->mineAtOnce(false);
    chain_->reorg(1, Fate::BackInPool);
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.open == 1; }, kTxPatience));
    node = Node::Reverts;
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.preparing == 0; }, kTxPatience));
    EXPECT_EQ(statuses(), "tx_in_flight");
    chain_->mineAtOnce(true);
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
    EXPECT_EQ(nonces(), "0 mined");
}

// A request may have an attempt in each of two lanes, after a reorg: whoever takes one of the lanes
// takes the request, and goes on without it when that attempt comes to nothing.
TEST_F(TxRules, WhoFindsTheReceiptTakesTheRequestBackFromAnotherLane)
{
    chain_->mineAtOnce(false);
    options_.syncTimeout = milliseconds(100);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(says("SELECT count(*) FROM tx_attempt WHERE sends > 0", "1"));
    database_->query("UPDATE request SET owner = 999999");
    chain_->mineAtOnce(true);
    ASSERT_TRUE(becomesQuiet(pipeline)) << statuses();
    EXPECT_EQ(statuses(), "receipt_received");
    EXPECT_EQ(nonces(), "0 mined");
    EXPECT_EQ(chain_->requests().size(), 1U);
}

TEST_F(TxRules, ATransactionThatWaitsTooLongIsReplacedAtItsNonceForATenthMore)
{
    chain_->mineAtOnce(false);
    options_.tx.feeBumpAfter = milliseconds(300);
    options_.syncTimeout = milliseconds(100);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(says("SELECT count(*) >= 3 FROM tx_version", "t"));
    ASSERT_EQ(chain_->poolSize(), 1U);
    chain_->mineAtOnce(true);
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
    EXPECT_EQ(nonces(), "0 mined");
    EXPECT_EQ(chain_->requests().size(), 1U);
    EXPECT_EQ(
        database_->value("SELECT bool_and(fee >= before * 1.1 AND tip >= tip_before * 1.1) FROM"
                         " (SELECT max_fee_per_gas AS fee, max_priority_fee_per_gas AS tip,"
                         " lag(max_fee_per_gas) OVER seen AS before,"
                         " lag(max_priority_fee_per_gas) OVER seen AS tip_before"
                         " FROM tx_version WINDOW seen AS (ORDER BY max_fee_per_gas)) v"
                         " WHERE before IS NOT NULL"),
        "t");
}

TEST_F(TxRules, NoReplacementOffersMoreThanTheCap)
{
    chain_->mineAtOnce(false);
    options_.tx.feeBumpAfter = milliseconds(100);
    options_.syncTimeout = milliseconds(100);
    options_.tx.maxFeePerGas = chain::Uint256(230'000'000);  // the first offers 201 million
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    EXPECT_TRUE(
        eventually([this] { return log_.says("step=fee_cap_reached alert=true"); }, kTxPatience));
    EXPECT_EQ(database_->value("SELECT max(max_fee_per_gas) <= 230000000 FROM tx_version"), "t");
    EXPECT_EQ(database_->value("SELECT count(*) FROM tx_version"), "2");
    chain_->mineAtOnce(true);
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
}

TEST_F(TxRules, ANonceThatAStrangerTookGivesTheRequestAnother)
{
    RunningPipeline pipeline(*database_, options_);
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.held; }, kTxPatience));
    const auto context = pipeline.context();
    chain::Transaction foreign;
    foreign.chainId = options_.tx.chainId;
    foreign.nonce = 0;
    foreign.gasLimit = 21'000;
    foreign.to = context->signer->address();
    plugins::offer(foreign, {1'000'000'000, 1'000'000'000});
    std::vector<chain::Transaction> transactions{foreign};
    const auto versions = await(plugins::sign(context, std::move(transactions)));
    core::Bytes raw = versions.front().raw;
    static_cast<void>(await(context->node->sendRawTransaction(std::move(raw))));
    ASSERT_EQ(chain_->minedTransactions(), 1U);

    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
    EXPECT_EQ(nonces(), "0 consumed, 1 mined");
    EXPECT_EQ(chain_->requests().size(), 1U);
    EXPECT_TRUE(log_.says("step=nonce_consumed alert=true"));
}

TEST_F(TxRules, WhatIsSentTooOftenFailsAndItsNonceIsClosed)
{
    constexpr int kMost = 4;
    options_.tx.maxAttempts = kMost;
    chain_->lieOnSend(Lie::Busy, When::BeforeAccepting, kMost);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:transaction_failed");
    EXPECT_EQ(nonces(), "0 mined");
    EXPECT_EQ(chain_->requests().size(), 0U) << "what closes a nonce is no request";
    EXPECT_EQ(chain_->minedTransactions(), 1U);
    EXPECT_EQ(sends(), kMost + 1U) << "first sends and repeated ones count alike, then the no-op";
    // The lane goes on.
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 20);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:transaction_failed receipt_received");
}

TEST_F(TxRules, APayloadThatIsRefusedFailsAtOnceAndItsNonceIsClosed)
{
    chain_->lieOnSend(Lie::RevertText, When::BeforeAccepting);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:protocol_paused");
    EXPECT_EQ(nonces(), "0 mined");
    EXPECT_EQ(chain_->requests().size(), 0U);
    EXPECT_EQ(
        database_->value("SELECT string_agg(no_op::text, ' ' ORDER BY no_op) FROM tx_version"),
        "false true");
}

TEST_F(TxRules, ANodeWithoutTheSyncCallIsSentToWithoutIt)
{
    LyingChain::Options old;
    old.knowsSync = false;
    begin(old);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    admitReady(pipeline.store(), Kind::InputProof, 3, 20);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received receipt_received receipt_received receipt_received");
    EXPECT_EQ(chain_->node().calls("eth_sendRawTransactionSync"), 1U) << "it was told once";
    EXPECT_EQ(chain_->node().calls("eth_sendRawTransaction"), 4U);
    EXPECT_EQ(chain_->requests().size(), 4U);
}

TEST_F(TxRules, ARowThatCanNotBeReadFailsWithAnAlertAndHoldsNobodyUp)
{
    RunningPipeline pipeline(*database_, options_);
    const auto ids = admitReady(pipeline.store(), Kind::InputProof, 2, 1);
    database_->query("UPDATE request SET payload = '\\x00ff' WHERE id = " + std::to_string(ids[0]));
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_TRUE(
        says("SELECT count(*) FROM request WHERE status = 'failure' AND error_code = 'undecodable'",
             "1"));
    EXPECT_EQ(database_->value("SELECT status FROM request WHERE id = " + std::to_string(ids[0])),
              "failure");
    EXPECT_EQ(database_->value("SELECT status FROM request WHERE id = " + std::to_string(ids[1])),
              "receipt_received");
    EXPECT_TRUE(log_.says("step=payload_undecodable alert=true request=" + std::to_string(ids[0])));
}

TEST_F(TxRules, TheGasLimitIsTheEstimateAndAFifthMore)
{
    chain_->node().answer("eth_estimateGas", "\"0x186a5\"");  // 100,005
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(database_->value("SELECT gas_limit FROM tx_version"), "120006");
}

// Rows that were claimed and made ready while the lane went to somebody else are for that one.
TEST_F(TxRules, WhatIsReadyIsGivenBackWhenTheLaneIsSomebodyElses)
{
    options_.tx.lease = milliseconds(300);
    options_.tx.giveBackAfter = milliseconds(50);
    RunningPipeline pipeline(*database_, options_);
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.held; }, kTxPatience));
    // Its lease can not be renewed once another holds the lane.
    database_->query("UPDATE signer_lane SET owner = 77, lease_until = now() + interval '1 hour'");
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return !s.held; }, kTxPatience));
    admitReady(pipeline.store(), Kind::InputProof, 2, 10);
    const auto rows = await(pipeline.store()->claim(Kind::InputProof, core::Status::Processing,
                                                    *pipeline.context()->claimer(), 10));
    ASSERT_EQ(rows.size(), 2U);
    pipeline.context()->loop->queueInLoop([&] { pipeline.pipeline().take(rows); });
    EXPECT_TRUE(
        says("SELECT count(*) FROM request WHERE status = 'processing' AND owner IS NULL", "2"))
        << statuses();
    EXPECT_EQ(sends(), 0U);
}
}  // namespace relayer::test
