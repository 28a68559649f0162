// From what a node calls logs to events in the inbox. One for each source, on its loop.
#pragma once

#include "models/inbox_store.h"
#include "plugins/gateway_listener_options.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace relayer::plugins
{
class EventIntake
{
  public:
    // Throws StoreError while the database has not been ready.
    using Inbox = std::function<models::InboxStore &()>;

    EventIntake(trantor::EventLoop *loop, Inbox inbox, const ListenerOptions &options,
                SourceState *counts, std::function<void()> stored);

    // Those that are events of ours, decodable, and not stored by this source a moment ago.
    [[nodiscard]] std::vector<models::InboxEvent> select(const std::vector<chain::Log> &logs);

    // In several commits when there are many; the cursor goes with the last.
    drogon::Task<> deliver(std::vector<models::InboxEvent> events,
                           std::optional<models::ChainCursor> cursor);

    // After blocks were removed: if the chain comes back to them, they have to be stored again.
    void forgetWhatWasStored();

  private:
    void remember(const std::vector<models::InboxEvent> &events);

    trantor::EventLoop *const loop_;
    const Inbox inbox_;
    const ListenerOptions &options_;
    SourceState *const counts_;
    const std::function<void()> stored_;
    // A push and the eth_getLogs after it bring the same event; the second need not go to the
    // database. Only what has been committed is in here.
    std::unordered_set<std::string> recent_;
    std::deque<std::string> recentInOrder_;
    std::uint64_t generation_ = 0;
};
}  // namespace relayer::plugins
