// Things to do at a time, for many of them at once: adding costs the same however many wait, and
// what falls into the same tick comes out together, so that it can share a call.
//
// A ring of slots, one for each tick; what is due in a later round of the ring stays in its slot
// until then. Nothing comes early, and nothing later than the end of its tick. Bounded. Pure and
// for one caller at a time: time comes in, since any fixed moment.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace relayer::core
{
template <typename Item>
class TimerWheel
{
  public:
    using Time = std::chrono::nanoseconds;

    struct Limits
    {
        Time tick{std::chrono::milliseconds(10)};
        std::size_t slots = 512;
        std::size_t capacity = 100'000;
    };

    TimerWheel(const Limits &limits, Time now)
        : limits_(limits), ring_(limits.slots), done_(now / limits.tick)
    {}

    // False: there is no room.
    [[nodiscard]] bool add(Time due, Item item)
    {
        if (size_ >= limits_.capacity)
        {
            return false;
        }
        // Rounded up, and never into a tick that has been taken out already.
        const std::int64_t tick =
            std::max((due + limits_.tick - Time(1)) / limits_.tick, done_ + 1);
        slotOf(tick).push_back({tick, std::move(item)});
        ++size_;
        return true;
    }

    // All that is due, in the order of its ticks, and within one as it was added.
    [[nodiscard]] std::vector<Item> takeDue(Time now)
    {
        const std::int64_t last = now / limits_.tick;
        std::vector<Item> due;
        const auto ring = static_cast<std::int64_t>(ring_.size());
        if (last - done_ > ring)
        {
            takeAllRounds(last, due);
        }
        for (std::int64_t tick = done_ + 1; tick <= last && last - done_ <= ring; ++tick)
        {
            takeTick(tick, due);
        }
        done_ = std::max(done_, last);
        return due;
    }

    // When to look again: something is due then, or in a later round. Nothing: nothing waits.
    [[nodiscard]] std::optional<Time> nextLook() const
    {
        const auto ring = static_cast<std::int64_t>(ring_.size());
        for (std::int64_t tick = done_ + 1; size_ > 0 && tick <= done_ + ring; ++tick)
        {
            if (!ring_[placeOf(tick)].empty())
            {
                return tick * limits_.tick;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    void clear()
    {
        std::ranges::for_each(ring_, [](Slot &slot) { slot.clear(); });
        size_ = 0;
    }

  private:
    struct Entry
    {
        std::int64_t tick;
        Item item;
    };
    using Slot = std::vector<Entry>;

    [[nodiscard]] std::size_t placeOf(std::int64_t tick) const
    {
        return static_cast<std::size_t>(tick) % ring_.size();
    }
    Slot &slotOf(std::int64_t tick) { return ring_[placeOf(tick)]; }

    // Keeps the order of what it moves and of what it leaves.
    void takeUpTo(std::int64_t tick, Slot &slot, Slot &taken)
    {
        Slot later;
        for (Entry &entry : slot)
        {
            (entry.tick <= tick ? taken : later).push_back(std::move(entry));
        }
        slot = std::move(later);
    }

    void takeTick(std::int64_t tick, std::vector<Item> &due)
    {
        Slot taken;
        takeUpTo(tick, slotOf(tick), taken);
        size_ -= taken.size();
        std::ranges::for_each(taken, [&](Entry &entry) { due.push_back(std::move(entry.item)); });
    }

    // Time has jumped over the whole ring, as after a suspend: every slot is looked at once.
    void takeAllRounds(std::int64_t last, std::vector<Item> &due)
    {
        Slot taken;
        std::ranges::for_each(ring_, [&](Slot &slot) { takeUpTo(last, slot, taken); });
        size_ -= taken.size();
        std::map<std::int64_t, std::vector<Item>> byTick;
        for (Entry &entry : taken)
        {
            byTick[entry.tick].push_back(std::move(entry.item));
        }
        for (auto &[tick, items] : byTick)
        {
            std::ranges::move(items, std::back_inserter(due));
        }
    }

    const Limits limits_;
    std::vector<Slot> ring_;
    std::int64_t done_;  // the last tick that was taken out
    std::size_t size_ = 0;
};
}  // namespace relayer::core
