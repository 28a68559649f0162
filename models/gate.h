// The two problems of shutting down: let nothing new in, and know when what is inside is out.
// Every operation enters and holds its pass until it is done; after close() nobody enters, and
// waitUntilEmpty() returns once the last one has left. (After Seastar's gate.)
#pragma once

#include "models/store_error.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace relayer::models
{
class Gate
{
  public:
    class Pass
    {
      public:
        explicit Pass(Gate *gate) : gate_(gate) {}
        Pass(Pass &&other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
        Pass(const Pass &) = delete;
        Pass &operator=(const Pass &) = delete;
        Pass &operator=(Pass &&) = delete;
        ~Pass()
        {
            if (gate_ != nullptr)
            {
                gate_->leave();
            }
        }

      private:
        Gate *gate_;
    };

    // Throws StoreError::Closed once the gate is closed.
    [[nodiscard]] Pass enter()
    {
        const std::lock_guard lock(mutex_);
        if (closed_)
        {
            throw StoreError(StoreError::Code::Closed, "the store is closing");
        }
        ++inside_;
        return Pass(this);
    }

    void close()
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }

    [[nodiscard]] bool closed() const
    {
        const std::lock_guard lock(mutex_);
        return closed_;
    }

    // False when somebody was still inside at the deadline.
    [[nodiscard]] bool waitUntilEmpty(std::chrono::milliseconds atMost)
    {
        std::unique_lock lock(mutex_);
        return empty_.wait_for(lock, atMost, [this] { return inside_ == 0; });
    }

  private:
    void leave()
    {
        const std::lock_guard lock(mutex_);
        if (--inside_ == 0)
        {
            empty_.notify_all();
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable empty_;
    std::size_t inside_ = 0;
    bool closed_ = false;
};
}  // namespace relayer::models
