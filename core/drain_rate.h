// How fast a queue drains lately: one of its requests is watched until it goes, and how many leave
// in front of it says how fast. While nobody waits nothing is learned.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace relayer::core
{
class DrainRate
{
  public:
    using Ticket = std::int64_t;
    using Time = std::chrono::nanoseconds;

    // Whose place is to be told next.
    [[nodiscard]] std::optional<Ticket> watched() const { return watched_; }
    // Once in a second or so: how many are ahead of that one. 0: it is the next, or has gone.
    void look(Time now, std::size_t ahead);
    // Somebody waits with so many ahead; whoever stands furthest back is worth watching.
    void offer(Ticket ticket, std::size_t ahead, Time now);

    // Nothing: not enough has been seen.
    [[nodiscard]] std::optional<double> perSecond() const;

  private:
    std::optional<Ticket> watched_;
    std::size_t ahead_ = 0;
    Time since_{0};
    double gone_ = 0;  // both fade
    double seconds_ = 0;
};
}  // namespace relayer::core
