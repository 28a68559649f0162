// Many callers, few commits. Whoever comes first writes for all who wait by then (LevelDB's write
// queue); there is no timer, so a lone caller is not held up, and under load batches grow by
// themselves to what has gathered while the last commit was on its way to the disk.
//
//     GroupCommit<NewRequest, Admission>  queue(limits, writer);
//     Admission mine = co_await queue.submit(request);     // from any thread
//
// Each caller gets its own outcome, or the error of its own item: when a batch is refused it is
// written again in halves until only the culprit fails (items that can be written twice only, see
// GroupItem). A caller that has an event loop is resumed on it; one without is resumed on the
// database's loop.
//
// Threads: one mutex guards the queue and is never held across a statement or a resume. Nothing
// here survives the process; a caller has its outcome only after the commit.
#pragma once

#include "models/calls_into_loops.h"
#include "models/group_commit_stats.h"
#include "models/running_loop.h"
#include "models/store_error.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace relayer::models
{
struct GroupLimits
{
    std::size_t maxBatchRows = 512;
    std::size_t maxBatchBytes = 4UL * 1024 * 1024;
    std::size_t maxWaiting = 20000;  // more callers than this are refused at once
    std::size_t inFlight = 2;        // statements on their way at the same time
};

// What the queue must know of an item. Specialise for each item type:
//   static std::size_t bytes(const Item &)        its weight in a batch
//   static std::optional<std::uint64_t> alone(const Item &)
//                                                 two items with one key never share a batch (one
//                                                 statement can not update a row twice)
//   static constexpr bool kRepeatable             writing it a second time does no harm and tells
//   the truth
template <typename Item>
struct GroupItem;

template <typename Item, typename Outcome>
class GroupCommit : public std::enable_shared_from_this<GroupCommit<Item, Outcome>>
{
  public:
    // The items stay with their callers, who are suspended until the batch is done.
    using Batch = std::vector<const Item *>;
    // Writes a batch in one statement; outcomes in the order of the items. Throws StoreError.
    using Writer =
        std::function<drogon::Task<std::vector<Outcome>>(std::shared_ptr<const Batch> batch)>;

    static std::shared_ptr<GroupCommit> create(GroupLimits limits, Writer writer)
    {
        return std::shared_ptr<GroupCommit>(new GroupCommit(limits, std::move(writer)));
    }

    class Submission
    {
      public:
        Submission(std::shared_ptr<GroupCommit> queue, Item item)
            : queue_(std::move(queue)), item_(std::move(item))
        {}

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> caller) { return queue_->enter(*this, caller); }
        Outcome await_resume()
        {
            if (error_)
            {
                std::rethrow_exception(error_);
            }
            return std::move(*outcome_);
        }

      private:
        friend class GroupCommit;
        std::shared_ptr<GroupCommit> queue_;
        Item item_;
        std::optional<Outcome> outcome_;
        std::exception_ptr error_;
        std::coroutine_handle<> caller_;
        trantor::EventLoop *home_ = nullptr;
        std::chrono::steady_clock::time_point since_;
    };

    [[nodiscard]] Submission submit(Item item)
    {
        return Submission(this->shared_from_this(), std::move(item));
    }

    // Refuses new callers and those that wait; statements on their way still end as they end.
    void close()
    {
        std::vector<Submission *> waiting;
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
            waiting.assign(waiting_.begin(), waiting_.end());
            waiting_.clear();
        }
        for (Submission *submission : waiting)
        {
            submission->error_ = error(StoreError::Code::Closed, "the store is closing");
        }
        resume(std::move(waiting));
    }

    [[nodiscard]] GroupCommitStats::Snapshot stats() const { return stats_.snapshot(); }

  private:
    GroupCommit(GroupLimits limits, Writer writer) : limits_(limits), writer_(std::move(writer)) {}

    static std::exception_ptr error(StoreError::Code code, const char *what)
    {
        return std::make_exception_ptr(StoreError(code, what));
    }

    // False: the caller is not suspended, its error is set.
    bool enter(Submission &submission, std::coroutine_handle<> caller)
    {
        // After the lock is released another leader may resume the caller, and the submission is
        // gone.
        const auto self = this->shared_from_this();
        {
            const std::lock_guard lock(mutex_);
            if (closed_ || waiting_.size() >= limits_.maxWaiting)
            {
                submission.error_ = closed_
                                        ? error(StoreError::Code::Closed, "the store is closing")
                                        : error(StoreError::Code::Overloaded,
                                                "too many callers wait for the database");
                return false;
            }
            submission.caller_ = caller;
            submission.home_ = runningLoopOfThisThread();
            submission.since_ = std::chrono::steady_clock::now();
            waiting_.push_back(&submission);
            if (leaders_ >= limits_.inFlight)
            {
                return true;
            }
            ++leaders_;
        }
        lead(self);
        return true;
    }

    // Writes batch after batch until nobody waits.
    static drogon::AsyncTask lead(std::shared_ptr<GroupCommit> self)
    {
        for (;;)
        {
            std::vector<Submission *> batch = self->takeBatch();
            if (batch.empty())
            {
                co_return;
            }
            co_await self->write(batch, kTries);
            for (const Submission *submission : batch)
            {
                self->stats_.recordWait(std::chrono::steady_clock::now() - submission->since_);
            }
            resume(std::move(batch));
        }
    }

    // As many as fit, oldest first. An empty batch ends the leadership, under the same lock, so
    // that a caller either is in a batch or finds a free leadership.
    std::vector<Submission *> takeBatch()
    {
        const std::lock_guard lock(mutex_);
        std::vector<Submission *> batch;
        std::unordered_set<std::uint64_t> alone;
        std::size_t bytes = 0;
        std::size_t kept = 0;
        std::size_t at = 0;
        for (; at < waiting_.size() && batch.size() < limits_.maxBatchRows; ++at)
        {
            Submission *submission = waiting_[at];
            const std::size_t weight = GroupItem<Item>::bytes(submission->item_);
            if (!batch.empty() && bytes + weight > limits_.maxBatchBytes)
            {
                break;
            }
            const auto key = GroupItem<Item>::alone(submission->item_);
            if (key && !alone.insert(*key).second)
            {
                waiting_[kept++] = submission;
                continue;
            }
            bytes += weight;
            batch.push_back(submission);
        }
        // What was passed over moves up against what was not reached.
        std::move_backward(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(kept),
                           waiting_.begin() + static_cast<std::ptrdiff_t>(at));
        waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(at - kept));
        if (batch.empty())
        {
            --leaders_;
        }
        return batch;
    }

    drogon::Task<> write(std::vector<Submission *> batch, int tries)
    {
        auto items = std::make_shared<Batch>();
        items->reserve(batch.size());
        for (Submission *submission : batch)
        {
            items->push_back(&submission->item_);
        }

        std::exception_ptr failure;
        bool refused = false;
        try
        {
            stats_.recordBatch(batch.size());
            std::vector<Outcome> outcomes = co_await writer_(items);
            if (outcomes.size() != batch.size())
            {
                throw StoreError(StoreError::Code::Refused, "a batch came back incomplete");
            }
            for (std::size_t i = 0; i < batch.size(); ++i)
            {
                batch[i]->outcome_ = std::move(outcomes[i]);
            }
        }
        catch (const StoreError &e)
        {
            refused = e.code() == StoreError::Code::Refused;
            failure = std::current_exception();
        }
        catch (...)
        {
            failure = std::current_exception();
        }
        if (!failure)
        {
            co_return;
        }
        if (GroupItem<Item>::kRepeatable && refused && batch.size() > 1)
        {
            const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
            co_await write(std::vector<Submission *>(batch.begin(), middle), tries);
            co_await write(std::vector<Submission *>(middle, batch.end()), tries);
            co_return;
        }
        if (GroupItem<Item>::kRepeatable && refused && tries > 1)
        {
            co_await write(std::move(batch), tries - 1);
            co_return;
        }
        for (Submission *submission : batch)
        {
            submission->error_ = failure;
        }
    }

    // One wake-up for each loop, not one for each caller.
    static void resume(std::vector<Submission *> done)
    {
        std::map<trantor::EventLoop *, std::vector<std::coroutine_handle<>>> byHome;
        for (const Submission *submission : done)
        {
            byHome[submission->home_].push_back(submission->caller_);
        }
        for (auto &[home, callers] : byHome)
        {
            if (home != nullptr && !home->isInLoopThread())
            {
                CallsIntoLoops::call(home, [resumable = std::move(callers)] {
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

    // A connection that breaks under a statement looks like a refusal while others are still up, so
    // a refusal of one item counts only the second time.
    static constexpr int kTries = 2;

    // constant after construction
    const GroupLimits limits_;
    const Writer writer_;

    GroupCommitStats stats_;

    mutable std::mutex mutex_;
    std::deque<Submission *> waiting_;
    std::size_t leaders_ = 0;
    bool closed_ = false;
};
}  // namespace relayer::models
