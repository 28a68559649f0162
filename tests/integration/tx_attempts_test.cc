// What two things at once do to a transaction: each of these has once ended in a second transaction
// for one request, a request that nobody looked at again, or a lane given away for nothing.

#include "integration/tx_world.h"
#include "plugins/tx_signing.h"
#include "support/await.h"
#include "support/lying_chain.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace relayer::test
{
namespace
{
using core::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

class TxAttemptsTest : public TxWorld
{
  protected:
    void SetUp() override
    {
        TxWorld::SetUp();
        options_.nodeUrl = chain_.node().url();
        options_.tx = impatientOptions();
        options_.tx.contracts = chain_.options().contracts;
        // A lane that was given away for nothing would not come back within the test.
        options_.tx.lease = seconds(600);
        options_.timeout = milliseconds(2'000);
        options_.syncTimeout = milliseconds(300);
    }

    // What a commit leaves that was given up for lost and came through after all.
    void commitUnseen(RunningPipeline &pipeline, std::size_t count, std::uint64_t firstNonce) const
    {
        const auto context = pipeline.context();
        admitReady(pipeline.store(), Kind::InputProof, count, 100);
        const auto rows = await(pipeline.store()->claim(Kind::InputProof, core::Status::Processing,
                                                        *context->claimer(), count));
        ASSERT_EQ(rows.size(), count);
        std::vector<chain::Transaction> transactions;
        for (const auto &row : rows)
        {
            const auto outgoing = plugins::outgoingFrom(row, options_.tx.contracts).value();
            chain::Transaction transaction;
            transaction.chainId = options_.tx.chainId;
            transaction.nonce = firstNonce + transactions.size();
            transaction.gasLimit = 1'000'000;
            transaction.to = outgoing.to;
            transaction.data = outgoing.calldata;
            plugins::offer(transaction, {1'000'000'000, 1'000'000'000});
            transactions.push_back(std::move(transaction));
        }
        const auto versions = await(plugins::sign(context, std::move(transactions)));
        std::vector<models::NewAttempt> attempts;
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            attempts.push_back({rows[i].getValueOfId(), versions[i]});
        }
        const auto committed = await(context->lanes->commit(
            context->hold(), static_cast<std::int64_t>(firstNonce), std::move(attempts)));
        ASSERT_EQ(committed.outcome, models::AttemptsCommitted::Outcome::Committed);
    }

    LyingChain chain_;
};

TEST_F(TxAttemptsTest, ANodeThatCanNotLookForReceiptsProvesNoNonceLost)
{
    chain_.lieOnSend(Lie::NonceTooLow, When::AfterAccepting);
    chain_.refuseReceipts(true);
    options_.tx.maxAttempts = 100'000;  // that it was sent too often is another matter
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    // It was mined, its nonce is taken, and the node says so each time.
    ASSERT_TRUE(chain_.node().waitForCalls("eth_getTransactionReceipt", 30, kTxPatience));
    chain_.refuseReceipts(false);
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(chain_.requests().size(), 1U);
    EXPECT_EQ(statuses(), "receipt_received");
}

// The answer to one question is held back until a test lets it go.
class HeldBack
{
  public:
    void hold()
    {
        std::unique_lock lock(mutex_);
        held_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, kTxPatience, [this] { return released_; });
    }
    [[nodiscard]] bool waitUntilHeld()
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kTxPatience, [this] { return held_; });
    }
    void release()
    {
        const std::lock_guard lock(mutex_);
        released_ = true;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool held_ = false;
    bool released_ = false;
};

TEST_F(TxAttemptsTest, ATransactionThatIsMinedWhileItsFeesAreRaisedCostsNoLane)
{
    HeldBack fees;
    std::atomic<int> asked{0};
    chain_.node().on("eth_feeHistory", [&](const Json::Value &) {
        if (asked++ > 0)
        {
            fees.hold();
        }
        return FakeNode::result(
            R"({"baseFeePerGas":["0x5f5e100","0x5f5e100"],"oldestBlock":"0x0"})");
    });
    chain_.mineAtOnce(false);
    options_.tx.feeBumpAfter = milliseconds(1'200);  // fees are kept for a second
    options_.timeout = kTxPatience;
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    const bool bumping = fees.waitUntilHeld();
    chain_.mineBlock();
    const bool mined = says("SELECT state FROM tx_attempt", "mined");
    fees.release();
    ASSERT_TRUE(bumping);
    ASSERT_TRUE(mined);
    chain_.mineAtOnce(true);
    admitReady(pipeline.store(), Kind::InputProof, 1, 20);
    ASSERT_NO_THROW(pipeline.pullAll());
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received receipt_received");
}

TEST_F(TxAttemptsTest, ARequestThatIsSetBackWhileItsTransactionIsOutIsNotSentAgain)
{
    chain_.mineAtOnce(false);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(chain_.waitForPool(1));
    database_->query("UPDATE request SET status = 'processing', owner = NULL");
    chain_.mineAtOnce(true);
    chain_.mineBlock();
    ASSERT_TRUE(becomesQuiet(pipeline));
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(chain_.requests().size(), 1U);
    EXPECT_EQ(statuses(), "receipt_received");
}

TEST_F(TxAttemptsTest, AnIdThatAnEndedRequestHasEndsTheSecondWithAnErrorNotWithAnotherTransaction)
{
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    models::Answer answer;
    answer.kind = Kind::PublicDecrypt;
    answer.gatewayId = chain_.requests().front().gatewayId;
    answer.result = {1};
    await(pipeline.store()->keepAnswer(std::move(answer)));
    ASSERT_EQ(statuses(), "completed");
    // As after a reorg that moved the ids: the next one is what the first had.
    database_->query(
        "UPDATE gateway_reference SET gateway_id ="
        " set_byte(gateway_id, 31, get_byte(gateway_id, 31) + 1)");
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 20);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "completed failure:internal");
    EXPECT_EQ(chain_.requests().size(), 2U);
    EXPECT_EQ(database_->value("SELECT count(*) FROM tx_attempt WHERE open"), "0");
}

TEST_F(TxAttemptsTest, AnAccountWithoutMoneyForGasMakesItsRequestsWait)
{
    std::atomic<bool> poor{true};
    chain_.node().on("eth_estimateGas", [&](const Json::Value &) {
        return poor ? FakeNode::error(-32000, "insufficient funds for gas * price + value")
                    : FakeNode::result("\"0x186a0\"");
    });
    options_.tx.maxAttempts = 3;
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(chain_.node().waitForCalls("eth_estimateGas", 10, kTxPatience));
    EXPECT_EQ(statuses(), "processing");
    poor = false;
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(statuses(), "receipt_received");
}

// What may be in a pool is closed by a no-op of ours before its request fails, so that it is not
// mined after all.
TEST_F(TxAttemptsTest, ADeadlineFailsTheRequestOnceItsNonceIsClosed)
{
    options_.tx.deadline = milliseconds(200);
    options_.tx.retryInterval = seconds(600);
    options_.tx.rebroadcastAfter = seconds(600);
    options_.tx.feeBumpAfter = seconds(600);
    chain_.mineAtOnce(false);
    chain_.lieOnSend(Lie::TransportLoss, When::BeforeAccepting);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(says("SELECT count(*) FROM tx_version WHERE no_op", "1"));
    EXPECT_EQ(statuses(), "tx_in_flight");
    ASSERT_TRUE(pipeline.becomes([this](const auto &s) {
        chain_.mineBlock();
        return s.preparing + s.signing + s.open + s.waitingToResend == 0;
    }));
    EXPECT_EQ(statuses(), "failure:transaction_failed");
    EXPECT_EQ(chain_.requests().size(), 0U);
    EXPECT_EQ(chain_.minedTransactions(), 1U);
}

// The window counts what is in the air. While it is full as many again are made ready, and go in
// the order of their nonces as places get free.
TEST_F(TxAttemptsTest, AsManyAsMayBeInTheAirAreAndAsManyAgainAreReady)
{
    constexpr std::size_t kWindow = 4;
    constexpr std::size_t kRequests = 3 * kWindow;
    options_.tx.maxInFlight = kWindow;
    options_.tx.rebroadcastAfter = seconds(600);
    options_.tx.feeBumpAfter = seconds(600);
    options_.syncTimeout = kTxPatience;
    chain_.mineAtOnce(false);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, kRequests, 10);
    std::size_t claimed = 0;
    ASSERT_TRUE(pipeline.becomes([&](const auto &s) {
        claimed += pipeline.pullOnce(Kind::InputProof).value_or(0);
        return s.inAir == kWindow && s.open == 2 * kWindow;
    })) << claimed;
    EXPECT_EQ(pipeline.pullOnce(Kind::InputProof), std::nullopt) << "there is no room";
    EXPECT_EQ(claimed, 2 * kWindow);
    EXPECT_TRUE(says("SELECT count(*) FROM request WHERE status = 'tx_in_flight'",
                     std::to_string(2 * kWindow)));
    ASSERT_TRUE(chain_.node().waitForCalls("eth_sendRawTransactionSync", kWindow, kTxPatience));
    EXPECT_EQ(chain_.node().calls("eth_sendRawTransactionSync"), kWindow);

    chain_.mineBlock();
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.inAir == kWindow; }));
    ASSERT_TRUE(
        says("SELECT count(*) FROM tx_attempt WHERE state = 'mined'", std::to_string(kWindow)));
    ASSERT_TRUE(chain_.node().waitForCalls("eth_sendRawTransactionSync", 2 * kWindow, kTxPatience));
    EXPECT_EQ(chain_.node().calls("eth_sendRawTransactionSync"), 2 * kWindow);
    chain_.mineAtOnce(true);
    chain_.mineBlock();
    ASSERT_TRUE(pipeline.becomes([&](const auto &) {
        claimed += pipeline.pullOnce(Kind::InputProof).value_or(0);
        return claimed == kRequests;
    })) << claimed;
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(chain_.requests().size(), kRequests);
    EXPECT_EQ(chain_.node().calls("eth_sendRawTransactionSync"), kRequests);
    EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE status = 'receipt_received'"),
              std::to_string(kRequests));
}

// Commits that happened although their answer was lost take the highest nonces of all. They must
// not go into the air before those that wait for it, or nothing in the air could be mined.
TEST_F(TxAttemptsTest, WhatIsFoundCommittedDoesNotOvertakeWhatWaits)
{
    constexpr std::size_t kWindow = 2;
    options_.tx.maxInFlight = kWindow;
    options_.syncTimeout = kTxPatience;
    chain_.mineAtOnce(false);
    RunningPipeline pipeline(*database_, options_);
    const auto ids = admitReady(pipeline.store(), Kind::InputProof, 3, 10);
    ASSERT_TRUE(pipeline.becomes([&](const auto &s) {
        static_cast<void>(pipeline.pullOnce(Kind::InputProof));
        return s.inAir == kWindow && s.open == 3;
    }));
    commitUnseen(pipeline, kWindow, 3);

    // The pipeline learns of it when it wants the same nonces.
    admitReady(pipeline.store(), Kind::InputProof, 1, 200);
    ASSERT_TRUE(pipeline.becomes([&](const auto &s) {
        static_cast<void>(pipeline.pullOnce(Kind::InputProof));
        return s.open == 3 + kWindow + 1;
    }));
    EXPECT_EQ(statuses().find("failure"), std::string::npos);
    chain_.mineBlock();
    ASSERT_TRUE(pipeline.becomes([&](const auto &s) {
        chain_.mineBlock();
        return s.open == 0;
    })) << pipeline.snapshot().inAir;
    EXPECT_EQ(chain_.requests().size(), ids.size() + kWindow + 1);
    EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE status = 'receipt_received'"),
              "6");
}

TEST_F(TxAttemptsTest, WhatWaitsToBeSentAgainLeavesItsPlaceToOthers)
{
    options_.tx.maxInFlight = 1;
    options_.tx.resendWithoutEventAfter = std::chrono::hours(1);
    chain_.mineWithoutEvents(1);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(
        pipeline.becomes([](const auto &s) { return s.waitingToResend == 1; }, kTxPatience));
    ASSERT_TRUE(
        pipeline.becomes([](const auto &s) { return s.inAir == 0 && s.open == 0; }, kTxPatience));
    admitReady(pipeline.store(), Kind::InputProof, 2, 20);
    pipeline.pullAll();
    ASSERT_TRUE(says("SELECT count(*) FROM request WHERE status = 'receipt_received'", "2"));
    EXPECT_EQ(statuses(), "tx_in_flight receipt_received receipt_received");
    EXPECT_EQ(pipeline.snapshot().waitingToResend, 1U);
}

TEST_F(TxAttemptsTest, ASendThatWaitsForItsRetryOccupiesNoNode)
{
    options_.tx.retryInterval = std::chrono::hours(1);
    options_.tx.rebroadcastAfter = std::chrono::hours(1);
    chain_.lieOnSend(Lie::TransportLoss, When::BeforeAccepting);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(eventually([&] { return chain_.liesLeft() == 0; }, kTxPatience));
    EXPECT_TRUE(eventually(
        [&] {
            const auto endpoints = pipeline.context()->node->snapshot();
            return std::ranges::all_of(endpoints, [](const auto &endpoint) {
                return endpoint.calls > 0 && endpoint.inFlight == 0 && endpoint.waiting == 0;
            });
        },
        kTxPatience));
    EXPECT_EQ(pipeline.snapshot().inAir, 1U) << "it still waits";
    EXPECT_EQ(chain_.node().calls("eth_sendRawTransaction") +
                  chain_.node().calls("eth_sendRawTransactionSync"),
              1U);
    EXPECT_EQ(statuses(), "tx_in_flight");
}

// Nobody asks for its nonces again: the lease's next renewal tells.
TEST_F(TxAttemptsTest, WhatIsCommittedUnseenIsFoundAlsoWhenNothingFollows)
{
    options_.tx.lease = milliseconds(900);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    pipeline.pullAll();
    ASSERT_TRUE(becomesQuiet(pipeline));
    commitUnseen(pipeline, 2, 1);
    EXPECT_TRUE(says("SELECT count(*) FROM request WHERE status = 'receipt_received'", "3"))
        << statuses();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(chain_.requests().size(), 3U);
    EXPECT_EQ(database_->value("SELECT string_agg(nonce || ' ' || state, ', ' ORDER BY nonce)"
                               " FROM tx_attempt"),
              "0 mined, 1 mined, 2 mined");
}

// While the lane was in doubt another held it, outbid the transaction, and died. The other's is
// mined: it is ours, too, and no stranger's, after whom the request would be sent again.
TEST_F(TxAttemptsTest, WhatAnotherHolderSentAtItsNonceIsKnownOnceTheLaneIsReadAgain)
{
    options_.tx.lease = milliseconds(900);
    options_.tx.rebroadcastAfter = seconds(600);
    options_.tx.feeBumpAfter = seconds(600);
    chain_.mineAtOnce(false);
    RunningPipeline pipeline(*database_, options_);
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    ASSERT_TRUE(pipeline.becomes([&](const auto &s) {
        static_cast<void>(pipeline.pullOnce(Kind::InputProof));
        return s.inAir == 1;
    }));
    const auto context = pipeline.context();
    const std::string sent = database_->value("SELECT encode(raw, 'hex') FROM tx_version");
    auto outbidding = chain::decodeTransaction(core::fromHex(sent).value()).value().transaction;
    plugins::offer(outbidding, {50'000'000'000, 50'000'000'000});
    const auto bid = await(plugins::sign(context, {outbidding})).front();
    const auto attempt = std::stoll(database_->value("SELECT id FROM tx_attempt"));
    ASSERT_TRUE(await(context->lanes->addVersion(context->hold(), attempt, bid, std::nullopt)));
    await(context->node->sendRawTransaction(bid.raw));
    // What makes it read the lane again: a commit that it does not know of.
    commitUnseen(pipeline, 1, 1);
    ASSERT_TRUE(pipeline.becomes([](const auto &s) { return s.open == 2; }));
    chain_.mineAtOnce(true);
    chain_.mineBlock();
    EXPECT_TRUE(says("SELECT count(*) FROM request WHERE status = 'receipt_received'", "2"))
        << statuses();
    ASSERT_TRUE(becomesQuiet(pipeline));
    EXPECT_EQ(chain_.requests().size(), 2U) << "one was sent twice";
    EXPECT_EQ(database_->value("SELECT string_agg(nonce || ' ' || state, ', ' ORDER BY nonce)"
                               " FROM tx_attempt"),
              "0 mined, 1 mined");
}
}  // namespace
}  // namespace relayer::test
