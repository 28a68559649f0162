// What is counted, as Prometheus reads it.
//
//     { "name": "relayer::plugins::Metrics",
//       "dependencies": ["relayer::plugins::TxThrottler", "relayer::plugins::RetryAfter",
//                        "relayer::plugins::TxEngine", "relayer::plugins::GatewayListener"] }
//
// Counts requests and answers of our routes by itself, in any application. What others know
// (queues, lanes, listeners) it asks them for when it is read; who has more to tell adds a source.
// Where the text can be read is the host's business: our own program has a listener for it
// (`metrics`).
//
// Callable from any thread, between initAndStart and shutdown.
#pragma once

#include "plugins/http_metrics.h"
#include "plugins/metrics_text.h"

#include <drogon/plugins/Plugin.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace relayer::plugins
{
class Metrics : public drogon::Plugin<Metrics>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Called on the thread of who reads, and not after shutdown; must not wait.
    using Source = std::function<void(MetricsText &text)>;
    void add(Source source);

    [[nodiscard]] std::string text() const;

  private:
    // Shared with the advices, which Drogon keeps for good.
    std::shared_ptr<HttpMetrics> http_;

    mutable std::mutex mutex_;
    std::vector<Source> sources_;  // under mutex_
};
}  // namespace relayer::plugins
