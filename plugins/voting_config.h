// A document that somebody else publishes, kept: fetched now and then, handed on byte for byte. As
// long as the publisher is away the last good copy is told, for as long as that is allowed.
//
// Fetches on one loop; told() and get() on any thread.
#pragma once

#include "chain/rpc/http_endpoint.h"
#include "plugins/turn.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace relayer::plugins
{
struct VotingConfigOptions
{
    chain::rpc::Url upstream;
    std::chrono::milliseconds timeout{10'000};
    std::chrono::milliseconds staleAtMost{0};  // 0: for ever
    std::function<std::chrono::steady_clock::time_point()> now = [] {
        return std::chrono::steady_clock::now();
    };
};

class VotingConfig : public std::enable_shared_from_this<VotingConfig>
{
  public:
    struct Copy
    {
        std::shared_ptr<const std::string> body;  // as it came
        std::string etag;                         // with its quotes
        std::chrono::seconds age{0};              // since it was confirmed
    };

    VotingConfig(trantor::EventLoop *loop, VotingConfigOptions options);

    // Fetches, or asks whether it has changed. On any thread.
    drogon::Task<> refresh();
    // What is kept; fetched when there is nothing. Nothing: it is not to be had. Those who come
    // while it is fetched in vain, and for a second afterwards, are told so, too.
    drogon::Task<std::optional<Copy>> get();
    [[nodiscard]] std::optional<Copy> kept() const;

  private:
    drogon::Task<> fetch();
    // What is wrong with it; empty: nothing.
    [[nodiscard]] std::string take(const chain::rpc::HttpOutcome &outcome);
    [[nodiscard]] bool failedJustNow() const;

    trantor::EventLoop *const loop_;
    const VotingConfigOptions options_;
    const std::shared_ptr<chain::rpc::HttpEndpoint> upstream_;
    const std::shared_ptr<Turn::Line> line_ = std::make_shared<Turn::Line>();
    std::string theirEtag_;                           // of the loop
    bool failing_ = false;                            // of the loop: the log says so once
    std::chrono::steady_clock::time_point failedAt_;  // of the loop, as long as it is failing
    mutable std::mutex mutex_;
    std::shared_ptr<const std::string> body_;
    std::string etag_;
    std::chrono::steady_clock::time_point confirmed_;
};
}  // namespace relayer::plugins
