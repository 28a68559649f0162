// The queues of all kinds before the chain, for many threads: one mutex, held for well under a
// microsecond, around what core/tx_queue.h knows, and a timer for the moment when a token is there.
//
// Time and timers come from outside, so that a test can be the clock. Shared with every place that
// is reserved, so a place may outlive the plugin.
#pragma once

#include "core/lifecycle.h"
#include "core/tx_queue.h"
#include "plugins/queue_slot.h"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace relayer::plugins
{
class TxQueues : public std::enable_shared_from_this<TxQueues>
{
  public:
    using Time = core::TxQueue::Time;
    using Limits = std::array<core::TxQueue::Limits, core::kKinds>;
    using Wake = std::function<void(core::Kind)>;

    struct Clock
    {
        std::function<Time()> now;
        // Calls once after the delay, never from within this call. After a delay of zero: soon.
        std::function<void(Time delay, std::function<void()>)> after;
    };

    using Slot = QueueSlot<TxQueues>;

    TxQueues(const Limits &limits, Clock clock);

    std::optional<Slot> reserve(core::Kind kind, core::TxQueue::Place place);
    void accept(Slot slot, std::int64_t ticket);
    [[nodiscard]] std::optional<std::size_t> position(core::Kind kind, std::int64_t ticket) const;
    // What an estimate needs to know of a request that waits, wherever it came in.
    struct Outlook
    {
        std::size_t ahead = 0;  // of it
        std::size_t waiting = 0;
        std::uint64_t perSecond = 0;
    };
    [[nodiscard]] Outlook outlook(core::Kind kind, std::int64_t ticket) const;
    [[nodiscard]] core::TxQueue::Snapshot snapshot(core::Kind kind) const;
    bool setRate(core::Kind kind, std::uint64_t perSecond);
    void setSharers(std::uint64_t sharers);

    void onWork(Wake wake);
    std::size_t takeTokens(core::Kind kind, std::size_t atMost);
    void returnTokens(core::Kind kind, std::size_t tokens);
    void pulled(core::Kind kind, std::span<const std::int64_t> tickets);
    void level(core::Kind kind, std::optional<std::int64_t> head, std::size_t waiting);
    [[nodiscard]] bool wantsList(core::Kind kind) const;
    void list(core::Kind kind, std::span<const std::int64_t> tickets);

    // From now on nothing goes any more and nobody is woken; places may still be reserved and
    // accepted, since those rows wait for another instance.
    void stop();

  private:
    friend Slot;
    struct Queue
    {
        core::TxQueue queue;
        std::optional<Time> armed;  // when the timer goes that counts
        std::uint64_t timer = 0;    // which one that is
    };

    Queue &of(core::Kind kind) { return queues_.at(static_cast<std::size_t>(kind)); }
    const Queue &of(core::Kind kind) const { return queues_.at(static_cast<std::size_t>(kind)); }
    void giveUp(core::Kind kind);
    // With the mutex held.
    void arm(core::Kind kind);
    void ring(core::Kind kind, std::uint64_t timer);

    const Clock clock_;
    mutable std::mutex mutex_;
    std::array<Queue, core::kKinds> queues_;
    std::shared_ptr<const Wake> wake_;
    bool stopped_ = false;
};
}  // namespace relayer::plugins
