#include "core/tx_queue.h"

#include <algorithm>

namespace relayer::core
{
TxQueue::TxQueue(const Limits &limits, Time now)
    : limits_(limits), bucket_(limits.perSecond, now), tickets_(limits.capacity)
{}

bool TxQueue::reserve(Place place)
{
    const std::size_t limit = place == Place::New ? limits_.softLimit : limits_.capacity;
    if (waiting() + reserved_ >= limit)
    {
        return false;
    }
    ++reserved_;
    return true;
}

void TxQueue::giveUp()
{
    reserved_ -= std::min<std::size_t>(reserved_, 1);
    if (reserved_ == 0)
    {
        early_.clear();
    }
}

void TxQueue::accept(Ticket ticket)
{
    const bool gone = early_.erase(ticket) > 0;
    giveUp();
    if (gone || tickets_.contains(ticket))
    {
        return;
    }
    if (!tickets_.insert(ticket))
    {
        ++elsewhere_;
    }
    owed_ = true;
    acceptedSinceTaking_ = true;
}

std::optional<std::size_t> TxQueue::position(Ticket ticket) const
{
    const auto place = tickets_.position(ticket);
    // Those from before this start stand in front of all that came since.
    const bool behind = head_ && !tickets_.empty() && *head_ < *tickets_.first();
    return place ? std::optional(*place + (behind ? elsewhere_ : 0)) : std::nullopt;
}

std::size_t TxQueue::takeTokens(std::size_t atMost, Time now)
{
    const auto taken = static_cast<std::size_t>(bucket_.takeUpTo(atMost, now));
    // Who got less comes again for the next token; who got all it asked for comes by itself once it
    // has room for more.
    owed_ = taken < atMost;
    acceptedSinceTaking_ = false;
    return taken;
}

void TxQueue::returnTokens(std::size_t tokens, Time now)
{
    bucket_.giveBack(tokens, now);
    // Not owed for rows that it has just looked for and not found: that would go round in circles.
    owed_ = owed_ || (tokens > 0 && acceptedSinceTaking_);
}

void TxQueue::pulled(std::span<const Ticket> tickets)
{
    for (const Ticket ticket : tickets)
    {
        if (tickets_.erase(ticket))
        {
            continue;
        }
        elsewhere_ -= std::min<std::size_t>(elsewhere_, 1);
        if (reserved_ > 0 && early_.size() < limits_.capacity)
        {
            early_.insert(ticket);
        }
    }
}

void TxQueue::level(std::optional<Ticket> head, std::size_t waiting)
{
    if (head)
    {
        tickets_.eraseBelow(*head);
    }
    else if (newestAtLevelling_)
    {
        // Nothing waits. Yet what was accepted while the question was on its way may.
        tickets_.eraseBelow(*newestAtLevelling_);
        tickets_.erase(*newestAtLevelling_);
    }
    head_ = head;
    elsewhere_ = waiting - std::min(waiting, tickets_.size());
    newestAtLevelling_ = tickets_.last();
    owed_ = owed_ || waiting > 0;
}

bool TxQueue::setRate(std::uint64_t perSecond, Time now)
{
    if (perSecond < TokenBucket::kSlowest || perSecond > TokenBucket::kFastest)
    {
        return false;
    }
    bucket_.setRate(perSecond, now);
    return true;
}

std::optional<TxQueue::Time> TxQueue::wakeAt(Time now) const
{
    if (!owed_ || waiting() == 0)
    {
        return std::nullopt;
    }
    return now + bucket_.timeUntil(1, now).value_or(Time::zero());
}

TxQueue::Snapshot TxQueue::snapshot(Time now) const
{
    Snapshot snapshot;
    snapshot.waiting = waiting();
    snapshot.reserved = reserved_;
    snapshot.capacity = limits_.capacity;
    snapshot.softLimit = limits_.softLimit;
    snapshot.perSecond = bucket_.perSecond();
    snapshot.tokens = bucket_.available(now);
    snapshot.timeToNextToken = bucket_.timeUntil(1, now).value_or(Time::zero());
    snapshot.head = tickets_.first();
    if (head_ && elsewhere_ > 0 && (!snapshot.head || *head_ < *snapshot.head))
    {
        snapshot.head = head_;
    }
    return snapshot;
}
}  // namespace relayer::core
