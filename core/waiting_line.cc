#include "core/waiting_line.h"

#include <algorithm>

namespace relayer::core
{
bool WaitingLine::reserve(Place place)
{
    const std::size_t limit = place == Place::New ? limits_.softLimit : limits_.capacity;
    if (waiting() + reserved_ >= limit)
    {
        return false;
    }
    ++reserved_;
    return true;
}

void WaitingLine::giveUp()
{
    reserved_ -= std::min<std::size_t>(reserved_, 1);
    if (reserved_ == 0)
    {
        early_.clear();
    }
}

bool WaitingLine::accept(Ticket ticket)
{
    const bool gone = early_.erase(ticket) > 0;
    giveUp();
    if (gone || tickets_.contains(ticket))
    {
        return false;
    }
    if (!tickets_.insert(ticket))
    {
        ++elsewhere_;
    }
    return true;
}

std::optional<std::size_t> WaitingLine::position(Ticket ticket) const
{
    const auto place = tickets_.position(ticket);
    // Those from before this start stand in front of all that came since.
    const bool behind = head_ && !tickets_.empty() && *head_ < *tickets_.first();
    return place ? std::optional(*place + (behind ? elsewhere_ : 0)) : std::nullopt;
}

void WaitingLine::pulled(std::span<const Ticket> tickets)
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

void WaitingLine::level(std::optional<Ticket> head, std::size_t waiting)
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
}

std::optional<WaitingLine::Ticket> WaitingLine::head() const
{
    const auto first = tickets_.first();
    return head_ && elsewhere_ > 0 && (!first || *head_ < *first) ? head_ : first;
}
}  // namespace relayer::core
