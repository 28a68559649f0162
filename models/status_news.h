// Says which requests have changed their status, once that is committed. Only a hint: who listens
// reads the row, which is the truth; a change that somebody else's statement made, or one whose
// commit was in doubt, is not told here.
//
// Shared by the stores of one instance. Any thread; the listener is called on the thread that
// learned of the commit, and must not block it.
#pragma once

#include "models/request_types.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace relayer::models
{
class StatusNews
{
  public:
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

  private:
    using ListenerPtr = std::shared_ptr<const Listener>;
    mutable std::mutex mutex_;
    ListenerPtr listener_;
};

using StatusNewsPtr = std::shared_ptr<const StatusNews>;

// For stores that may have nobody to tell.
inline void tell(const StatusNewsPtr &news, std::span<const RequestId> ids)
{
    if (news)
    {
        news->tell(ids);
    }
}
}  // namespace relayer::models
