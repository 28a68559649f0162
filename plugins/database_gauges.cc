#include "plugins/database_gauges.h"

#include "plugins/request_metrics.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

namespace relayer::plugins
{
using core::Kind;
using core::Status;
using drogon::Task;

Task<> DatabaseGauges::refresh(std::shared_ptr<DatabaseGauges> self, Clock::time_point now)
{
    std::optional<Found> found;
    {
        const std::lock_guard lock(self->mutex_);
        if (self->reading_)
        {
            co_return;
        }
        self->reading_ = true;
        found = self->found_;
    }
    try
    {
        Found next = found.value_or(Found{});
        next.live = co_await self->stores_.requests().countByStatus(true);
        if (!found || now >= next.allAgain)
        {
            next = co_await self->readAll(std::move(next), now);
        }
        found = next;
    }
    catch (const std::exception &error)
    {
        found.reset();
        LOG_DEBUG << "step=requests_not_counted why=" << error.what();
    }
    const std::lock_guard lock(self->mutex_);
    self->found_ = found;
    self->reading_ = false;
}

Task<DatabaseGauges::Found> DatabaseGauges::readAll(Found found, Clock::time_point now) const
{
    const Clock::time_point began = Clock::now();
    found.ended = co_await stores_.requests().countByStatus(false);
    std::erase_if(found.ended,
                  [](const auto &counted) { return !core::isTerminal(counted.first.second); });
    found.inbox = co_await stores_.inbox->counts();
    const auto took = Clock::now() - began;
    found.allAgain = now + std::max<Clock::duration>(kAllEach, kShareOfTime * took);
    co_return found;
}

void DatabaseGauges::write(MetricsText &text) const
{
    std::optional<Found> found;
    {
        const std::lock_guard lock(mutex_);
        found = found_;
    }
    text.single("relayer_database_up", "gauge",
                "Whether the database answered when it was asked for these numbers.",
                std::uint64_t{found ? 1U : 0U});
    if (!found)
    {
        return;
    }
    const auto count = [&found](Kind kind, Status status) {
        const auto &counts = core::isTerminal(status) ? found->ended : found->live;
        const auto known = counts.find({kind, status});
        return known == counts.end() ? std::int64_t{0} : known->second;
    };
    text.family("relayer_request_count", "gauge",
                "Requests of the whole deployment by status, from the database; those that have "
                "ended are counted each half minute at the most.");
    for (const Kind kind : core::kAllKinds)
    {
        for (const Status status : core::kAllStatuses)
        {
            if (core::canBeIn(kind, status))
            {
                text.sample("relayer_request_count",
                            {{"req_type", core::name(kind)}, {"status", core::name(status)}},
                            count(kind, status));
            }
        }
    }
    text.family("relayer_transaction_pending_gauge", "gauge",
                "Requests of the whole deployment whose transaction is on its way, from the "
                "database.");
    for (const Kind kind : core::kAllKinds)
    {
        text.sample("relayer_transaction_pending_gauge",
                    {{"transaction_type", transactionType(kind)}}, count(kind, Status::TxInFlight));
    }
    text.family("relayer_inbox_events", "gauge",
                "Events of the chain in the inbox of the whole deployment, from the database, each "
                "half minute at the most.");
    text.sample("relayer_inbox_events", {{"state", "unhandled"}}, found->inbox.unhandled);
    text.sample("relayer_inbox_events", {{"state", "handled"}},
                found->inbox.all - found->inbox.unhandled);
}
}  // namespace relayer::plugins
