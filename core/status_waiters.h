// Who waits for which request to change its status, until when, and since when nobody has looked at
// that request. Bookkeeping only: it wakes nobody and reads nothing, and time comes in as a
// duration since any fixed moment.
//
// A request is *unread* when something said that it may have changed. What said so is never
// believed: the row is read again (takeUnread, then found), so hints may be doubled, late, out of
// order or made up. Hints may also be lost, so every request that is here is compared with its row
// now and then (page, then compared).
//
// A status that changed while a caller was on its way from its first read to this list is not
// missed either: the last kRecent hints are remembered, and who comes with an older count (told)
// is unread at once.
//
// Bounded by Limits. A request nobody waits for any more stays for a moment (Limits::linger), so
// that a client which comes back at once is served without a read.
#pragma once

#include "core/job_id.h"
#include "core/lifecycle.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relayer::core
{
class StatusWaiters
{
    struct Entry;

  public:
    using Time = std::chrono::nanoseconds;
    using RequestId = std::int64_t;

    struct Limits
    {
        std::size_t waiters = 20'000;
        std::size_t jobs = 40'000;  // that are waited for, or were a moment ago
        Time linger = std::chrono::seconds(10);
        // What was compared with its row longer ago than this is not shown without a read.
        Time trusted = std::chrono::seconds(20);
    };

    struct Job
    {
        RequestId id = 0;
        JobId jobId;
        Kind kind = Kind::InputProof;
        Status status = Status::Queued;
        Time since{0};  // when it entered that status
        std::int64_t ticket = 0;
        bool claimed = false;  // as of the last read
    };

    // Lives with who waits, and must be removed before it goes. Not copied while it is in here.
    class Waiter
    {
      public:
        [[nodiscard]] bool isIn() const { return entry_ != nullptr; }

      private:
        friend class StatusWaiters;
        Entry *entry_ = nullptr;
        Status seen_ = Status::Queued;
        std::list<Waiter *>::iterator place_;
        std::multimap<Time, Waiter *>::iterator deadline_;
    };
    using Waiters = std::vector<Waiter *>;

    explicit StatusWaiters(const Limits &limits) : limits_(limits) {}
    ~StatusWaiters();
    StatusWaiters(const StatusWaiters &) = delete;
    StatusWaiters &operator=(const StatusWaiters &) = delete;

    // To be noted before the first read of a request.
    [[nodiscard]] std::uint64_t told() const { return told_; }
    // The request as it was when it was last compared, if that can be trusted.
    [[nodiscard]] std::optional<Job> known(const JobId &jobId, Time now) const;
    // Waits for another status than that of `job`, which has not ended. False: there is no room.
    [[nodiscard]] bool add(Waiter &waiter, const Job &job, std::uint64_t toldBefore, Time now,
                           Time deadline);
    void remove(Waiter &waiter, Time now);

    // Hints.
    void changed(std::span<const RequestId> ids);
    [[nodiscard]] bool hasUnread() const { return !unread_.empty(); }
    [[nodiscard]] std::vector<RequestId> takeUnread(std::size_t limit);
    // They could not be read.
    void putBack(std::span<const RequestId> ids);

    // A request as it was read. Returns who knew another status, and all when it has ended; they
    // are in here no longer.
    [[nodiscard]] Waiters found(const Job &job, Time now);
    // There is no such row any more.
    [[nodiscard]] Waiters missing(RequestId id);

    // Requests that nobody has looked at since `before`, the longest ago first. Each is named once
    // in a round, whether or not it can be read.
    [[nodiscard]] std::vector<RequestId> page(Time before, std::size_t limit);
    void compared(RequestId id, Status status, Time now);

    struct Overdue
    {
        Waiter *waiter;
        Job job;
    };
    // They are in here no longer.
    [[nodiscard]] std::vector<Overdue> overdue(Time now);
    [[nodiscard]] std::vector<Overdue> removeAll(Time now);
    // Requests that nobody waits for have lingered enough.
    void forget(Time now);

    [[nodiscard]] std::size_t waiters() const { return deadlines_.size(); }
    [[nodiscard]] std::size_t jobs() const { return entries_.size(); }

    static constexpr std::size_t kRecent = 1024;

  private:
    // A request.
    struct Entry
    {
        Job job;
        Time looked{0};  // when it was last compared with its row
        bool unread = false;
        std::list<Waiter *> waiters;
        std::list<Entry *>::iterator age;
        std::optional<std::list<Entry *>::iterator> idle;
        Time left{0};  // since when nobody waits
    };
    struct HashOfJob
    {
        std::size_t operator()(const JobId &id) const;
    };

    Entry *entryFor(const Job &job, Time now);
    void markUnread(Entry &entry);
    [[nodiscard]] bool wasToldSince(RequestId id, std::uint64_t told) const;
    void detach(Waiter &waiter);
    // Those whose deadline is that or earlier.
    [[nodiscard]] std::vector<Overdue> removeDueBy(Time deadline, Time now);
    void looked(Entry &entry, Time now);
    void leaveAlone(Entry &entry, Time now);
    void erase(Entry &entry);

    const Limits limits_;
    std::unordered_map<RequestId, Entry> entries_;
    std::unordered_map<JobId, Entry *, HashOfJob> byJob_;
    std::multimap<Time, Waiter *> deadlines_;
    std::list<Entry *> byAge_;  // who was looked at longest ago stands first
    std::list<Entry *> idle_;   // who was left alone longest ago stands first
    std::deque<RequestId> unread_;
    std::array<RequestId, kRecent> recent_{};  // a ring, told_ is where it goes on
    std::uint64_t told_ = 0;
};
}  // namespace relayer::core
