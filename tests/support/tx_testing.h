// The transaction engine's pipeline as a server would run it, on a database and a node of the
// test's choice, with a loop of its own.
#pragma once

#include "plugins/own_loop.h"
#include "plugins/tx_pipeline.h"
#include "support/test_store.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace relayer::test
{
struct PipelineOptions
{
    std::string nodeUrl;
    std::string key;  // 64 digits, with or without 0x
    plugins::TxOptions tx;
    models::Claimer claimer = 1;
    std::chrono::milliseconds timeout{5'000};
    std::chrono::milliseconds syncTimeout{5'000};
    plugins::TxPipeline::Events events{[] {}, [](auto, const auto &) {}};
};

// Impatient, so that a test need not be.
[[nodiscard]] plugins::TxOptions impatientOptions();

class RunningPipeline
{
  public:
    RunningPipeline(const TestDatabase &database, PipelineOptions options);
    ~RunningPipeline();
    RunningPipeline(const RunningPipeline &) = delete;
    RunningPipeline &operator=(const RunningPipeline &) = delete;

    // Claims as many as there is room for: how many, or nothing when there was none.
    std::optional<std::size_t> pullOnce(core::Kind kind);
    // Claims what waits, of all kinds, until nothing does.
    void pullAll();
    void reorganised(std::int64_t fromBlock);
    [[nodiscard]] plugins::TxPipeline::Snapshot snapshot();
    [[nodiscard]] bool becomes(const std::function<bool(const plugins::TxPipeline::Snapshot &)> &is,
                               std::chrono::milliseconds atMost = std::chrono::seconds(30));

    TestStore &store() { return store_; }
    [[nodiscard]] const std::shared_ptr<plugins::TxContext> &context() const { return context_; }
    // For who pulls in another way than pullAll; to be used on the context's loop.
    [[nodiscard]] plugins::TxPipeline &pipeline() { return *pipeline_; }

  private:
    TestStore store_;
    std::unique_ptr<plugins::OwnLoop> loop_;
    std::shared_ptr<plugins::TxContext> context_;
    std::shared_ptr<plugins::TxPipeline> pipeline_;
};

// A request with contents of its own, the same for the same number.
[[nodiscard]] models::NewRequest requestOf(core::Kind kind, std::uint64_t number);
// Requests of a kind with such contents, in `processing`, as the gate would leave them.
std::vector<models::RequestId> admitReady(TestStore &store, core::Kind kind, std::size_t count,
                                          std::uint64_t seed);
}  // namespace relayer::test
