// The rules of receipts, one at a time: what follows from a transaction that was mined without its
// event, or reverted; and from an account that can not pay.
#include "integration/tx_rules.h"

#include "config/settings.h"
#include "support/await.h"

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

}  // namespace

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
    const auto deadline = std::chrono::steady_clock::now() + kTxPatience;
    while (pipeline.pullOnce(Kind::InputProof) != 1U)
    {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.paused; }, kTxPatience));
    admitReady(pipeline.store(), Kind::InputProof, 2, 20);
    EXPECT_EQ(pipeline.pullOnce(Kind::InputProof), std::nullopt) << "nothing is claimed meanwhile";
    EXPECT_EQ(statuses(), "tx_in_flight processing processing");
    EXPECT_TRUE(log_.says("step=lane_paused alert=true"));
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return !s.paused; }, kTxPatience));
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received receipt_received receipt_received");
    EXPECT_EQ(chain_->liesLeft(), 0U);
}
}  // namespace relayer::test
