#include "plugins/tx_queues.h"

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using core::Kind;
using core::TxQueue;

TxQueues::TxQueues(const Limits &limits, Clock clock)
    : clock_(std::move(clock)),
      queues_{Queue{TxQueue(limits[0], clock_.now()), std::nullopt, 0},
              Queue{TxQueue(limits[1], clock_.now()), std::nullopt, 0},
              Queue{TxQueue(limits[2], clock_.now()), std::nullopt, 0}}
{
    static_assert(core::kKinds == 3);
}

std::optional<TxQueues::Slot> TxQueues::reserve(Kind kind, TxQueue::Place place)
{
    const std::lock_guard lock(mutex_);
    if (!of(kind).queue.reserve(place))
    {
        return std::nullopt;
    }
    return std::optional<Slot>(std::in_place, shared_from_this(), kind);
}

void TxQueues::giveUp(Kind kind)
{
    const std::lock_guard lock(mutex_);
    of(kind).queue.giveUp();
}

void TxQueues::accept(Slot slot, std::int64_t ticket)
{
    const auto queues = std::exchange(slot.queues_, nullptr);
    const std::lock_guard lock(mutex_);
    of(slot.kind_).queue.accept(ticket);
    arm(slot.kind_);
}

std::optional<std::size_t> TxQueues::position(Kind kind, std::int64_t ticket) const
{
    const std::lock_guard lock(mutex_);
    return of(kind).queue.position(ticket);
}

TxQueues::Outlook TxQueues::outlook(Kind kind, std::int64_t ticket) const
{
    const std::lock_guard lock(mutex_);
    const TxQueue &queue = of(kind).queue;
    return {queue.spot(ticket).ahead, queue.waiting(), queue.perSecond()};
}

TxQueue::Snapshot TxQueues::snapshot(Kind kind) const
{
    const std::lock_guard lock(mutex_);
    return of(kind).queue.snapshot(clock_.now());
}

bool TxQueues::setRate(Kind kind, std::uint64_t perSecond)
{
    const std::lock_guard lock(mutex_);
    const bool set = of(kind).queue.setRate(perSecond, clock_.now());
    arm(kind);
    return set;
}

void TxQueues::setSharers(std::uint64_t sharers)
{
    const std::lock_guard lock(mutex_);
    for (const Kind kind : core::kAllKinds)
    {
        of(kind).queue.setSharers(sharers, clock_.now());
        arm(kind);
    }
}

void TxQueues::onWork(Wake wake)
{
    const std::lock_guard lock(mutex_);
    wake_ = std::make_shared<const Wake>(std::move(wake));
    for (const Kind kind : core::kAllKinds)
    {
        arm(kind);
    }
}

std::size_t TxQueues::takeTokens(Kind kind, std::size_t atMost)
{
    const std::lock_guard lock(mutex_);
    if (stopped_)
    {
        return 0;
    }
    const std::size_t taken = of(kind).queue.takeTokens(atMost, clock_.now());
    arm(kind);
    return taken;
}

void TxQueues::returnTokens(Kind kind, std::size_t tokens)
{
    const std::lock_guard lock(mutex_);
    of(kind).queue.returnTokens(tokens, clock_.now());
    arm(kind);
}

void TxQueues::pulled(Kind kind, std::span<const std::int64_t> tickets)
{
    const std::lock_guard lock(mutex_);
    of(kind).queue.pulled(tickets);
}

void TxQueues::level(Kind kind, std::optional<std::int64_t> head, std::size_t waiting)
{
    const std::lock_guard lock(mutex_);
    of(kind).queue.level(head, waiting);
    arm(kind);
}

bool TxQueues::wantsList(Kind kind) const
{
    const std::lock_guard lock(mutex_);
    return of(kind).queue.wantsList();
}

void TxQueues::list(Kind kind, std::span<const std::int64_t> tickets)
{
    const std::lock_guard lock(mutex_);
    of(kind).queue.list(tickets);
}

void TxQueues::stop()
{
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    wake_.reset();
}

void TxQueues::arm(Kind kind)
{
    Queue &queue = of(kind);
    const Time now = clock_.now();
    const auto at = wake_ ? queue.queue.wakeAt(now) : std::nullopt;
    // A timer that goes too early looks again, so only one that goes too late is replaced.
    if (!at || (queue.armed && *queue.armed <= *at))
    {
        return;
    }
    queue.armed = *at;
    const std::uint64_t timer = ++queue.timer;
    clock_.after(std::max(*at - now, Time::zero()), [weak = weak_from_this(), kind, timer] {
        if (const auto self = weak.lock())
        {
            self->ring(kind, timer);
        }
    });
}

void TxQueues::ring(Kind kind, std::uint64_t timer)
{
    std::shared_ptr<const Wake> wake;
    {
        const std::lock_guard lock(mutex_);
        Queue &queue = of(kind);
        if (timer != queue.timer)
        {
            return;
        }
        queue.armed.reset();
        const Time now = clock_.now();
        const auto at = queue.queue.wakeAt(now);
        if (!at || *at > now || !wake_)
        {
            arm(kind);
            return;
        }
        queue.queue.told();
        wake = wake_;
    }
    (*wake)(kind);
}
}  // namespace relayer::plugins
