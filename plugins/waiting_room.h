// Where callers wait until a request has another status: long-polls and event streams alike.
//
//     const auto asking = room->ask();                  // before the request is read
//     ...
//     const Wake wake = co_await room->wait(asking, job, 30s, alive);
//
// However many wait, a request is read once for all of them, several requests in one statement, and
// only when something says that it may have changed: a commit of ours, a notice of another
// instance, or the comparison with the rows that goes on all the time (`tick`), which alone would
// do. Nobody waits for a statement of their own, and no timer is made for one who waits.
//
// Any thread. One mutex, held for a few microseconds, never across a statement or a resume. A
// caller that has an event loop is resumed on it. Nothing here survives the process: callers ask
// again.
#pragma once

#include "core/status_waiters.h"
#include "plugins/job_view.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace relayer::plugins
{
class WaitingRoom : public std::enable_shared_from_this<WaitingRoom>
{
  public:
    using Time = core::StatusWaiters::Time;
    using Job = core::StatusWaiters::Job;
    using RequestId = core::StatusWaiters::RequestId;

    // A request as it was read; of one that has ended all that is to be shown.
    struct Found
    {
        Job job;
        JobViewPtr ended = nullptr;
    };
    using Statuses = std::vector<std::pair<RequestId, core::Status>>;

    struct Surroundings
    {
        std::function<Time()> now;
        // Calls soon, not from within this call, on a loop of the room's owner.
        std::function<void(std::function<void()>)> soon;
        // What is not there is left out. Both may throw StoreError.
        std::function<drogon::Task<std::vector<Found>>(std::vector<RequestId>)> read;
        std::function<drogon::Task<Statuses>(std::vector<RequestId>)> statuses;
    };

    struct Wake
    {
        enum class Why : std::uint8_t
        {
            Changed,
            Overdue,  // it is what it was
            Missing,  // the row is gone
            NotHeld,  // there was no room, or the room is closed: nothing was waited for
            Closing,
            Gone,  // the client is; nobody reads the answer
        };
        Why why = Why::NotHeld;
        Job job;
        JobViewPtr ended = nullptr;
        std::uint64_t told = 0;  // for who waits again
    };

    // Held from before the first read until the wait has begun, so that what changes in between is
    // not missed.
    class Asking
    {
      public:
        explicit Asking(std::shared_ptr<WaitingRoom> room);
        ~Asking();
        Asking(const Asking &) = delete;
        Asking &operator=(const Asking &) = delete;

        [[nodiscard]] std::uint64_t told() const { return told_; }
        // Seen again, with this wake.
        void seen(const Wake &wake) { told_ = wake.told; }

      private:
        const std::shared_ptr<WaitingRoom> room_;
        std::uint64_t told_;
    };

    // Whether the client is still there; asked on the loop of its caller.
    using Alive = std::function<bool()>;

    class Wait : private core::StatusWaiters::Waiter
    {
      public:
        Wait(std::shared_ptr<WaitingRoom> room, const Job &job, std::uint64_t told, Time atMost,
             Alive alive)
            : room_(std::move(room)), told_(told), atMost_(atMost), alive_(std::move(alive))
        {
            wake_.job = job;
        }
        Wait(const Wait &) = delete;
        Wait &operator=(const Wait &) = delete;
        ~Wait() = default;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> caller) { return room_->enter(*this, caller); }
        Wake await_resume() { return std::move(wake_); }

      private:
        friend class WaitingRoom;
        const std::shared_ptr<WaitingRoom> room_;
        const std::uint64_t told_;
        const Time atMost_;
        const Alive alive_;
        Wake wake_;
        std::coroutine_handle<> caller_;
        trantor::EventLoop *home_ = nullptr;
        std::list<Wait *>::iterator place_;  // among those of the same home
    };

    WaitingRoom(const core::StatusWaiters::Limits &limits, Surroundings surroundings);

    [[nodiscard]] Asking ask() { return Asking(shared_from_this()); }
    [[nodiscard]] Time now() const { return around_.now(); }
    // What is known without a read: somebody waits for it, or did a moment ago.
    [[nodiscard]] std::optional<Job> known(const core::JobId &jobId) const;
    // Until the status is another one than that of `job`, which has not ended.
    [[nodiscard]] Wait wait(const Asking &asking, const Job &job, Time atMost, Alive alive = {})
    {
        return Wait(shared_from_this(), job, asking.told(), atMost, std::move(alive));
    }

    // These may have changed. Costs next to nothing while nobody waits.
    void changed(std::span<const RequestId> ids);
    // Something may have changed.
    void compareAll();
    // To be called each tenth of a second or so.
    void tick();

    // Everybody is answered, and nobody waits any more.
    void close();

    struct Snapshot
    {
        std::size_t waiting = 0;
        std::size_t jobs = 0;
        std::uint64_t reads = 0;     // statements, each for many requests
        std::uint64_t compares = 0;  // statements
        std::uint64_t woken = 0;
    };
    [[nodiscard]] Snapshot snapshot() const;

    // One statement reads or compares no more than that.
    static constexpr std::size_t kReadAtOnce = 128;
    static constexpr std::size_t kCompareAtOnce = 10'000;
    // No more than one comparison in this time, unless somebody says that something changed.
    static constexpr Time kCompareEach = std::chrono::seconds(2);
    static constexpr Time kAliveEach = std::chrono::seconds(1);
    // After a read that failed.
    static constexpr Time kReadAgain = std::chrono::seconds(1);

  private:
    using Why = Wake::Why;
    using Resumable = std::vector<Wait *>;

    bool enter(Wait &wait, std::coroutine_handle<> caller);
    // With the mutex held.
    void leave(Wait &wait, Why why);
    void noteOccupied();
    [[nodiscard]] std::vector<RequestId> pageDue(Time now);
    void askWhoIsThere();

    void startReading();
    void dropGone(trantor::EventLoop *home);
    void take(const std::vector<RequestId> &asked, const std::vector<Found> &found);
    static drogon::AsyncTask readUnread(std::shared_ptr<WaitingRoom> self);
    static drogon::AsyncTask compare(std::shared_ptr<WaitingRoom> self, std::vector<RequestId> ids);
    // Without the mutex.
    static void resume(const Resumable &done);

    // constant after construction
    const core::StatusWaiters::Limits limits_;
    const Surroundings around_;

    std::atomic<std::size_t> asking_{0};
    std::atomic<bool> occupied_{false};

    mutable std::mutex mutex_;
    core::StatusWaiters waiters_;
    std::map<trantor::EventLoop *, std::list<Wait *>> byHome_;
    bool reading_ = false;
    bool comparing_ = false;
    bool closed_ = false;
    Time nextRead_{0};
    Time nextCompare_{0};
    Time nextAlive_{0};
    Time compareBefore_{0};  // all that was compared before this is to be compared at once
    Snapshot counts_;
};
}  // namespace relayer::plugins
