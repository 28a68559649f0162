#include "plugins/readiness_lines.h"

#include <utility>

namespace relayer::plugins
{
using core::Kind;
using core::WaitingLine;

ReadinessLines::ReadinessLines(const Limits &limits)
    : lines_{WaitingLine(limits[0]), WaitingLine(limits[1]), WaitingLine(limits[2])}
{
    static_assert(core::kKinds == 3);
}

std::optional<ReadinessLines::Slot> ReadinessLines::reserve(Kind kind, Place place)
{
    const std::lock_guard lock(mutex_);
    if (!of(kind).reserve(place))
    {
        return std::nullopt;
    }
    return std::optional<Slot>(std::in_place, shared_from_this(), kind);
}

void ReadinessLines::giveUp(Kind kind)
{
    const std::lock_guard lock(mutex_);
    of(kind).giveUp();
}

void ReadinessLines::accept(Slot slot, std::int64_t ticket)
{
    const auto lines = std::exchange(slot.queues_, nullptr);
    const std::lock_guard lock(mutex_);
    of(slot.kind_).accept(ticket);
    if (wake_)
    {
        wake_();
    }
}

std::optional<std::size_t> ReadinessLines::position(Kind kind, std::int64_t ticket) const
{
    const std::lock_guard lock(mutex_);
    return of(kind).position(ticket);
}

ReadinessLines::Spot ReadinessLines::spot(Kind kind, std::int64_t ticket) const
{
    const std::lock_guard lock(mutex_);
    return of(kind).spot(ticket);
}

ReadinessLines::Snapshot ReadinessLines::snapshot(Kind kind) const
{
    const std::lock_guard lock(mutex_);
    const WaitingLine &line = of(kind);
    return {line.waiting(), line.reserved(), line.limits().capacity, line.limits().softLimit};
}

// Called with the mutex held, so that nobody is woken any more once this is set to nothing.
void ReadinessLines::onWork(std::function<void()> wake)
{
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
}

void ReadinessLines::pulled(Kind kind, std::span<const std::int64_t> tickets)
{
    const std::lock_guard lock(mutex_);
    of(kind).pulled(tickets);
}

void ReadinessLines::level(Kind kind, std::optional<std::int64_t> head, std::size_t waiting)
{
    const std::lock_guard lock(mutex_);
    of(kind).level(head, waiting);
}

bool ReadinessLines::wantsList(Kind kind) const
{
    const std::lock_guard lock(mutex_);
    return of(kind).wantsList();
}

void ReadinessLines::list(Kind kind, std::span<const std::int64_t> tickets)
{
    const std::lock_guard lock(mutex_);
    of(kind).list(tickets);
}
}  // namespace relayer::plugins
