// The queue of one kind of request in front of the chain: who waits and in which order, how many
// more may come, and how many may go now.
//
// The requests themselves wait in the database; here are their tickets, as far as there is room for
// them, and a count of those that are there and not here (taken in by other instances, or before
// this start). So nothing is lost with it, and `level` puts right what it has wrong.
//
// Pure and for one caller at a time: time comes in, and when to wake whoever sends comes out.
#pragma once

#include "core/fifo_positions.h"
#include "core/token_bucket.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>

namespace relayer::core
{
class TxQueue
{
  public:
    using Ticket = FifoPositions::Ticket;
    using Time = std::chrono::nanoseconds;

    struct Limits
    {
        std::uint64_t perSecond = 20;
        std::size_t capacity = 11000;
        std::size_t softLimit = 10000;  // where new requests are turned away
    };

    enum class Place : std::uint8_t
    {
        New,        // up to the soft limit
        Returning,  // up to the capacity: was taken in before, and has been promised an answer
    };

    struct Snapshot
    {
        std::size_t waiting = 0;
        std::size_t reserved = 0;
        std::size_t capacity = 0;
        std::size_t softLimit = 0;
        std::uint64_t perSecond = 0;
        std::uint64_t tokens = 0;
        Time timeToNextToken{0};
        std::optional<Ticket> head = std::nullopt;  // as far as it is known here
    };

    TxQueue(const Limits &limits, Time now);

    // A place for a request that is about to be written. False: full.
    bool reserve(Place place);
    // It was not written after all.
    void giveUp();
    // It was written, and waits.
    void accept(Ticket ticket);

    // 0 is the next. Nothing: it is not known here.
    [[nodiscard]] std::optional<std::size_t> position(Ticket ticket) const;

    // How many may go now, up to `atMost`.
    std::size_t takeTokens(std::size_t atMost, Time now);
    // Fewer went than could have.
    void returnTokens(std::size_t tokens, Time now);
    // These do not wait any more.
    void pulled(std::span<const Ticket> tickets);
    // What the database says: the smallest ticket that waits, and how many do. To be asked for one
    // after the other: each question after the last one's answer was handed in.
    void level(std::optional<Ticket> head, std::size_t waiting);

    // False: not a rate.
    bool setRate(std::uint64_t perSecond, Time now);

    // When whoever sends has to be told that something may go; not after `now`: at once. Nothing:
    // when something happens. Each telling is followed by `told`.
    [[nodiscard]] std::optional<Time> wakeAt(Time now) const;
    void told() { owed_ = false; }

    [[nodiscard]] Snapshot snapshot(Time now) const;

  private:
    [[nodiscard]] std::size_t waiting() const { return tickets_.size() + elsewhere_; }

    const Limits limits_;
    TokenBucket bucket_;
    FifoPositions tickets_;
    std::size_t elsewhere_ = 0;  // wait in the database and are not among the tickets
    std::size_t reserved_ = 0;
    // Went before they were accepted: their row was seen in the database first.
    std::unordered_set<Ticket> early_;
    std::optional<Ticket> head_;               // of the last levelling
    std::optional<Ticket> newestAtLevelling_;  // before the question that comes next
    bool owed_ = false;                        // a wake
    bool acceptedSinceTaking_ = false;
};
}  // namespace relayer::core
