// A value that one thread replaces now and then, and all others read: who reads holds what it found
// until it is done with it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace relayer::plugins
{
template <typename Value>
class Published
{
  public:
    // Null: nothing has been stored yet.
    [[nodiscard]] std::shared_ptr<const Value> load() const
    {
        const std::lock_guard lock(mutex_);
        return value_;
    }
    void store(Value value)
    {
        auto next = std::make_shared<const Value>(std::move(value));
        const std::lock_guard lock(mutex_);
        value_.swap(next);
    }

  private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Value> value_;
};
}  // namespace relayer::plugins
