#include "core/tx_queue.h"

namespace relayer::core
{
TxQueue::TxQueue(const Limits &limits, Time now)
    : line_({limits.capacity, limits.softLimit}), bucket_(limits.perSecond, now)
{}

void TxQueue::accept(Ticket ticket)
{
    if (line_.accept(ticket))
    {
        owed_ = true;
        acceptedSinceTaking_ = true;
    }
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

void TxQueue::level(std::optional<Ticket> head, std::size_t waiting)
{
    line_.level(head, waiting);
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
    if (!owed_ || line_.waiting() == 0)
    {
        return std::nullopt;
    }
    return now + bucket_.timeUntil(1, now).value_or(Time::zero());
}

TxQueue::Snapshot TxQueue::snapshot(Time now) const
{
    Snapshot snapshot;
    snapshot.waiting = line_.waiting();
    snapshot.reserved = line_.reserved();
    snapshot.capacity = line_.limits().capacity;
    snapshot.softLimit = line_.limits().softLimit;
    snapshot.perSecond = bucket_.perSecond();
    snapshot.tokens = bucket_.available(now);
    snapshot.timeToNextToken = bucket_.timeUntil(1, now).value_or(Time::zero());
    snapshot.head = line_.head();
    return snapshot;
}
}  // namespace relayer::core
