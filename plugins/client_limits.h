// How often each client may bring something new (`http.client_limits`); off unless configured.
//
//     { "name": "relayer::plugins::ClientLimits", "dependencies": ["relayer::plugins::Settings"] }
//
// One table for this instance: several instances allow as many times as much together.
// Callable from any thread, between initAndStart and shutdown.
#pragma once

#include "core/client_limits.h"

#include <drogon/plugins/Plugin.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::plugins
{
class ClientLimits : public drogon::Plugin<ClientLimits>
{
  public:
    // What one request takes of its client's limit; given back at the end unless it is kept. While
    // limits are off everybody may, and there is nothing to tell. Lives no longer than the plugin.
    class Charge
    {
      public:
        Charge(ClientLimits &limits, std::string client);
        ~Charge();
        Charge(const Charge &) = delete;
        Charge &operator=(const Charge &) = delete;

        [[nodiscard]] bool allowed() const { return !verdict_ || verdict_->allowed; }
        void keep() { kept_ = true; }

        struct Standing
        {
            std::uint64_t limit = 0;      // in one burst
            std::uint64_t remaining = 0;  // as it is when this request is answered
            std::int64_t untilNext = 0;   // seconds, rounded up
            std::int64_t untilFull = 0;
        };
        [[nodiscard]] std::optional<Standing> standing() const;

      private:
        [[nodiscard]] bool isGivenBack() const { return verdict_ && verdict_->allowed && !kept_; }

        ClientLimits &limits_;
        const std::string client_;
        const std::optional<core::ClientLimits::Verdict> verdict_;
        bool kept_ = false;
    };

    void initAndStart(const Json::Value &config) override;
    void shutdown() override {}

    // Other rules from now on; requestsPerMinute 0: off.
    void change(std::uint64_t requestsPerMinute, std::uint64_t burst);

    // The header whose value tells clients apart, or nothing: their addresses do.
    [[nodiscard]] const std::string &keyHeader() const { return keyHeader_; }

  private:
    // Nothing while off.
    [[nodiscard]] std::optional<core::ClientLimits::Verdict> take(std::string_view client);
    void giveBack(std::string_view client);

    std::string keyHeader_;
    std::mutex mutex_;
    std::size_t mostClients_ = 0;  // constant after initAndStart
    std::optional<core::ClientLimits> table_;
};
}  // namespace relayer::plugins
