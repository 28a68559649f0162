// One endpoint that events come from: a subscription, or a node that is polled. It never ends: what
// goes wrong is tried again with growing pauses, and its state says so meanwhile.
//
// A push goes into the inbox at once, for the sake of latency; the cursor is moved by the reader
// alone, so a push that is lost, doubled or out of order makes no difference to what arrives.
//
// All of it belongs to one loop, but for state().
#pragma once

#include "chain/rpc/log_subscription.h"
#include "models/gate.h"
#include "plugins/gateway_listener_intake.h"
#include "plugins/gateway_listener_options.h"
#include "plugins/gateway_listener_reader.h"

#include <trantor/net/EventLoop.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace relayer::plugins
{
class ListenerSource : public std::enable_shared_from_this<ListenerSource>
{
  public:
    struct Context
    {
        std::string name;
        BlockReader::Context reader;
        std::function<void()> stored;
        // A reading got further, or to the head of the chain.
        std::function<void(bool toTheHead)> read;
        // Empty: the endpoint is polled.
        std::function<std::shared_ptr<chain::rpc::LogSubscription>(
            chain::rpc::LogSubscription::Events events)>
            subscribe;
    };

    ListenerSource(Context context, const ListenerOptions &options);

    void start();
    // Nothing starts after this; what is under way sees it at its next step.
    void stop();
    // From a thread that is not the loop's, after stop(): whether all that was under way has ended.
    [[nodiscard]] bool ended(std::chrono::milliseconds atMost);

    // Any thread.
    [[nodiscard]] SourceState state() const;

  private:
    // Reads until there is nothing more, then sees to it that it is called again.
    static drogon::AsyncTask read(std::shared_ptr<ListenerSource> self);
    static drogon::AsyncTask deliverPushed(std::shared_ptr<ListenerSource> self);
    // What pushes have taken back, before what they bring.
    drogon::Task<> removeBlocks();
    void takeBack(const chain::Log &log);

    void readSoon();
    void readAfter(std::chrono::milliseconds delay);
    void deliverAfter(std::chrono::milliseconds delay);
    void finishedReading(const std::string &error);
    void subscribe();
    void pushed(const std::vector<chain::Log> &logs, std::size_t skipped);
    [[nodiscard]] bool isSubscribed() const;
    void publish();

    const std::string name_;
    const ListenerOptions options_;
    const Context context_;
    trantor::EventLoop *const loop_;
    SourceState current_;
    EventIntake intake_;
    BlockReader reader_;
    std::shared_ptr<chain::rpc::LogSubscription> subscription_;
    std::deque<models::InboxEvent> pushed_;
    std::size_t inFlight_ = 0;  // of these, the first
    std::vector<core::Hash32> removed_;
    std::int64_t lowestRemoved_ = 0;
    bool reading_ = false;
    bool readAgain_ = false;
    bool delivering_ = false;
    bool stopped_ = false;
    std::uint64_t deliverFailures_ = 0;
    trantor::TimerId readTimer_ = 0;
    std::optional<std::chrono::steady_clock::time_point> readAt_;  // when the timer fires
    models::Gate gate_;

    mutable std::mutex mutex_;
    SourceState published_;
};
}  // namespace relayer::plugins
