// How many shares a user decryption needs: told by the KMS context that its answers name.
//
// On one loop. A threshold that can not be had is never guessed.
#pragma once

#include "chain/rpc/node.h"
#include "core/address.h"
#include "core/content_hash.h"
#include "models/gate.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace relayer::plugins
{
struct ThresholdOptions
{
    std::int32_t current = 1;  // of context 0, and of all where no ProtocolConfig is configured
    core::Address protocolConfig{};
    std::chrono::milliseconds timeToLive{300'000};
    std::chrono::milliseconds backOffFirst{500};
    std::chrono::milliseconds backOffMost{15'000};
    std::size_t capacity = 1024;
};

class ThresholdResolver
{
  public:
    using Clock = std::chrono::steady_clock;

    // Without a node every context has the configured threshold.
    ThresholdResolver(trantor::EventLoop *loop, std::shared_ptr<chain::rpc::Node> node,
                      ThresholdOptions options,
                      std::function<Clock::time_point()> now = Clock::now);

    // Nothing: the node did not say, ask again later. Callers for one context share one call, and
    // for a while after a failure none is made.
    drogon::Task<std::optional<std::int32_t>> resolve(core::Hash32 context);

  private:
    struct Known
    {
        std::optional<std::int32_t> threshold;
        Clock::time_point until;  // believed until then, or not asked again before
        std::uint64_t failures = 0;
        bool asking = false;
        std::vector<std::coroutine_handle<>> waiting;
    };
    struct Answer;  // awaits the call that somebody else has made

    drogon::Task<std::optional<std::int32_t>> ask(core::Hash32 context);
    void makeRoom();

    trantor::EventLoop *const loop_;
    const std::shared_ptr<chain::rpc::Node> node_;
    const ThresholdOptions options_;
    const std::function<Clock::time_point()> now_;
    std::map<core::Hash32, Known> byContext_;
};
}  // namespace relayer::plugins
