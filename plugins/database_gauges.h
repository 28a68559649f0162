// Numbers that the database knows, for all instances together: read when somebody reads the
// metrics, and not kept beyond that, so that a start, another instance or an operator's statement
// can not make them wrong. What is not known is left out rather than told as it once was.
//
// Any thread; one read at a time, who comes meanwhile is told what the last one found.
#pragma once

#include "models/inbox_store.h"
#include "models/request_store.h"
#include "plugins/metrics_text.h"

#include <drogon/utils/coroutine.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace relayer::plugins
{
class DatabaseGauges
{
  public:
    using Clock = std::chrono::steady_clock;
    struct Stores
    {
        // Throws StoreError while the database is not ready.
        std::function<models::RequestStore &()> requests;
        std::shared_ptr<models::InboxStore> inbox;
    };

    explicit DatabaseGauges(Stores stores) : stores_(std::move(stores)) {}

    static drogon::Task<> refresh(std::shared_ptr<DatabaseGauges> self, Clock::time_point now);
    void write(MetricsText &text) const;

    // Live requests are counted as they are; those that have ended and the inbox need all of their
    // tables, so they are counted no more often, and not for more than a fiftieth of the time.
    static constexpr std::chrono::seconds kAllEach{30};
    static constexpr int kShareOfTime = 50;

  private:
    struct Found
    {
        models::RequestStore::Counts live;
        models::RequestStore::Counts ended;
        models::InboxStore::Counts inbox;
        Clock::time_point allAgain;  // of the last two
    };
    drogon::Task<Found> readAll(Found found, Clock::time_point now) const;

    const Stores stores_;
    mutable std::mutex mutex_;
    bool reading_ = false;
    std::optional<Found> found_;  // nothing: the database did not say
};
}  // namespace relayer::plugins
