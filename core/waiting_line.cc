#include "core/waiting_line.h"

#include <algorithm>
#include <iterator>

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
    if (unlist(ticket))
    {
        --elsewhere_;
    }
    if (!tickets_.insert(ticket))
    {
        ++elsewhere_;
    }
    return true;
}

bool WaitingLine::unlist(Ticket ticket)
{
    const auto at = std::ranges::lower_bound(listed_, ticket);
    if (at == listed_.end() || *at != ticket)
    {
        return false;
    }
    listed_.erase(at);
    return true;
}

std::optional<std::size_t> WaitingLine::position(Ticket ticket) const
{
    return tickets_.contains(ticket) ? std::optional(spot(ticket).ahead) : std::nullopt;
}

WaitingLine::Spot WaitingLine::spot(Ticket ticket) const
{
    const auto at = std::ranges::lower_bound(listed_, ticket);
    Spot spot;
    spot.known = (at != listed_.end() && *at == ticket) || tickets_.contains(ticket);
    spot.ahead = tickets_.smaller(ticket) + static_cast<std::size_t>(at - listed_.begin());
    // Of those that were not listed yet: the ones from before this start stand in front of all that
    // came in here since, and what is not known is the youngest.
    const bool behind = head_ && !tickets_.empty() && *head_ < *tickets_.first();
    if (!spot.known || behind)
    {
        spot.ahead += elsewhere_ - std::min(elsewhere_, listed_.size());
    }
    return spot;
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
        static_cast<void>(unlist(ticket));
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
    listed_.erase(listed_.begin(), head && elsewhere_ > 0 ? std::ranges::lower_bound(listed_, *head)
                                                          : listed_.end());
    newestAtLevelling_ = tickets_.last();
}

void WaitingLine::list(std::span<const Ticket> tickets)
{
    listed_.clear();
    listed_.reserve(tickets.size());
    std::ranges::copy_if(tickets, std::back_inserter(listed_),
                         [this](Ticket ticket) { return !tickets_.contains(ticket); });
    if (tickets.size() < limits_.capacity)
    {
        elsewhere_ = listed_.size();
    }
}

std::optional<WaitingLine::Ticket> WaitingLine::head() const
{
    const auto first = tickets_.first();
    return head_ && elsewhere_ > 0 && (!first || *head_ < *first) ? head_ : first;
}
}  // namespace relayer::core
