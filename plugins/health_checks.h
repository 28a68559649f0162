// What /healthz says. The database's connections are watched anyway; nodes are asked in the
// background (`http.health_interval`), by a client of our own, so that neither a probe nor many
// of them cost a call.
//
//     { "name": "relayer::plugins::HealthChecks",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::Store",
//           "relayer::plugins::HostChains", "relayer::plugins::GatewayListener",
//           "relayer::plugins::KeyUrl"] }
//
// Has a thread of its own. What is asked of it may be asked by any thread from initAndStart on.
#pragma once

#include "config/settings.h"
#include "plugins/own_loop.h"
#include "plugins/repeated_check.h"
#include "wire/service.h"

#include <drogon/plugins/Plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace relayer::plugins
{
class Store;

class HealthChecks : public drogon::Plugin<HealthChecks>
{
  public:
    ~HealthChecks() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // database; then, as far as they are configured, gateway_http, gateway_listener_0 and so on, of
    // which one is enough; and host_chain_8009 and so on, and keyurl, without which we count as
    // healthy. The names live as long as this.
    [[nodiscard]] wire::Dependencies dependencies() const;

  private:
    enum class Need : std::uint8_t
    {
        Always,
        OneOfThem,
        Never,
    };

    void add(std::string name, Need need, RepeatedCheck::Ask ask);
    void addGateway(const config::Settings &settings);
    void addHostChains(const config::Settings &settings);

    struct Named
    {
        Need need = Need::Always;
        std::shared_ptr<RepeatedCheck> check;
    };

    // constant after initAndStart
    std::chrono::milliseconds interval_{0};
    const Store *store_ = nullptr;
    std::unique_ptr<OwnLoop> loop_;
    std::vector<Named> checks_;
};
}  // namespace relayer::plugins
