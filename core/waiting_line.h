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
#include <vector>

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

    // 0 is the next. Nothing: it did not come in here.
    [[nodiscard]] std::optional<std::size_t> position(Ticket ticket) const;
    // Of any request that waits, wherever it came in.
    struct Spot
    {
        std::size_t ahead = 0;
        bool known = false;  // that it waits; else it has just come in elsewhere, or went
    };
    [[nodiscard]] Spot spot(Ticket ticket) const;
    // These do not wait any more.
    void pulled(std::span<const Ticket> tickets);
    // What the database says: the smallest ticket that waits, and how many do. To be asked for one
    // after the other: each question after the last one's answer was handed in.
    void level(std::optional<Ticket> head, std::size_t waiting);

    // Which ones wait in the database, in order, up to the capacity. To be asked after `level`,
    // when there are any that did not come in here and are not about to be accepted.
    void list(std::span<const Ticket> tickets);
    [[nodiscard]] bool wantsList() const { return elsewhere_ > reserved_; }

    [[nodiscard]] std::size_t waiting() const { return tickets_.size() + elsewhere_; }
    [[nodiscard]] std::size_t reserved() const { return reserved_; }
    // As far as it is known here.
    [[nodiscard]] std::optional<Ticket> head() const;
    [[nodiscard]] const Limits &limits() const { return limits_; }

  private:
    bool unlist(Ticket ticket);

    const Limits limits_;
    FifoPositions tickets_;
    std::size_t elsewhere_ = 0;  // wait in the database and are not among the tickets
    // Those of them that were listed, in order.
    std::vector<Ticket> listed_;
    std::size_t reserved_ = 0;
    // Went before they were accepted: their row was seen in the database first.
    std::unordered_set<Ticket> early_;
    std::optional<Ticket> head_;               // of the last levelling
    std::optional<Ticket> newestAtLevelling_;  // before the question that comes next
};
}  // namespace relayer::core
