// Counters and histograms whose labels have closed sets of values. Every cell is there from the
// start, as an atomic number in an array: counting takes no lock, allocates nothing, and nobody can
// make more cells by sending other values. Any thread, and each has numbers of its own as long as
// there are few: what two processors add to in turn goes back and forth between them.
#pragma once

#include "plugins/metrics_text.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::plugins
{
struct MetricLabel
{
    std::string_view name;
    std::vector<std::string_view> values;
};

// All combinations of the labels' values; a cell is one of them.
class LabelSpace
{
  public:
    explicit LabelSpace(std::vector<MetricLabel> labels);

    [[nodiscard]] std::size_t size() const { return size_; }
    // By the place of each value in its label's list.
    [[nodiscard]] std::size_t cell(std::initializer_list<std::size_t> places) const;
    // a="b",c="d"
    [[nodiscard]] std::string text(std::size_t cell) const;

  private:
    std::vector<MetricLabel> labels_;
    std::size_t size_ = 1;
};

// A row of numbers that are added to often and read seldom.
class StripedNumbers
{
  public:
    explicit StripedNumbers(std::size_t size);

    void add(std::size_t at, std::uint64_t count)
    {
        numbers_[stripeOfThisThread() * stride_ + at].fetch_add(count, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t operator[](std::size_t at) const;

  private:
    static constexpr std::size_t kStripes = 4;

    // In the order in which threads come.
    [[nodiscard]] static std::size_t stripeOfThisThread();

    const std::size_t stride_;  // no two stripes share a line of the cache
    std::vector<std::atomic<std::uint64_t>> numbers_;
};

// Whether cells that nothing was counted in stand in the text. Where they do, the first count of
// one is an increase to Prometheus.
enum class Zeros : std::uint8_t
{
    Hidden,
    Shown,
};

class CounterFamily
{
  public:
    CounterFamily(std::string_view name, std::string_view help, std::vector<MetricLabel> labels,
                  Zeros zeros = Zeros::Hidden);

    void add(std::initializer_list<std::size_t> places, std::uint64_t count = 1)
    {
        cells_.add(space_.cell(places), count);
    }
    void write(MetricsText &text) const;

  private:
    const std::string_view name_;
    const std::string_view help_;
    const LabelSpace space_;
    const Zeros zeros_;
    StripedNumbers cells_;
};

// The samples of one histogram. `counts`: one for each bound and one above all, not cumulative.
void writeHistogram(MetricsText &text, std::string_view name, const std::string &labels,
                    std::span<const double> bounds, std::span<const std::uint64_t> counts,
                    double sum);

// Counts only grow: what a window would forget breaks rate().
class HistogramFamily
{
  public:
    // Upper bounds in seconds, growing.
    HistogramFamily(std::string_view name, std::string_view help, std::vector<MetricLabel> labels,
                    std::vector<double> bounds);

    void observe(std::initializer_list<std::size_t> places, std::uint64_t micros);
    void write(MetricsText &text) const;

  private:
    void writeCell(MetricsText &text, std::size_t cell) const;
    // Of each cell: one number for each bound, one above all bounds, and the sum in microseconds.
    [[nodiscard]] std::size_t stride() const { return bounds_.size() + 2; }

    const std::string_view name_;
    const std::string_view help_;
    const LabelSpace space_;
    const std::vector<double> bounds_;
    std::vector<std::uint64_t> boundMicros_;  // constant after construction
    StripedNumbers numbers_;
};
}  // namespace relayer::plugins
