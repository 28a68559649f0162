// What tests of one transaction pipeline share: its database, its options, and what they ask.
#pragma once

#include "support/eventually.h"
#include "support/test_database.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace relayer::test
{
inline constexpr std::chrono::milliseconds kTxPatience{60'000};

class TxWorld : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        options_.key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    }

    [[nodiscard]] std::string statuses() const
    {
        return database_->value(
            "SELECT string_agg(status || coalesce(':' || error_code, ''), ' ' ORDER BY id)"
            " FROM request");
    }

    // Until the database says so.
    [[nodiscard]] bool says(const std::string &question, const std::string &answer) const
    {
        return eventually([&] { return database_->value(question) == answer; }, kTxPatience);
    }

    [[nodiscard]] static bool becomesQuiet(RunningPipeline &pipeline)
    {
        return pipeline.becomes(
            [](const auto &s) { return s.preparing + s.signing + s.open + s.waitingToResend == 0; },
            kTxPatience);
    }

    std::unique_ptr<TestDatabase> database_;
    PipelineOptions options_;
};
}  // namespace relayer::test
