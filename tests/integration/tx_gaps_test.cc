// Nonces that the chain has given back, and of which nobody has told the engine: it finds them by
// itself, or the lane would stand still.
#include "support/await.h"
#include "support/eventually.h"
#include "support/lying_chain.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace relayer::test
{
namespace
{
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class TxGaps : public testing::Test
{
  protected:
    static constexpr std::size_t kRequests = 3;
    static constexpr std::chrono::seconds kPatience{30};

    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        PipelineOptions options;
        options.nodeUrl = chain_.node().url();
        options.key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
        options.tx = impatientOptions();
        options.tx.contracts = chain_.options().contracts;
        options.tx.lookForGapsEvery = milliseconds(200);
        pipeline_ = std::make_unique<RunningPipeline>(*database_, options);
        send(kRequests);
    }

    // Requests that are mined, one block each.
    void send(std::size_t count)
    {
        sent_ += count;
        admitReady(pipeline_->store(), core::Kind::UserDecrypt, count, 100 * sent_);
        pipeline_->pullAll();
        ASSERT_TRUE(allStandOnTheChain());
    }
    bool allStandOnTheChain()
    {
        const auto stand = [this] {
            // What stands in the books, and the ids that it has there.
            const std::string mined = database_->value(
                "SELECT count(*) FROM tx_attempt a JOIN request r ON r.id = a.request_id"
                " WHERE a.state = 'mined' AND r.status = 'receipt_received'");
            return mined == std::to_string(sent_) && chain_.requests().size() == sent_ &&
                   idsAreRight();
        };
        return eventually(stand, kPatience);
    }
    bool idsAreRight()
    {
        for (const LyingChain::Request &request : chain_.requests())
        {
            if (database_->value("SELECT count(*) FROM request WHERE gateway_id = " +
                                 hexLiteral(request.gatewayId) +
                                 " AND tx_hash = " + hexLiteral(request.txHash)) != "1")
            {
                return false;
            }
        }
        return true;
    }
    void expectEachMinedOnce()
    {
        for (const auto &[calldata, times] : chain_.minedPerRequest())
        {
            EXPECT_EQ(times, 1U);
        }
    }

    LyingChain chain_;
    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<RunningPipeline> pipeline_;
    std::size_t sent_ = 0;
};

TEST_F(TxGaps, WhatAReorgTookIsSentAgainThoughNoListenerSawIt)
{
    chain_.reorg(2, Fate::Forgotten, 1);
    EXPECT_EQ(chain_.minedTransactions(), kRequests - 2);
    ASSERT_TRUE(allStandOnTheChain()) << "under the ids that they have now";
    send(1);
    expectEachMinedOnce();
}

// As when a process dies between opening a nonce again and sending it.
TEST_F(TxGaps, ANonceThatIsOpenInTheBooksAndThatNobodyCarriesIsReadAgain)
{
    chain_.reorg(1, Fate::Forgotten);
    database_->query(
        "UPDATE tx_attempt SET state = 'signed', open = true, mined_hash = NULL, mined_block = NULL"
        " WHERE nonce = 2");
    ASSERT_TRUE(allStandOnTheChain());
    send(1);
    expectEachMinedOnce();
}

// As when a statement that was given up for lost comes through after all, and the chain went on.
TEST_F(TxGaps, ANonceThatIsOpenInTheBooksAndThatTheChainHasTakenIsReadAgain)
{
    const std::string request =
        database_->value("SELECT request_id FROM tx_attempt WHERE nonce = 1");
    database_->query("UPDATE request SET status = 'processing' WHERE id = " + request);
    database_->query(
        "UPDATE tx_attempt SET state = 'signed', open = true, mined_hash = NULL, mined_block = NULL"
        " WHERE nonce = 1");
    ASSERT_TRUE(allStandOnTheChain());
    send(1);
    expectEachMinedOnce();
}
}  // namespace
}  // namespace relayer::test
