// Where the next claim of a queue begins. Requests that were claimed and wait for their answers
// stand before those that are free, and a claim that begins at the first of them walks over them
// all.
//
// A row may be committed after one with a later ticket was claimed. So while claims follow each
// other closely they begin at the last ticket that was taken; once in a while, and before it is
// taken for true that nothing is free, one begins a moment behind. A row that comes below even that
// (very late, or given back) is found when the queue's head is measured.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace relayer::plugins
{
class ClaimFloor
{
  public:
    using TimePoint = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::milliseconds kBehind{100};
    static constexpr std::chrono::milliseconds kLookBackEvery{25};

    struct Start
    {
        std::int64_t after = 0;  // as RequestStore::claim takes it
        bool looksBack = false;
    };
    [[nodiscard]] Start next(TimePoint now)
    {
        if (lookBackNext_ || now - lookedBackAt_ >= kLookBackEvery)
        {
            lookBackNext_ = false;
            lookedBackAt_ = now;
            return {after_, true};
        }
        return {claimedUpTo_, false};
    }

    // What the claim from there brought. True: there may be more.
    [[nodiscard]] bool mayBeMore(const Start &start, std::size_t wanted, std::size_t got)
    {
        lookBackNext_ = lookBackNext_ || (got < wanted && !start.looksBack);
        return got == wanted || lookBackNext_;
    }

    void claimed(std::int64_t ticket, TimePoint now)
    {
        claimedUpTo_ = std::max(claimedUpTo_, ticket);
        if (now - markedAt_ >= kBehind)
        {
            after_ = std::max(after_, std::exchange(mark_, claimedUpTo_));
            markedAt_ = now;
        }
    }
    // The smallest ticket that is free, as the database says.
    void measured(std::optional<std::int64_t> head)
    {
        if (head && *head <= after_)
        {
            after_ = *head - 1;
            mark_ = after_;
            claimedUpTo_ = after_;
        }
    }

  private:
    std::int64_t after_ = 0;
    std::int64_t mark_ = 0;
    std::int64_t claimedUpTo_ = 0;
    TimePoint markedAt_;
    TimePoint lookedBackAt_;
    bool lookBackNext_ = false;
};
}  // namespace relayer::plugins
