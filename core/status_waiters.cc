#include "core/status_waiters.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace relayer::core
{
std::size_t StatusWaiters::HashOfJob::operator()(const JobId &id) const
{
    // Random bytes already, and ours: nobody can choose them to collide.
    std::size_t hash = 0;
    std::memcpy(&hash, id.raw().data(), sizeof(hash));
    return hash;
}

StatusWaiters::~StatusWaiters()
{
    static_cast<void>(removeAll(Time()));
}

std::optional<StatusWaiters::Job> StatusWaiters::known(const JobId &jobId, Time now) const
{
    const auto found = byJob_.find(jobId);
    if (found == byJob_.end() || now - found->second->looked > limits_.trusted)
    {
        return std::nullopt;
    }
    return found->second->job;
}

bool StatusWaiters::add(Waiter &waiter, const Job &job, std::uint64_t toldBefore, Time now,
                        Time deadline)
{
    assert(!waiter.isIn() && !isTerminal(job.status));
    if (waiters() >= limits_.waiters)
    {
        return false;
    }
    Entry *const entry = entryFor(job, now);
    if (entry == nullptr)
    {
        return false;
    }
    if (entry->idle)
    {
        idle_.erase(*entry->idle);
        entry->idle.reset();
    }
    waiter.entry_ = entry;
    waiter.seen_ = job.status;
    waiter.place_ = entry->waiters.insert(entry->waiters.end(), &waiter);
    waiter.deadline_ = deadlines_.emplace(deadline, &waiter);
    // Of two reads that differ nobody knows which was the later one.
    if (entry->job.status != job.status || wasToldSince(job.id, toldBefore))
    {
        markUnread(*entry);
    }
    return true;
}

StatusWaiters::Entry *StatusWaiters::entryFor(const Job &job, Time now)
{
    if (const auto found = entries_.find(job.id); found != entries_.end())
    {
        return &found->second;
    }
    if (entries_.size() >= limits_.jobs)
    {
        if (idle_.empty())
        {
            return nullptr;
        }
        erase(*idle_.front());
    }
    Entry &entry = entries_[job.id];
    entry.job = job;
    entry.looked = now;
    entry.age = byAge_.insert(byAge_.end(), &entry);
    byJob_[job.jobId] = &entry;
    return &entry;
}

void StatusWaiters::remove(Waiter &waiter, Time now)
{
    if (!waiter.isIn())
    {
        return;
    }
    Entry &entry = *waiter.entry_;
    detach(waiter);
    leaveAlone(entry, now);
}

void StatusWaiters::detach(Waiter &waiter)
{
    waiter.entry_->waiters.erase(waiter.place_);
    deadlines_.erase(waiter.deadline_);
    waiter.entry_ = nullptr;
}

void StatusWaiters::leaveAlone(Entry &entry, Time now)
{
    if (entry.waiters.empty() && !entry.idle)
    {
        entry.left = now;
        entry.idle = idle_.insert(idle_.end(), &entry);
    }
}

// What is unread keeps its place there: it finds nothing when it is taken.
void StatusWaiters::erase(Entry &entry)
{
    assert(entry.waiters.empty());
    byAge_.erase(entry.age);
    if (entry.idle)
    {
        idle_.erase(*entry.idle);
    }
    byJob_.erase(entry.job.jobId);
    entries_.erase(entry.job.id);
}

void StatusWaiters::markUnread(Entry &entry)
{
    if (!entry.unread)
    {
        entry.unread = true;
        unread_.push_back(entry.job.id);
    }
}

void StatusWaiters::changed(std::span<const RequestId> ids)
{
    for (const RequestId id : ids)
    {
        recent_.at(told_ % kRecent) = id;
        ++told_;
        if (const auto found = entries_.find(id); found != entries_.end())
        {
            markUnread(found->second);
        }
    }
}

bool StatusWaiters::wasToldSince(RequestId id, std::uint64_t told) const
{
    if (told_ - told > kRecent)
    {
        return true;  // it may have been among those that were overwritten
    }
    for (std::uint64_t at = told; at < told_; ++at)
    {
        if (recent_.at(at % kRecent) == id)
        {
            return true;
        }
    }
    return false;
}

std::vector<StatusWaiters::RequestId> StatusWaiters::takeUnread(std::size_t limit)
{
    std::vector<RequestId> ids;
    while (!unread_.empty() && ids.size() < limit)
    {
        const auto found = entries_.find(unread_.front());
        unread_.pop_front();
        if (found != entries_.end() && found->second.unread)
        {
            found->second.unread = false;
            ids.push_back(found->first);
        }
    }
    return ids;
}

void StatusWaiters::putBack(std::span<const RequestId> ids)
{
    for (const RequestId id : ids)
    {
        if (const auto found = entries_.find(id); found != entries_.end())
        {
            markUnread(found->second);
        }
    }
}

StatusWaiters::Waiters StatusWaiters::found(const Job &job, Time now)
{
    const auto at = entries_.find(job.id);
    if (at == entries_.end())
    {
        return {};
    }
    Entry &entry = at->second;
    entry.job = job;
    looked(entry, now);
    const bool ended = isTerminal(job.status);
    Waiters woken;
    for (auto next = entry.waiters.begin(); next != entry.waiters.end();)
    {
        Waiter &waiter = **next++;
        if (ended || waiter.seen_ != job.status)
        {
            detach(waiter);
            woken.push_back(&waiter);
        }
    }
    if (ended)
    {
        erase(entry);
    }
    else
    {
        leaveAlone(entry, now);
    }
    return woken;
}

StatusWaiters::Waiters StatusWaiters::missing(RequestId id)
{
    const auto at = entries_.find(id);
    if (at == entries_.end())
    {
        return {};
    }
    Waiters woken(at->second.waiters.begin(), at->second.waiters.end());
    for (Waiter *waiter : woken)
    {
        detach(*waiter);
    }
    erase(at->second);
    return woken;
}

void StatusWaiters::looked(Entry &entry, Time now)
{
    entry.looked = now;
    byAge_.splice(byAge_.end(), byAge_, entry.age);
}

std::vector<StatusWaiters::RequestId> StatusWaiters::page(Time before, std::size_t limit)
{
    std::vector<RequestId> ids;
    const std::size_t most = std::min(limit, byAge_.size());
    while (ids.size() < most && byAge_.front()->looked < before)
    {
        ids.push_back(byAge_.front()->job.id);
        byAge_.splice(byAge_.end(), byAge_, byAge_.begin());
    }
    return ids;
}

void StatusWaiters::compared(RequestId id, Status status, Time now)
{
    const auto found = entries_.find(id);
    if (found == entries_.end())
    {
        return;
    }
    if (found->second.job.status == status)
    {
        looked(found->second, now);
        return;
    }
    markUnread(found->second);
}

std::vector<StatusWaiters::Overdue> StatusWaiters::overdue(Time now)
{
    return removeDueBy(now, now);
}

std::vector<StatusWaiters::Overdue> StatusWaiters::removeAll(Time now)
{
    return removeDueBy(Time::max(), now);
}

std::vector<StatusWaiters::Overdue> StatusWaiters::removeDueBy(Time deadline, Time now)
{
    std::vector<Overdue> over;
    while (!deadlines_.empty() && deadlines_.begin()->first <= deadline)
    {
        Waiter &waiter = *deadlines_.begin()->second;
        over.push_back({&waiter, waiter.entry_->job});
        remove(waiter, now);
    }
    return over;
}

void StatusWaiters::forget(Time now)
{
    while (!idle_.empty() && idle_.front()->left + limits_.linger <= now)
    {
        erase(*idle_.front());
    }
}
}  // namespace relayer::core
