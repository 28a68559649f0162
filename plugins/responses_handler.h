// From an event in the inbox to what it means for its request.
//
// Every effect is a guarded or repeatable statement of the stores, and an event counts as handled
// only after its effects are committed: dying anywhere in between only repeats. On one loop; wake()
// and counts() may be called by any thread.
#pragma once

#include "chain/gateway.h"
#include "models/gate.h"
#include "models/inbox_store.h"
#include "models/request_store.h"
#include "plugins/milestones.h"
#include "plugins/responses_thresholds.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace relayer::plugins
{
struct ResponseOptions
{
    std::size_t page = 256;         // events that are handled side by side
    std::size_t settleLimit = 256;  // requests that one look at those that wait may end
    std::chrono::milliseconds tick{1000};
    // For so long after something happened, every tick looks at everything; else at one thing.
    std::chrono::milliseconds activeFor{30'000};
    std::chrono::milliseconds expireEvery{60'000};
    std::chrono::milliseconds keepHandled{3'600'000};
    std::size_t expireLimit = 5000;
};

struct ResponseCounts
{
    std::uint64_t handled = 0;     // events
    std::uint64_t ended = 0;       // requests, by an answer or share that came in
    std::uint64_t settled = 0;     // requests, by the level-triggered pass
    std::uint64_t waiting = 0;     // events whose threshold is not known, at the last pass
    std::uint64_t unreadable = 0;  // events that could not be used
    std::uint64_t replaced = 0;    // receipts, after a reorg
    std::uint64_t expired = 0;     // events
};

class ResponseHandler : public std::enable_shared_from_this<ResponseHandler>
{
  public:
    struct Context
    {
        trantor::EventLoop *loop = nullptr;
        // Throw StoreError while the database has not been ready.
        std::function<models::InboxStore &()> inbox;
        std::function<models::RequestStore &()> requests;
        chain::GatewayContracts contracts;
        std::shared_ptr<ThresholdResolver> thresholds;
        // None: nobody is told.
        std::shared_ptr<Milestones> milestones = nullptr;
        // The request event of a transaction of ours was seen before its receipt.
        std::function<void(models::TxHash)> requestMined;
    };

    ResponseHandler(Context context, ResponseOptions options);

    void start();
    void stop();
    // From a thread that is not the loop's, after stop(): whether all that was under way has ended.
    [[nodiscard]] bool ended(std::chrono::milliseconds atMost);

    void wake();
    [[nodiscard]] ResponseCounts counts() const;

  private:
    using Events = std::vector<models::PendingEvent>;
    using Ids = std::vector<models::EventId>;

    static drogon::AsyncTask pass(std::shared_ptr<ResponseHandler> self);
    static drogon::AsyncTask expire(std::shared_ptr<ResponseHandler> self);

    void tick();
    void passSoon();
    drogon::Task<> handleInbox(bool ticked);
    drogon::Task<Ids> handle(std::shared_ptr<const Events> page);
    drogon::Task<> settle(core::Kind kind);

    // The id of the event when it is dealt with, else 0.
    drogon::Task<models::EventId> keep(const models::PendingEvent *pending);
    drogon::Task<models::EventId> keepShare(const models::PendingEvent *pending,
                                            chain::ShareArrived arrived);
    drogon::Task<models::EventId> keepAnswer(const models::PendingEvent *pending,
                                             models::Answer answer);
    drogon::Task<models::EventId> noteRequest(const models::PendingEvent *pending);
    drogon::Task<> replaceReceipt(const models::PendingEvent *pending);
    [[nodiscard]] std::optional<chain::GatewayEvent> decoded(
        const models::PendingEvent &pending) const;
    // Sees to it that the request knows how many shares it needs. 0 if that can not be found out.
    drogon::Task<models::RequestId> findThreshold(const models::PendingEvent *pending,
                                                  core::Bytes extraData);
    drogon::Task<core::Hash32> contextOf(const models::PendingEvent *pending,
                                         core::Bytes extraData);
    models::EventId unreadable(const models::PendingEvent &pending, const char *why);
    void failed(const std::exception &error);

    const Context context_;
    const ResponseOptions options_;
    models::Gate gate_;
    trantor::TimerId ticker_ = 0;
    trantor::TimerId expirer_ = 0;
    bool stopped_ = false;
    bool passing_ = false;
    bool again_ = false;
    bool ticked_ = false;
    bool failing_ = false;  // as the log knows
    bool passFailed_ = false;
    std::uint64_t ticks_ = 0;
    std::chrono::steady_clock::time_point lastActive_;
    models::EventId lastSeen_ = 0;
    // Requests whose threshold is set. Bounded: forgotten as a whole.
    std::set<models::RequestId> thresholdKnown_;
    // Shares that are kept, while their event waits for a threshold. Bounded in the same way.
    std::set<models::EventId> shareKept_;

    struct Counters
    {
        std::atomic<std::uint64_t> handled{0}, ended{0}, settled{0}, waiting{0}, unreadable{0},
            replaced{0}, expired{0};
    };
    Counters counters_;
};
}  // namespace relayer::plugins
