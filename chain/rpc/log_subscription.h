// The logs of some contracts as a node pushes them over a WebSocket, with a watchdog.
//
// A subscription replays nothing: what happened before it, or while it was broken, has to be asked
// for with eth_getLogs. So its owner is told of each (re)connect, and of each break before it, be
// it a planned one. Logs that a node pushes before it has answered the subscription are kept until
// then.
//
// A silent connection is noticed: we ask for the block number over it, and when nothing at all is
// heard for `silence`, it is dropped. That bounds a message that never ends, too: Drogon's client
// has no limit for those of a server (client_max_websocket_message_size is for masked frames, which
// only clients send).
#pragma once

#include "chain/log.h"
#include "chain/rpc/node.h"

#include <trantor/net/EventLoop.h>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace relayer::chain::rpc
{
struct SubscriptionOptions
{
    NamedUrl endpoint;  // ws:// or wss://
    std::vector<core::Address> addresses;
    std::vector<core::Hash32> anyTopic0;
    std::chrono::milliseconds connectTimeout{10'000};
    // Nothing heard for this long, not even the answer to our own probe: the connection is dead.
    std::chrono::milliseconds silence{20'000};
    std::chrono::milliseconds probeEvery{5'000};  // eth_blockNumber over the same connection
    std::chrono::milliseconds backOffFirst{250};
    std::chrono::milliseconds backOffMost{10'000};
    std::chrono::milliseconds recycleAfter{30 * 60'000};  // a planned reconnect; 0: never
    std::size_t maxMessage = 64UL * 1024 * 1024;
};

class LogSubscription
{
  public:
    struct Events
    {
        std::function<void()> subscribed;  // after each (re)connect, once the node has agreed
        std::function<void(std::vector<Log> logs, std::size_t skipped)> logs;
        std::function<void(std::uint64_t number)> head;  // from the probe
        std::function<void(const std::string &why)> broken;
    };
    struct State
    {
        bool subscribed = false;
        std::size_t connects = 0;
        std::size_t failures = 0;  // in a row
        std::size_t strange = 0;   // frames that were no JSON-RPC
        std::chrono::steady_clock::time_point lastHeard;
    };

    virtual ~LogSubscription() = default;
    // On the loop, also from an event. No event comes after stop() has returned.
    virtual void start() = 0;
    virtual void stop() = 0;
    [[nodiscard]] virtual State state() const = 0;  // from any thread
};

// Throws std::invalid_argument when the URL is none; the text has the endpoint's name only.
// Dropping the last reference stops it too.
[[nodiscard]] std::shared_ptr<LogSubscription> subscribeToLogs(trantor::EventLoop *loop,
                                                               SubscriptionOptions options,
                                                               LogSubscription::Events events);
}  // namespace relayer::chain::rpc
