// The rules of sending and of receipts, one at a time: what follows from a transaction that was
// mined without its event, or reverted; that waits too long, or is refused; whose nonce somebody
// else took; and from an account that can not pay.

#include "config/settings.h"
#include "plugins/tx_signing.h"
#include "support/await.h"
#include "support/captured_log.h"
#include "support/eventually.h"
#include "support/lying_chain.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::Transition;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

const std::string kKey = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
constexpr milliseconds kPatience{60'000};
constexpr milliseconds kNever = std::chrono::hours(1);
constexpr std::uint32_t kPaused = 0xd93c0665;
constexpr std::uint32_t kNoBalance = 0xe450d38c;
constexpr std::uint32_t kNoAllowance = 0xfb8f41b2;
constexpr std::uint32_t kUnknownError = 0x12345678;

LyingChain::Revert revertingWith(std::uint32_t selector)
{
    return [selector](const core::Bytes &) {
        core::Bytes data(4 + 3 * 32, 0);
        for (std::size_t i = 0; i < 4; ++i)
        {
            data[i] = static_cast<std::uint8_t>(selector >> (8 * (3 - i)));
        }
        return std::optional(data);
    };
}

class TxRules : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        begin({});
    }

    void begin(const LyingChain::Options &chain)
    {
        chain_ = std::make_unique<LyingChain>(chain);
        options_.nodeUrl = chain_->node().url();
        options_.key = kKey;
        options_.tx = impatientOptions();
        options_.tx.contracts = chain_->options().contracts;
        options_.tx.feeBumpAfter = kNever;
        options_.timeout = milliseconds(5'000);
        options_.syncTimeout = milliseconds(5'000);
    }

    [[nodiscard]] std::string statuses() const
    {
        return database_->value(
            "SELECT string_agg(status || coalesce(':' || error_code, ''), ' ' ORDER BY id)"
            " FROM request");
    }
    // The states of the nonces, in their order.
    [[nodiscard]] std::string nonces() const
    {
        return database_->value(
            "SELECT string_agg(nonce || ' ' || state, ', ' ORDER BY nonce) FROM tx_attempt");
    }
    [[nodiscard]] std::size_t sends()
    {
        return chain_->node().calls("eth_sendRawTransaction") +
               chain_->node().calls("eth_sendRawTransactionSync");
    }

    [[nodiscard]] bool says(const std::string &question, const std::string &answer) const
    {
        return eventually([&] { return database_->value(question) == answer; }, kPatience);
    }

    [[nodiscard]] static bool becomesQuiet(RunningPipeline &pipeline)
    {
        return pipeline.becomes(
            [](const auto &s) { return s.preparing + s.signing + s.open + s.waitingToResend == 0; },
            kPatience);
    }
    [[nodiscard]] static bool waitsToResend(RunningPipeline &pipeline)
    {
        return pipeline.becomes([](const auto &s) { return s.waitingToResend == 1; }, kPatience);
    }

    CapturedLog log_;
    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<LyingChain> chain_;
    PipelineOptions options_;
};

TEST_F(TxRules, AProofThatIsMinedWithoutItsEventFails)
{
    chain_->mineWithoutEvents(1);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:transaction_failed");
    EXPECT_EQ(nonces(), "0 mined");
    EXPECT_EQ(chain_->minedTransactions(), 1U);
    EXPECT_TRUE(log_.says("step=mined_without_event alert=true"));
}

TEST_F(TxRules, ADecryptionThatIsMinedWithoutItsEventIsSentAgainAtDoublingIntervals)
{
    std::mutex mutex;
    std::vector<Clock::time_point> estimates;
    chain_->node().on("eth_estimateGas", [&](const Json::Value &) {
        const std::lock_guard lock(mutex);
        estimates.push_back(Clock::now());
        return FakeNode::result("\"0x186a0\"");
    });
    chain_->mineWithoutEvents(3);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(waitsToResend(pipeline));
    EXPECT_EQ(statuses(), "tx_in_flight");
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
    EXPECT_EQ(nonces(), "0 mined, 1 mined, 2 mined, 3 mined");
    EXPECT_EQ(chain_->requests().size(), 1U);
    const std::lock_guard lock(mutex);
    ASSERT_EQ(estimates.size(), 4U);
    milliseconds wait = options_.tx.resendWithoutEventAfter;
    for (std::size_t i = 1; i < estimates.size(); ++i, wait *= 2)
    {
        EXPECT_GE(estimates[i] - estimates[i - 1], wait) << "before it was sent again, " << i;
    }
}

TEST_F(TxRules, TheFirstOfTheseIntervalsIsThirtySecondsUnlessConfigured)
{
    EXPECT_EQ(plugins::TxOptions().resendWithoutEventAfter, seconds(30));
    EXPECT_EQ(config::Settings().txEngine.resendWithoutEventAfter, seconds(30));
}

TEST_F(TxRules, ItIsSentAgainAtOnceAfterARestart)
{
    chain_->mineWithoutEvents(1);
    options_.tx.resendWithoutEventAfter = kNever;
    {
        RunningPipeline before(*database_, options_);
        admitReady(before.store(), Kind::UserDecrypt, 1, 10);
        before.pullAll();
        ASSERT_TRUE(waitsToResend(before));
        EXPECT_EQ(statuses(), "tx_in_flight");
    }
    RunningPipeline pipeline(*database_, options_);
    ASSERT_TRUE(says("SELECT status || coalesce(owner::text, '') FROM request", "processing"));
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
    EXPECT_EQ(nonces(), "0 mined, 1 mined");
}

TEST_F(TxRules, ItIsNotSentAgainOnceItHasEnded)
{
    chain_->mineWithoutEvents(1);
    options_.tx.resendWithoutEventAfter = milliseconds(500);
    RunningPipeline pipeline(*database_, options_);
    const auto ids = admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(waitsToResend(pipeline));
    // As its deadline would.
    models::Step deadline;
    deadline.transition = Transition::FailInternally;
    deadline.id = ids.front();
    deadline.failure = core::Failure{core::FailureCode::ResponseTimedOut, "its deadline"};
    ASSERT_EQ(await(pipeline.store()->apply(deadline)), models::StepOutcome::Won);
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:response_timed_out");
    EXPECT_EQ(chain_->minedTransactions(), 1U);
}

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
        says("SELECT r.status || ' ' || a.state FROM request r, tx_attempt a", "processing mined"));
    chain_->mineAtOnce(false);
    chain_->reorg(1, Fate::BackInPool);
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.open == 1; }, kPatience));
    node = Node::Reverts;
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.preparing == 0; }, kPatience));
    EXPECT_EQ(statuses(), "tx_in_flight");
    chain_->mineAtOnce(true);
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
    EXPECT_EQ(nonces(), "0 mined");
}

TEST_F(TxRules, ARevertedReceiptIsReplayedForItsReason)
{
    chain_->revertWhenMined(revertingWith(kPaused));
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 20);
    admitReady(pipeline.store(), Kind::UserDecrypt, 1, 30);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(),
              "failure:protocol_paused failure:protocol_paused failure:protocol_paused");
    EXPECT_EQ(nonces(), "0 mined, 1 mined, 2 mined");
    // At the state before the block that it was mined in.
    const auto replays = chain_->node().params("eth_call");
    ASSERT_EQ(replays.size(), 3U);
    EXPECT_TRUE(replays.front()[1].asString().starts_with("0x")) << replays.front()[1];
}

TEST_F(TxRules, ARevertForAnUnknownReasonIsAFailedTransaction)
{
    chain_->revertWhenMined(revertingWith(kUnknownError));
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:transaction_failed");
}

TEST_F(TxRules, ARevertIsReplayedAgainWhenTheNodeCanNotBeAsked)
{
    chain_->revertWhenMined(revertingWith(kPaused));
    std::atomic<int> asked{0};
    chain_->node().on("eth_call", [&](const Json::Value &) {
        FakeNode::Reply reply = FakeNode::error(3, "execution reverted", "\"0xd93c0665\"");
        reply.wire.status = asked++ < 2 ? 503 : 200;
        return reply;
    });
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:protocol_paused");
    EXPECT_GE(asked, 3);
}

TEST_F(TxRules, AFeeThatCanNotBePaidFailsTheRequestAndTellsTheOperator)
{
    for (const auto &[selector, code] : {std::pair{kNoBalance, "insufficient_balance"},
                                         std::pair{kNoAllowance, "insufficient_allowance"}})
    {
        chain_->revertOnEstimate(revertingWith(selector));
        const TestDatabase database;
        RunningPipeline pipeline(database, options_);
        admitReady(pipeline.store(), Kind::InputProof, 1, 10);
        pipeline.pullAll();
        ASSERT_TRUE(becomesQuiet(pipeline));
        EXPECT_EQ(database.value("SELECT status || ':' || error_code FROM request"),
                  std::string("failure:") + code);
        EXPECT_EQ(database.value("SELECT count(*) FROM tx_attempt"), "0") << "a nonce was spent";
        EXPECT_TRUE(log_.says(std::string("step=fee_token_short alert=true code=") + code))
            << log_.text();
    }
    EXPECT_EQ(sends(), 0U);
}

TEST_F(TxRules, TheOperatorIsToldAlsoWhenTheFeeFallsShortOnlyOnTheChain)
{
    chain_->revertWhenMined(revertingWith(kNoAllowance));
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "failure:insufficient_allowance");
    EXPECT_TRUE(log_.says("step=fee_token_short alert=true code=insufficient_allowance"))
        << log_.text();
}

TEST_F(TxRules, AnAccountWithoutMoneyForGasPausesTheLane)
{
    chain_->lieOnSend(Lie::NoFunds, When::BeforeAccepting, 3);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    // Once: looking whether there is more would last until the pause is over.
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (pipeline.pullOnce(Kind::InputProof) != 1U)
    {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.paused; }, kPatience));
    admitReady(pipeline.store(), Kind::InputProof, 2, 20);
    EXPECT_EQ(pipeline.pullOnce(Kind::InputProof), std::nullopt) << "nothing is claimed meanwhile";
    EXPECT_EQ(statuses(), "tx_in_flight processing processing");
    EXPECT_TRUE(log_.says("step=lane_paused alert=true"));
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return !s.paused; }, kPatience));
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received receipt_received receipt_received");
    EXPECT_EQ(chain_->liesLeft(), 0U);
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
        eventually([this] { return log_.says("step=fee_cap_reached alert=true"); }, kPatience));
    EXPECT_EQ(database_->value("SELECT max(max_fee_per_gas) <= 230000000 FROM tx_version"), "t");
    EXPECT_EQ(database_->value("SELECT count(*) FROM tx_version"), "2");
    chain_->mineAtOnce(true);
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
}

TEST_F(TxRules, ANonceThatAStrangerTookGivesTheRequestAnother)
{
    RunningPipeline pipeline(*database_, options_);
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.held; }, kPatience));
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
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.held; }, kPatience));
    // Its lease can not be renewed once another holds the lane.
    database_->query("UPDATE signer_lane SET owner = 77, lease_until = now() + interval '1 hour'");
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return !s.held; }, kPatience));
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
}  // namespace
}  // namespace relayer::test
