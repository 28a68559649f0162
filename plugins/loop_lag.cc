#include "plugins/loop_lag.h"

#include <trantor/net/EventLoop.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayer::plugins
{
namespace
{
using Clock = std::chrono::steady_clock;

// Those of HTTP count together; what is not known here is the last.
constexpr std::array<std::string_view, 12> kNames = {
    "main",       "http",   "TxEngine",     "GatewayListener", "Responses",   "ReadinessGate",
    "HostChains", "KeyUrl", "HealthChecks", "Shares",          "VotingAdmin", "other"};

std::size_t placeOf(std::string_view name)
{
    const auto *const known =
        std::find(kNames.begin(), kNames.end(), name.substr(0, name.find(' ')));
    return known == kNames.end() ? kNames.size() - 1
                                 : static_cast<std::size_t>(known - kNames.begin());
}
}  // namespace

LoopLag::LoopLag()
    : lag_("relayer_event_loop_lag_seconds",
           "How late a loop comes to what it is given; each is asked once a second.",
           {{"loop", {kNames.begin(), kNames.end()}}},
           {.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10})
{}

void LoopLag::ask(const Loops &loops)
{
    loops([self = shared_from_this()](const std::string &name, trantor::EventLoop *loop) {
        loop->queueInLoop([self, place = placeOf(name), asked = Clock::now()] {
            const auto late =
                std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - asked);
            self->lag_.observe({place}, static_cast<std::uint64_t>(late.count()));
        });
    });
}
}  // namespace relayer::plugins
