#include "plugins/gateway_listener_intake.h"

#include "plugins/fail_point.h"
#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

namespace relayer::plugins
{
using models::InboxEvent;

namespace
{
constexpr std::size_t kRemembered = 16'384;
constexpr std::uint64_t kWarnings = 10;  // of malformed events, per source

std::string identityOf(const InboxEvent &event)
{
    std::string key(event.blockHash.begin(), event.blockHash.end());
    key.append(event.txHash.begin(), event.txHash.end());
    key += std::to_string(event.logIndex);
    return key;
}

bool fits(const chain::Log &log)
{
    return log.txHash && log.logIndex <= std::numeric_limits<std::int32_t>::max() &&
           log.blockNumber <=
               static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 2);
}

InboxEvent inboxEvent(const chain::Log &log, const chain::EventIdentity &identity)
{
    InboxEvent event;
    event.kind = identity.kind;
    event.gatewayId = identity.gatewayId;
    event.request = identity.request;
    event.blockNumber = static_cast<std::int64_t>(log.blockNumber);
    event.blockHash = log.blockHash;
    event.logIndex = static_cast<std::int32_t>(log.logIndex);
    event.txHash = *log.txHash;
    event.address = log.address;
    event.topics = log.topics;
    event.data = log.data;
    return event;
}
}  // namespace

EventIntake::EventIntake(trantor::EventLoop *loop, Inbox inbox, const ListenerOptions &options,
                         SourceState *counts, std::function<void()> stored)
    : loop_(loop),
      inbox_(std::move(inbox)),
      options_(options),
      counts_(counts),
      stored_(std::move(stored))
{}

std::vector<InboxEvent> EventIntake::select(const std::vector<chain::Log> &logs)
{
    std::vector<InboxEvent> events;
    for (const chain::Log &log : logs)
    {
        const auto identity = chain::identify(log, options_.contracts);
        if (!identity)
        {
            ++counts_->unrelated;
            continue;
        }
        if (!fits(log))
        {
            ++counts_->skipped;
            continue;
        }
        const auto decoded = chain::decodeEvent(log, options_.contracts);
        if (!decoded || std::holds_alternative<chain::MalformedEvent>(*decoded))
        {
            if (++counts_->malformed <= kWarnings)
            {
                LOG_WARN << "step=malformed_event source=" << counts_->name
                         << " block=" << log.blockNumber << " log=" << log.logIndex << " why="
                         << (decoded ? std::get<chain::MalformedEvent>(*decoded).why : "unknown");
            }
            continue;
        }
        InboxEvent event = inboxEvent(log, *identity);
        if (recent_.contains(identityOf(event)))
        {
            ++counts_->known;
            continue;
        }
        events.push_back(std::move(event));
    }
    return events;
}

drogon::Task<> EventIntake::deliver(std::vector<InboxEvent> events,
                                    std::optional<models::ChainCursor> cursor)
{
    const std::uint64_t generation = generation_;
    std::size_t from = 0;
    do
    {
        const std::size_t count = std::min(options_.eventsPerCommit, events.size() - from);
        const auto first = events.begin() + static_cast<std::ptrdiff_t>(from);
        std::vector<InboxEvent> batch(first, first + static_cast<std::ptrdiff_t>(count));
        from += count;
        std::optional<models::ChainCursor> withLast;
        if (from == events.size())
        {
            withLast = cursor;
        }
        const auto delivered =
            co_await resumedOn(loop_, inbox_().deliver(batch, withLast, options_.keepUnmatched));
        counts_->stored += delivered.stored;
        counts_->known += delivered.known;
        counts_->foreign += delivered.foreign;
        if (generation == generation_)
        {
            remember(batch);
        }
        if (delivered.stored > 0)
        {
            failPoint("event stored");
            stored_();
        }
    }
    while (from < events.size());
}

void EventIntake::forgetWhatWasStored()
{
    ++generation_;
    recent_.clear();
    recentInOrder_.clear();
}

void EventIntake::remember(const std::vector<InboxEvent> &events)
{
    for (const InboxEvent &event : events)
    {
        std::string identity = identityOf(event);
        if (recent_.insert(identity).second)
        {
            recentInOrder_.push_back(std::move(identity));
        }
    }
    while (recentInOrder_.size() > kRemembered)
    {
        recent_.erase(recentInOrder_.front());
        recentInOrder_.pop_front();
    }
}
}  // namespace relayer::plugins
