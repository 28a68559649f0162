// Asks an account on its host chain whether it has signed (ERC-1271), and what its answer, or none,
// comes to.
//
// Every question ends: it is asked a number of times at the most, and not again after a time; and
// no more than so many are on their way at once. Callable from any thread; the work is done on the
// loop of the chain's node.
#pragma once

#include "chain/rpc/node.h"
#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace relayer::plugins
{
class ContractSigner
{
  public:
    using Clock = std::chrono::steady_clock;
    enum class Verdict : std::uint8_t
    {
        Signed,
        NotSigned,
        Unknown,  // the chain has not said
        Busy,     // not asked: too many are on their way
    };
    struct Options
    {
        std::uint64_t gasLimit = 100'000;
        std::uint64_t maxAttempts = 3;
        std::chrono::milliseconds interval{1'000};
        // When nothing is asked again.
        std::chrono::milliseconds timeout{20'000};
        std::size_t maxConcurrent = 256;
        std::function<Clock::time_point()> now = Clock::now;
    };

    explicit ContractSigner(Options options) : options_(std::move(options)) {}

    // The caller is resumed on the node's loop, which is this one.
    drogon::Task<Verdict> ask(trantor::EventLoop *loop, std::shared_ptr<chain::rpc::Node> node,
                              core::Address account, core::Hash32 digest, core::Bytes signature,
                              std::string traceparent = {});
    // What is on its way makes no further try.
    void stop() { stopped_ = true; }

  private:
    // Nothing: the chain has not said.
    drogon::Task<Verdict> askOnce(std::shared_ptr<chain::rpc::Node> node, chain::rpc::Call call);
    drogon::Task<> pause(trantor::EventLoop *loop);

    const Options options_;
    std::atomic<std::size_t> onTheirWay_{0};
    std::atomic<bool> stopped_{false};
};
}  // namespace relayer::plugins
