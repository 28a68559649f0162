// What a start does with what its predecessor left, before anything else works on it.
//
//     { "name": "relayer::plugins::StartupRecovery", "dependencies": ["relayer::plugins::Store"] }
//
// Step 1: our requests in `tx_in_flight` go back to `processing`. The engine finds the transactions
// that were signed for them and looks for those before it signs anything. Step 2: what was claimed
// and has no transaction is given back, the furthest along first, for the queues to pull at their
// own pace; `receipt_received` waits for its answer as it is. A page at a time, so that a hundred
// thousand rows take no more memory than a hundred.
//
// Only our own rows: those of other instances are freed when their lease has run out (Sweeper).
#pragma once

#include "models/sweep_store.h"
#include "plugins/start_stage.h"

#include <drogon/plugins/Plugin.h>
#include <drogon/utils/coroutine.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>

namespace relayer::plugins
{
class StartupRecovery : public drogon::Plugin<StartupRecovery>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    struct Progress
    {
        bool done = false;      // with our own epoch, the newest of them
        std::size_t reset = 0;  // to `processing`
        std::size_t givenBackProcessing = 0;
        std::size_t givenBackQueued = 0;
        std::size_t letGo = 0;  // in `receipt_received`
    };
    // Any thread.
    [[nodiscard]] Progress progress() const;

    // Shared with a run that is on its way.
    struct State
    {
        std::mutex mutex;
        Progress progress;
        std::chrono::steady_clock::time_point saidAt;
    };
    // The work of one epoch. For the tests, too.
    static drogon::Task<> recover(std::shared_ptr<models::SweepStore> sweeps,
                                  std::shared_ptr<State> state, models::Claimer epoch,
                                  StartStage stage);

  private:
    const std::shared_ptr<State> state_ = std::make_shared<State>();
};
}  // namespace relayer::plugins
