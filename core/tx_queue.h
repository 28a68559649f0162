// The queue of one kind of request in front of the chain: a line, and how many of it may go now.
//
// Pure and for one caller at a time: time comes in, and when to wake whoever sends comes out.
#pragma once

#include "core/token_bucket.h"
#include "core/waiting_line.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace relayer::core
{
class TxQueue
{
  public:
    using Ticket = WaitingLine::Ticket;
    using Place = WaitingLine::Place;
    using Time = std::chrono::nanoseconds;

    struct Limits
    {
        std::uint64_t perSecond = 20;
        std::size_t capacity = 11000;
        std::size_t softLimit = 10000;  // where new requests are turned away
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
    bool reserve(Place place) { return line_.reserve(place); }
    // It was not written after all.
    void giveUp() { line_.giveUp(); }
    // It was written, and waits.
    void accept(Ticket ticket);

    // 0 is the next. Nothing: it is not known here.
    [[nodiscard]] std::optional<std::size_t> position(Ticket ticket) const
    {
        return line_.position(ticket);
    }

    // Of any request that waits, wherever it came in.
    using Spot = WaitingLine::Spot;
    [[nodiscard]] Spot spot(Ticket ticket) const { return line_.spot(ticket); }
    [[nodiscard]] std::size_t waiting() const { return line_.waiting(); }
    [[nodiscard]] std::uint64_t perSecond() const { return bucket_.perSecond(); }

    // How many may go now, up to `atMost`.
    std::size_t takeTokens(std::size_t atMost, Time now);
    // Fewer went than could have.
    void returnTokens(std::size_t tokens, Time now);
    // These do not wait any more.
    void pulled(std::span<const Ticket> tickets) { line_.pulled(tickets); }
    // What the database says: the smallest ticket that waits, and how many do. To be asked for one
    // after the other: each question after the last one's answer was handed in.
    void level(std::optional<Ticket> head, std::size_t waiting);

    // Which ones wait, when it says that it wants to know (WaitingLine::list).
    void list(std::span<const Ticket> tickets) { line_.list(tickets); }
    [[nodiscard]] bool wantsList() const { return line_.wantsList(); }

    // False: not a rate.
    bool setRate(std::uint64_t perSecond, Time now);
    // So many send from this queue, each from a line of its own to the chain.
    void setSharers(std::uint64_t sharers, Time now) { bucket_.setSharers(sharers, now); }

    // When whoever sends has to be told that something may go; not after `now`: at once. Nothing:
    // when something happens. Each telling is followed by `told`.
    [[nodiscard]] std::optional<Time> wakeAt(Time now) const;
    void told() { owed_ = false; }

    [[nodiscard]] Snapshot snapshot(Time now) const;

  private:
    WaitingLine line_;
    TokenBucket bucket_;
    bool owed_ = false;  // a wake
    bool acceptedSinceTaking_ = false;
};
}  // namespace relayer::core
