// One transaction pipeline before a chain in memory, for the rules of sending and of receipts.
#pragma once

#include "integration/tx_world.h"
#include "support/captured_log.h"
#include "support/lying_chain.h"

#include <chrono>
#include <memory>
#include <string>

namespace relayer::test
{
class TxRules : public TxWorld
{
  protected:
    static constexpr std::chrono::milliseconds kNever = std::chrono::hours(1);

    void SetUp() override
    {
        TxWorld::SetUp();
        begin({});
    }

    void begin(const LyingChain::Options &chain)
    {
        chain_ = std::make_unique<LyingChain>(chain);
        options_.nodeUrl = chain_->node().url();
        options_.tx = impatientOptions();
        options_.tx.contracts = chain_->options().contracts;
        options_.tx.feeBumpAfter = kNever;
        options_.timeout = std::chrono::milliseconds(5'000);
        options_.syncTimeout = std::chrono::milliseconds(5'000);
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

    [[nodiscard]] static bool waitsToResend(RunningPipeline &pipeline)
    {
        return pipeline.becomes([](const auto &s) { return s.waitingToResend == 1; }, kTxPatience);
    }

    CapturedLog log_;
    std::unique_ptr<LyingChain> chain_;
};
}  // namespace relayer::test
