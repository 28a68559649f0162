// What the holder of a lane believes of its lease. The database decides who holds it
// (models/lane_store.h); this says when to ask, and when not to believe it any more.
//
// Pure and for one caller at a time: time comes in, since any fixed moment.
#pragma once

#include <chrono>
#include <cstdint>

namespace relayer::core
{
class LaneLease
{
  public:
    using Time = std::chrono::nanoseconds;

    explicit LaneLease(Time length) : length_(length) {}

    enum class Due : std::uint8_t
    {
        Nothing,
        RunOut,   // somebody else may hold it by now
        Acquire,  // to be taken, or read again
        Renew,
    };
    [[nodiscard]] Due due(Time now) const;

    // About to be acquired: not again at once, should it fail.
    void acquiring(Time now);
    // Taken or renewed by a statement that was sent at `asked`.
    void taken(Time asked);
    void renewed(Time asked);
    void notRenewed(Time now);
    // Somebody else has it. False: that was known.
    bool lost(Time now);
    // A commit may or may not have happened, so the nonces have to be read again.
    void doubt(Time now);

    [[nodiscard]] bool held() const { return state_ == State::Held; }
    [[nodiscard]] bool inDoubt() const { return state_ == State::InDoubt; }

  private:
    enum class State : std::uint8_t
    {
        Free,     // somebody else's, or nobody's
        Held,     // ours, and what it has open is known
        InDoubt,  // ours, but a commit may or may not have happened
    };

    const Time length_;
    State state_ = State::Free;
    Time askAt_{Time::min()};
    Time heldUntil_{0};
};
}  // namespace relayer::core
