// Whether an endpoint is asked now: after some failures in a row it is left alone for a while, then
// one call tries it. Time comes in as an argument. Of one loop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace relayer::chain::rpc
{
class EndpointHealth
{
  public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::size_t kFailuresAllowed = 3;
    static constexpr std::chrono::milliseconds kFirstPause{500};
    static constexpr std::chrono::milliseconds kLongestPause{15'000};

    [[nodiscard]] bool healthy() const { return failures_ < kFailuresAllowed; }

    // A call may go there. One that is out takes a single probe when its pause is over; whoever is
    // let through has to report back.
    [[nodiscard]] bool admits(Clock::time_point now) const
    {
        return healthy() || (now >= outUntil_ && !probing_);
    }
    void started() { probing_ = !healthy(); }

    void succeeded()
    {
        failures_ = 0;
        pause_ = kFirstPause;
        probing_ = false;
    }

    void failed(Clock::time_point now)
    {
        ++failures_;
        if (healthy())
        {
            return;
        }
        // Calls that were on their way when it went out fail too; they make the pause no longer.
        if (failures_ == kFailuresAllowed || probing_)
        {
            outUntil_ = now + pause_;
            pause_ = std::min(pause_ * 2, kLongestPause);
        }
        probing_ = false;
    }

    // Neither: a transaction that waits for its block says nothing about the node.
    void inconclusive() { probing_ = false; }

    [[nodiscard]] Clock::time_point outUntil() const { return outUntil_; }
    [[nodiscard]] std::size_t failuresInARow() const { return failures_; }

  private:
    std::size_t failures_ = 0;
    std::chrono::milliseconds pause_ = kFirstPause;
    Clock::time_point outUntil_;
    bool probing_ = false;
};
}  // namespace relayer::chain::rpc
