// What operators change while the program runs: taken over at the start, at once when it is changed
// here, within a moment when another instance has changed it (a notice, models/status_channel.h),
// and should that have been lost, by looking each two seconds.
//
//     { "name": "relayer::plugins::RuntimeSettings",
//       "dependencies": ["relayer::plugins::ClientLimits", "relayer::plugins::StatusWatch",
//                        "relayer::plugins::RetryAfter", "relayer::plugins::TxEngine",
//                        "relayer::plugins::Metrics"] }
//
// With the database away the program starts as it is configured, and takes over the rest when it
// has read it. Timer and notices are of Drogon's main loop; `values` is for any thread.
#pragma once

#include "plugins/runtime_values.h"

#include <drogon/plugins/Plugin.h>
#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <memory>

namespace relayer::plugins
{
class StatusWatch;

class RuntimeSettings : public drogon::Plugin<RuntimeSettings>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    [[nodiscard]] const std::shared_ptr<RuntimeValues> &values() const { return values_; }

  private:
    // One at a time; who comes while one is on its way makes it look again.
    struct Looking
    {
        bool now = false;
        bool again = false;
    };
    static drogon::AsyncTask look(std::shared_ptr<RuntimeValues> values,
                                  std::shared_ptr<Looking> looking);

    std::shared_ptr<RuntimeValues> values_;
    std::shared_ptr<StatusWatch> notices_;  // until shutdown
    trantor::TimerId timer_ = trantor::InvalidTimerId;
};
}  // namespace relayer::plugins
