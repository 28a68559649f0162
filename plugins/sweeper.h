// Deadlines, take-over and retention, every few seconds, by one instance at a time.
//
//     { "name": "relayer::plugins::Sweeper", "dependencies": ["relayer::plugins::Store"] }
//
// Nothing is lost when it stops: the next round finds all of it in the database (sweep_pass.h).
#pragma once

#include "models/gate.h"
#include "plugins/sweep_pass.h"

#include <drogon/plugins/Plugin.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace relayer::plugins
{
class Sweeper : public drogon::Plugin<Sweeper>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Any thread.
    [[nodiscard]] SweepPass::Counts counts() const;

    // Begins no round any more (plugins/drain.h). On the main loop.
    void drain();
    // Whether one is still on its way.
    [[nodiscard]] bool sweeping() const;

  private:
    // Shared with the round that is on its way.
    struct State
    {
        explicit State(SweepPass::Surroundings surroundings, const SweepOptions &options)
            : pass(std::move(surroundings), options)
        {}

        SweepPass pass;
        models::Gate gate;
        std::atomic<bool> running{false};
    };

    static drogon::AsyncTask sweep(std::shared_ptr<State> state);
    static drogon::AsyncTask resign(std::shared_ptr<State> state);

    mutable std::mutex mutex_;  // of the pointer
    std::shared_ptr<State> state_;
    trantor::TimerId timer_ = trantor::InvalidTimerId;
};
}  // namespace relayer::plugins
