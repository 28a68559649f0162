// How many of something there are just now, while each holds one of these. The count may be dropped
// before the last of them is. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace relayer::plugins
{
using Count = std::shared_ptr<std::atomic<std::size_t>>;

[[nodiscard]] inline Count newCount()
{
    return std::make_shared<std::atomic<std::size_t>>(0);
}

class Counted
{
  public:
    // Counts one more.
    explicit Counted(Count count) : count_(std::move(count)) { count_->fetch_add(1); }
    Counted(Counted &&other) noexcept = default;
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    Counted &operator=(Counted &&) = delete;
    ~Counted()
    {
        if (count_)
        {
            count_->fetch_sub(1);
        }
    }

  private:
    Count count_;
};
}  // namespace relayer::plugins
