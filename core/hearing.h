// Whether the gateway chain is being heard, so that no answer means that there is none.
//
// Whoever comes back after an hour finds requests that have waited for longer than their time, and
// their answers on the chain, unread. A deadline must not be faster than the reading. That hour may
// have been a node's, or our own: a process that stood still, a database that was away.
#pragma once

#include <algorithm>
#include <chrono>

namespace relayer::core
{
class Hearing
{
  public:
    using Time = std::chrono::nanoseconds;  // since whenever

    struct Patience
    {
        Time silence{0};   // between two readings, before it counts as deaf
        Time settling{0};  // from hearing again until what was heard has been acted upon
        Time deafness{0};  // after which requests are not kept waiting for it
        Time absence{0};   // between two questions, after which nothing counts that was before
    };

    explicit Hearing(Patience patience) : patience_(patience) {}

    // The chain has been read to its head.
    void heard(Time now)
    {
        if (now - last_ > patience_.silence)
        {
            since_ = now;
        }
        last_ = now;
    }

    // It is being read, and there is more of it.
    void hearing(Time now) { deafSince_ = std::max(deafSince_, now); }

    // Asked again and again by who ends requests.
    [[nodiscard]] bool silenceMeansNoAnswer(Time now)
    {
        if (now - asked_ > patience_.absence)
        {
            since_ = now;
            deafSince_ = now;
        }
        asked_ = now;
        const bool hears = now - last_ <= patience_.silence && last_ - since_ >= patience_.settling;
        if (hears)
        {
            deafSince_ = now;
        }
        return hears || now - deafSince_ >= patience_.deafness;
    }

  private:
    static constexpr Time kNever = Time::min() / 2;  // longer ago than anybody is patient

    Patience patience_;
    Time last_ = kNever;
    Time asked_ = kNever;
    Time since_{0};      // heard without a break, by one who was there
    Time deafSince_{0};  // it can not be known since when all was heard and acted upon
};
}  // namespace relayer::core
