#include "plugins/waiting_room.h"

#include "models/running_loop.h"
#include "models/store_error.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <set>

namespace relayer::plugins
{
using core::StatusWaiters;

WaitingRoom::Asking::Asking(std::shared_ptr<WaitingRoom> room) : room_(std::move(room))
{
    // First this, then the count: whoever changes a row from now on either is counted, or has
    // committed before this caller reads.
    room_->asking_.fetch_add(1);
    const std::lock_guard lock(room_->mutex_);
    told_ = room_->waiters_.told();
}

WaitingRoom::Asking::~Asking()
{
    room_->asking_.fetch_sub(1);
}

WaitingRoom::WaitingRoom(const StatusWaiters::Limits &limits, Surroundings surroundings)
    : limits_(limits), around_(std::move(surroundings)), waiters_(limits)
{}

std::optional<WaitingRoom::Job> WaitingRoom::known(const core::JobId &jobId) const
{
    const std::lock_guard lock(mutex_);
    return waiters_.known(jobId, around_.now());
}

bool WaitingRoom::enter(Wait &wait, std::coroutine_handle<> caller)
{
    bool read = false;
    {
        const std::lock_guard lock(mutex_);
        const Time now = around_.now();
        if (closed_ || !waiters_.add(wait, wait.wake_.job, wait.told_, now, now + wait.atMost_))
        {
            return false;
        }
        wait.caller_ = caller;
        wait.home_ = models::runningLoopOfThisThread();
        auto &neighbours = byHome_[wait.home_];
        wait.place_ = neighbours.insert(neighbours.end(), &wait);
        noteOccupied();
        read = waiters_.hasUnread() && !reading_;
    }
    if (read)
    {
        startReading();
    }
    return true;
}

void WaitingRoom::noteOccupied()
{
    occupied_.store(waiters_.jobs() > 0);
}

// It is out of `waiters_` already.
void WaitingRoom::leave(Wait &wait, Why why)
{
    const auto neighbours = byHome_.find(wait.home_);
    neighbours->second.erase(wait.place_);
    if (neighbours->second.empty())
    {
        byHome_.erase(neighbours);
    }
    wait.wake_.why = why;
    wait.wake_.told = waiters_.told();
    ++counts_.woken;
}

void WaitingRoom::changed(std::span<const RequestId> ids)
{
    if (asking_.load() == 0 && !occupied_.load())
    {
        return;
    }
    bool read = false;
    {
        const std::lock_guard lock(mutex_);
        waiters_.changed(ids);
        read = waiters_.hasUnread() && !reading_;
    }
    if (read)
    {
        startReading();
    }
}

void WaitingRoom::compareAll()
{
    const std::lock_guard lock(mutex_);
    compareBefore_ = around_.now();
}

void WaitingRoom::startReading()
{
    {
        const std::lock_guard lock(mutex_);
        if (reading_ || closed_ || around_.now() < nextRead_)
        {
            return;
        }
        reading_ = true;
    }
    around_.soon([self = shared_from_this()] { readUnread(self); });
}

// One reader at a time, so that a row is never replaced by an older state of it.
drogon::AsyncTask WaitingRoom::readUnread(std::shared_ptr<WaitingRoom> self)
{
    for (;;)
    {
        std::vector<RequestId> ids;
        {
            const std::lock_guard lock(self->mutex_);
            if (!self->closed_)
            {
                ids = self->waiters_.takeUnread(kReadAtOnce);
            }
            if (ids.empty())
            {
                self->reading_ = false;
                co_return;
            }
            ++self->counts_.reads;
        }
        try
        {
            const std::vector<Found> found = co_await self->around_.read(ids);
            self->take(ids, found);
        }
        catch (const std::exception &e)
        {
            LOG_DEBUG << "step=waiters_not_read why=" << e.what();
            const std::lock_guard lock(self->mutex_);
            self->waiters_.putBack(ids);
            self->nextRead_ = self->around_.now() + kReadAgain;
            self->reading_ = false;
            co_return;
        }
    }
}

void WaitingRoom::take(const std::vector<RequestId> &asked, const std::vector<Found> &found)
{
    Resumable done;
    {
        const std::lock_guard lock(mutex_);
        const Time now = around_.now();
        std::set<RequestId> missing(asked.begin(), asked.end());
        for (const Found &each : found)
        {
            missing.erase(each.job.id);
            for (StatusWaiters::Waiter *waiter : waiters_.found(each.job, now))
            {
                auto &wait = static_cast<Wait &>(*waiter);
                wait.wake_.job = each.job;
                wait.wake_.ended = each.ended;
                leave(wait, Why::Changed);
                done.push_back(&wait);
            }
        }
        for (const RequestId id : missing)
        {
            for (StatusWaiters::Waiter *waiter : waiters_.missing(id))
            {
                auto &wait = static_cast<Wait &>(*waiter);
                leave(wait, Why::Missing);
                done.push_back(&wait);
            }
        }
        noteOccupied();
    }
    resume(done);
}

void WaitingRoom::tick()
{
    if (!occupied_.load())
    {
        return;
    }
    Resumable done;
    std::vector<RequestId> toCompare;
    bool read = false;
    {
        const std::lock_guard lock(mutex_);
        const Time now = around_.now();
        for (const StatusWaiters::Overdue &over : waiters_.overdue(now))
        {
            auto &wait = static_cast<Wait &>(*over.waiter);
            wait.wake_.job = over.job;
            leave(wait, Why::Overdue);
            done.push_back(&wait);
        }
        waiters_.forget(now);
        noteOccupied();
        toCompare = pageDue(now);
        read = waiters_.hasUnread() && !reading_;
        if (now >= nextAlive_)
        {
            nextAlive_ = now + kAliveEach;
            askWhoIsThere();
        }
    }
    resume(done);
    if (read)
    {
        startReading();
    }
    if (!toCompare.empty())
    {
        compare(shared_from_this(), std::move(toCompare));
    }
}

std::vector<WaitingRoom::RequestId> WaitingRoom::pageDue(Time now)
{
    std::vector<RequestId> ids;
    if (comparing_ || closed_)
    {
        return ids;
    }
    ids = waiters_.page(compareBefore_, kCompareAtOnce);
    if (ids.empty() && now >= nextCompare_)
    {
        ids = waiters_.page(now - kCompareEach, kCompareAtOnce);
        nextCompare_ = now + kCompareEach;
    }
    comparing_ = !ids.empty();
    counts_.compares += comparing_ ? 1 : 0;
    return ids;
}

drogon::AsyncTask WaitingRoom::compare(std::shared_ptr<WaitingRoom> self,
                                       std::vector<RequestId> ids)
{
    Statuses statuses;
    bool asked = false;
    try
    {
        statuses = co_await self->around_.statuses(ids);
        asked = true;
    }
    catch (const std::exception &e)
    {
        LOG_DEBUG << "step=waiters_not_compared why=" << e.what();
    }
    bool read = false;
    {
        const std::lock_guard lock(self->mutex_);
        const Time now = self->around_.now();
        for (const auto &[id, status] : statuses)
        {
            self->waiters_.compared(id, status, now);
        }
        if (asked && statuses.size() < ids.size())
        {
            // Who is missing is read again, and not found.
            std::set<RequestId> missing(ids.begin(), ids.end());
            for (const auto &[id, status] : statuses)
            {
                missing.erase(id);
            }
            self->waiters_.putBack(std::vector<RequestId>(missing.begin(), missing.end()));
        }
        self->comparing_ = false;
        read = self->waiters_.hasUnread() && !self->reading_;
    }
    if (read)
    {
        self->startReading();
    }
}

// A connection may only be looked at on its own loop.
void WaitingRoom::askWhoIsThere()
{
    for (const auto &[home, waits] : byHome_)
    {
        if (home != nullptr)
        {
            home->queueInLoop([self = shared_from_this(), loop = home] { self->dropGone(loop); });
        }
    }
}

void WaitingRoom::dropGone(trantor::EventLoop *home)
{
    Resumable done;
    {
        const std::lock_guard lock(mutex_);
        const auto waits = byHome_.find(home);
        if (waits == byHome_.end())
        {
            return;
        }
        for (Wait *wait : waits->second)
        {
            if (wait->alive_ && !wait->alive_())
            {
                done.push_back(wait);
            }
        }
        const Time now = around_.now();
        for (Wait *wait : done)
        {
            waiters_.remove(*wait, now);
            leave(*wait, Why::Gone);
        }
    }
    resume(done);
}

void WaitingRoom::close()
{
    Resumable done;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        for (const StatusWaiters::Overdue &over : waiters_.removeAll(around_.now()))
        {
            auto &wait = static_cast<Wait &>(*over.waiter);
            wait.wake_.job = over.job;
            leave(wait, Why::Closing);
            done.push_back(&wait);
        }
    }
    resume(done);
}

// One wake-up for each loop, not one for each caller.
void WaitingRoom::resume(const Resumable &done)
{
    std::map<trantor::EventLoop *, std::vector<std::coroutine_handle<>>> byHome;
    for (const Wait *wait : done)
    {
        byHome[wait->home_].push_back(wait->caller_);
    }
    for (auto &[home, callers] : byHome)
    {
        if (home != nullptr)
        {
            home->queueInLoop([resumable = std::move(callers)] {
                for (const auto &caller : resumable)
                {
                    caller.resume();
                }
            });
            continue;
        }
        for (const auto &caller : callers)
        {
            caller.resume();
        }
    }
}

WaitingRoom::Snapshot WaitingRoom::snapshot() const
{
    const std::lock_guard lock(mutex_);
    Snapshot snapshot = counts_;
    snapshot.waiting = waiters_.waiters();
    snapshot.jobs = waiters_.jobs();
    return snapshot;
}
}  // namespace relayer::plugins
