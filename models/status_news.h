// Says which requests have changed their status, once that is committed. Only a hint: who listens
// reads the row, which is the truth; a change that somebody else's statement made, or one whose
// commit was in doubt, is not told here.
//
// Shared by the stores of one instance. Any thread; the listener and the watch are called on the
// thread that learned of the commit, and must not block it.
#pragma once

#include "models/request_types.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace relayer::models
{
// A request that has another status now. The times are those of the database's clock.
struct Move
{
    RequestId id = 0;
    core::JobId jobId;
    core::Kind kind = core::Kind::InputProof;
    core::Status from = core::Status::Queued;
    core::Status to = core::Status::Queued;
    std::chrono::milliseconds inStatus{0};  // in the one it had before
    std::chrono::milliseconds age{0};       // since it was taken in
    std::optional<core::FailureCode> failure = std::nullopt;
};

// A request that we took out of its queue, to work on it.
struct Claim
{
    RequestId id = 0;
    core::JobId jobId;
    core::Kind kind = core::Kind::InputProof;
    core::Status status = core::Status::Queued;
    std::chrono::milliseconds waited{0};
};

// Counts and logs what happens to requests.
class RequestWatch
{
  public:
    virtual ~RequestWatch() = default;
    virtual void moved(const Move &move) = 0;
    virtual void claimed(const Claim &claim) = 0;
};

class StatusNews
{
  public:
    // The watch is constant: it is there before anything happens.
    explicit StatusNews(std::shared_ptr<RequestWatch> watch = nullptr) : watch_(std::move(watch)) {}

    using Listener = std::function<void(std::span<const RequestId>)>;

    // In place of whoever listened; an empty one ends it. A call that has begun may still be
    // running.
    void listen(Listener listener)
    {
        auto shared =
            listener ? std::make_shared<const Listener>(std::move(listener)) : ListenerPtr();
        const std::lock_guard lock(mutex_);
        listener_.swap(shared);
    }

    void tell(std::span<const RequestId> ids) const
    {
        ListenerPtr listener;
        {
            const std::lock_guard lock(mutex_);
            listener = listener_;
        }
        if (listener && !ids.empty())
        {
            (*listener)(ids);
        }
    }
    void tell(std::span<const Move> moves) const
    {
        std::vector<RequestId> ids;
        ids.reserve(moves.size());
        for (const Move &move : moves)
        {
            ids.push_back(move.id);
            if (watch_)
            {
                watch_->moved(move);
            }
        }
        tell(ids);
    }
    void claimed(const Claim &claim) const
    {
        if (watch_)
        {
            watch_->claimed(claim);
        }
    }

  private:
    const std::shared_ptr<RequestWatch> watch_;
    using ListenerPtr = std::shared_ptr<const Listener>;
    mutable std::mutex mutex_;
    ListenerPtr listener_;
};

using StatusNewsPtr = std::shared_ptr<const StatusNews>;

// For stores that may have nobody to tell.
inline void tell(const StatusNewsPtr &news, std::span<const Move> moves)
{
    if (news)
    {
        news->tell(moves);
    }
}
}  // namespace relayer::models
