// A line of requests: who waits and in which order, and how many more may come.
//
// The requests themselves wait in the database; here are their tickets, as far as there is room for
// them, and a count of those that are there and not here (taken in by other instances, or before
// this start). So nothing is lost with it, and `level` puts right what it has wrong.
//
// Pure and for one caller at a time.
#pragma once

#include "core/fifo_positions.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>

namespace relayer::core
{
class WaitingLine
{
  public:
    using Ticket = FifoPositions::Ticket;

    struct Limits
    {
        std::size_t capacity = 11000;
        std::size_t softLimit = 10000;  // where new requests are turned away
    };

    enum class Place : std::uint8_t
    {
        New,        // up to the soft limit
        Returning,  // up to the capacity: was taken in before, and has been promised an answer
    };

    explicit WaitingLine(const Limits &limits) : limits_(limits), tickets_(limits.capacity) {}

    // A place for a request that is about to be written. False: full.
    bool reserve(Place place);
    // It was not written after all.
    void giveUp();
    // It was written, and waits. False: it is known already, or went before.
    bool accept(Ticket ticket);

    // 0 is the next. Nothing: it is not known here.
    [[nodiscard]] std::optional<std::size_t> position(Ticket ticket) const;
    // These do not wait any more.
    void pulled(std::span<const Ticket> tickets);
    // What the database says: the smallest ticket that waits, and how many do. To be asked for one
    // after the other: each question after the last one's answer was handed in.
    void level(std::optional<Ticket> head, std::size_t waiting);

    [[nodiscard]] std::size_t waiting() const { return tickets_.size() + elsewhere_; }
    [[nodiscard]] std::size_t reserved() const { return reserved_; }
    // As far as it is known here.
    [[nodiscard]] std::optional<Ticket> head() const;
    [[nodiscard]] const Limits &limits() const { return limits_; }

  private:
    const Limits limits_;
    FifoPositions tickets_;
    std::size_t elsewhere_ = 0;  // wait in the database and are not among the tickets
    std::size_t reserved_ = 0;
    // Went before they were accepted: their row was seen in the database first.
    std::unordered_set<Ticket> early_;
    std::optional<Ticket> head_;               // of the last levelling
    std::optional<Ticket> newestAtLevelling_;  // before the question that comes next
};
}  // namespace relayer::core
