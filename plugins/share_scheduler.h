// Encrypted shares of votes: taken in over HTTP, kept, and sent to the vote chain at the second
// that their wallet chose (`share_scheduler`).
//
//     { "name": "relayer::plugins::ShareScheduler",
//       "dependencies": ["relayer::plugins::Store", "relayer::plugins::Metrics"] }
//
// Has a thread of its own, for the loop of share_run.h and for all that is asked of the chain;
// proofs are processes of their own. Off unless it is enabled; without a prover nothing is taken,
// since nobody could prove it. Dies at any instruction without losing a share: those it held are
// its successor's at once, and another's when it has been silent for `instance.lease`.
#pragma once

#include "config/settings.h"
#include "plugins/own_loop.h"
#include "plugins/share_service.h"

#include <drogon/plugins/Plugin.h>

#include <memory>

namespace relayer::plugins
{
class ShareScheduler : public drogon::Plugin<ShareScheduler>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Any thread, from initAndStart on. Nothing: shares can not be taken (yet).
    [[nodiscard]] std::shared_ptr<ShareService> ready() const;
    [[nodiscard]] const config::ShareSchedulerSettings &settings() const { return settings_; }
    [[nodiscard]] ShareMetrics &metrics() const { return *metrics_; }

    // Takes no share to the chain any more, and gives back those it holds (plugins/drain.h).
    void drain();
    [[nodiscard]] std::size_t left() const { return service_ ? service_->left() : 0; }

  private:
    config::ShareSchedulerSettings settings_;
    const std::shared_ptr<ShareMetrics> metrics_ = std::make_shared<ShareMetrics>();
    // constant after initAndStart
    std::unique_ptr<OwnLoop> loop_;
    std::shared_ptr<ShareService> service_;
};
}  // namespace relayer::plugins
