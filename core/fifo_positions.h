// The tickets that wait in a queue, and how many are before each: exact, whatever the order in
// which tickets come and go.
//
// A sorted list of sorted runs with a Fenwick tree over their lengths. Asking, adding and taking
// away touch one run and a few small arrays, so they cost nearly the same for ten tickets as for a
// million (bench/bench_queue.cc), where a tree of nodes goes through memory once for each level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::core
{
class FifoPositions
{
  public:
    using Ticket = std::int64_t;

    explicit FifoPositions(std::size_t capacity) : capacity_(capacity) {}

    // False: it is there already, or there is no room.
    bool insert(Ticket ticket);
    bool erase(Ticket ticket);
    // All smaller ones. How many there were.
    std::size_t eraseBelow(Ticket ticket);

    // 0 is the next. Nothing: it is not here.
    [[nodiscard]] std::optional<std::size_t> position(Ticket ticket) const;
    // How many smaller ones there are, whether or not it is here.
    [[nodiscard]] std::size_t smaller(Ticket ticket) const;
    [[nodiscard]] bool contains(Ticket ticket) const { return position(ticket).has_value(); }
    [[nodiscard]] std::optional<Ticket> first() const;
    [[nodiscard]] std::optional<Ticket> last() const;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    // How many runs there are: what memory is bounded by.
    [[nodiscard]] std::size_t runs() const { return runs_.size(); }

    static constexpr std::size_t kLongestRun = 512;

  private:
    using Run = std::vector<Ticket>;

    // Where the ticket is or would be.
    [[nodiscard]] std::size_t runOf(Ticket ticket) const;
    [[nodiscard]] std::size_t before(std::size_t run) const;
    void count(std::size_t run, std::ptrdiff_t change);
    void countAnew();
    void addRun(std::size_t at, Run run);
    void split(std::size_t run);
    void tidyUp(std::size_t run);

    std::size_t capacity_;
    std::size_t size_ = 0;
    std::vector<Run> runs_;          // in order, none empty, none longer than the longest
    std::vector<Ticket> firsts_;     // of each run; apart, so that the search stays in few lines
    std::vector<std::size_t> tree_;  // Fenwick, over the lengths of the runs
};
}  // namespace relayer::core
