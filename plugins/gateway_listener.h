// Hears the gateway chain, and puts into the inbox what concerns us.
//
//     { "name": "relayer::plugins::GatewayListener",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::Store",
//                        "relayer::plugins::TxEngine", "relayer::plugins::Responses"] }
//
// One thread with an event loop, to which all its state belongs. One source for each configured
// endpoint; they know nothing of each other, and the inbox keeps each event once. Without nodes
// (gateway.rpc.read) it does nothing.
//
// When the process dies, what was not committed is read again from the cursor of the source; what
// was committed is in the inbox.
#pragma once

#include "config/settings.h"
#include "core/hearing.h"
#include "plugins/gateway_listener_options.h"
#include "plugins/gateway_listener_source.h"
#include "plugins/own_loop.h"

#include <drogon/plugins/Plugin.h>

#include <memory>
#include <mutex>
#include <vector>

namespace relayer::plugins
{
[[nodiscard]] ListenerOptions listenerOptions(const config::Settings &settings);

class GatewayListener : public drogon::Plugin<GatewayListener>
{
  public:
    ~GatewayListener() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // One per endpoint, in the order of the configuration. Any thread.
    [[nodiscard]] std::vector<SourceState> snapshot() const;
    // Whether an answer that has not come is none (core/hearing.h): for who ends requests, in each
    // of its rounds. Any thread.
    [[nodiscard]] bool silenceMeansNoAnswer();

  private:
    // A source whose node does not answer may live longer than we do.
    struct Heard
    {
        explicit Heard(core::Hearing::Patience patience) : hearing(patience) {}

        std::mutex mutex;
        core::Hearing hearing;
    };

    void addSources(const config::Settings &settings, const ListenerOptions &options);

    std::unique_ptr<OwnLoop> loop_;
    std::shared_ptr<Heard> heard_;
    std::vector<std::shared_ptr<ListenerSource>> sources_;  // constant after initAndStart
};
}  // namespace relayer::plugins
