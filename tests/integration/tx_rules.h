// One transaction pipeline before a chain in memory, for the rules of sending and of receipts.
#pragma once

#include "support/captured_log.h"
#include "support/eventually.h"
#include "support/lying_chain.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace relayer::test
{
class TxRules : public testing::Test
{
  protected:
    static constexpr std::chrono::milliseconds kPatience{60'000};
    static constexpr std::chrono::milliseconds kNever = std::chrono::hours(1);

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
        options_.key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
        options_.tx = impatientOptions();
        options_.tx.contracts = chain_->options().contracts;
        options_.tx.feeBumpAfter = kNever;
        options_.timeout = std::chrono::milliseconds(5'000);
        options_.syncTimeout = std::chrono::milliseconds(5'000);
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
}  // namespace relayer::test
