// What is counted, as Prometheus reads it.
//
//     { "name": "relayer::plugins::Metrics",
//       "dependencies": ["relayer::plugins::TxThrottler", "relayer::plugins::RetryAfter",
//                        "relayer::plugins::TxEngine", "relayer::plugins::GatewayListener",
//                        "relayer::plugins::StatusWatch", "relayer::plugins::SignatureCheck"] }
//
// Counts requests and answers of our routes by itself, in any application, unless `metrics.count`
// is off. What others know (queues, lanes, listeners, the database) it asks them for when it is
// read; who has more to tell adds a source. Where the text can be read is the host's business: our
// own program has a listener for it
// (`metrics`).
//
// Callable from any thread, between initAndStart and shutdown.
#pragma once

#include "plugins/database_gauges.h"
#include "plugins/http_metrics.h"
#include "plugins/metrics_text.h"

#include <drogon/plugins/Plugin.h>
#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

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

    // All of it, as it is now. Asks the database, and ends without what it does not say.
    [[nodiscard]] drogon::Task<std::string> collect();
    // The same, but what the database knows is as of the last collect().
    [[nodiscard]] std::string text() const;

  private:
    void watchLoops();

    // Shared with the advices, which Drogon keeps for good.
    std::shared_ptr<HttpMetrics> http_;
    trantor::TimerId lagTimer_ = trantor::InvalidTimerId;

    mutable std::mutex mutex_;
    std::vector<Source> sources_;             // under mutex_
    std::shared_ptr<DatabaseGauges> gauges_;  // under mutex_
};
}  // namespace relayer::plugins
