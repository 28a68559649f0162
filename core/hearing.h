// Whether the gateway chain is being heard, so that no answer means that there is none.
//
// Whoever comes back after an hour finds requests that have waited for longer than their time, and
// their answers on the chain, unread. A deadline must not be faster than the reading.
#pragma once

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
    };

    Hearing(Patience patience, Time start) : patience_(patience), settled_(start) {}

    // The chain has been read to its head.
    void heard(Time now)
    {
        if (!any_ || now - last_ > patience_.silence)
        {
            since_ = now;
        }
        any_ = true;
        last_ = now;
        if (now - since_ >= patience_.settling)
        {
            settled_ = now;
        }
    }

    [[nodiscard]] bool silenceMeansNoAnswer(Time now) const
    {
        const bool hears =
            any_ && now - last_ <= patience_.silence && last_ - since_ >= patience_.settling;
        return hears || now - settled_ >= patience_.deafness;
    }

  private:
    Patience patience_;
    bool any_ = false;
    Time last_{0};
    Time since_{0};  // heard without a break
    Time settled_;   // when it was last known that all had been heard and acted upon
};
}  // namespace relayer::core
