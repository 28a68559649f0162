#include "plugins/metric_families.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace relayer::plugins
{
namespace
{
constexpr double kMicrosPerSecond = 1e6;
constexpr std::size_t kNumbersInALine = 8;
}  // namespace

StripedNumbers::StripedNumbers(std::size_t size)
    : stride_((size / kNumbersInALine + 2) * kNumbersInALine), numbers_(kStripes * stride_)
{}

std::size_t StripedNumbers::stripeOfThisThread()
{
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t stripe = threads++ % kStripes;
    return stripe;
}

std::uint64_t StripedNumbers::operator[](std::size_t at) const
{
    std::uint64_t sum = 0;
    for (std::size_t stripe = 0; stripe < kStripes; ++stripe)
    {
        sum += numbers_[stripe * stride_ + at].load(std::memory_order_relaxed);
    }
    return sum;
}

LabelSpace::LabelSpace(std::vector<MetricLabel> labels) : labels_(std::move(labels))
{
    for (const MetricLabel &label : labels_)
    {
        size_ *= label.values.size();
    }
}

std::size_t LabelSpace::cell(std::initializer_list<std::size_t> places) const
{
    assert(places.size() == labels_.size());
    std::size_t cell = 0;
    auto label = labels_.begin();
    for (const std::size_t place : places)
    {
        assert(place < label->values.size());
        cell = cell * label->values.size() + place;
        ++label;
    }
    return cell;
}

std::string LabelSpace::text(std::size_t cell) const
{
    std::vector<std::size_t> places(labels_.size());
    for (std::size_t i = labels_.size(); i-- > 0;)
    {
        places[i] = cell % labels_[i].values.size();
        cell /= labels_[i].values.size();
    }
    std::string text;
    for (std::size_t i = 0; i < labels_.size(); ++i)
    {
        MetricsText::appendLabel(text, labels_[i].name, labels_[i].values[places[i]]);
    }
    return text;
}

CounterFamily::CounterFamily(std::string_view name, std::string_view help,
                             std::vector<MetricLabel> labels, Zeros zeros)
    : name_(name), help_(help), space_(std::move(labels)), zeros_(zeros), cells_(space_.size())
{}

void CounterFamily::write(MetricsText &text) const
{
    text.family(name_, "counter", help_);
    for (std::size_t cell = 0; cell < space_.size(); ++cell)
    {
        const auto count = cells_[cell];
        if (count != 0 || zeros_ == Zeros::Shown)
        {
            text.raw(name_, space_.text(cell), std::to_string(count));
        }
    }
}

HistogramFamily::HistogramFamily(std::string_view name, std::string_view help,
                                 std::vector<MetricLabel> labels, std::vector<double> bounds)
    : name_(name),
      help_(help),
      space_(std::move(labels)),
      bounds_(std::move(bounds)),
      numbers_(space_.size() * stride())
{
    assert(std::is_sorted(bounds_.begin(), bounds_.end()));
    for (const double bound : bounds_)
    {
        boundMicros_.push_back(static_cast<std::uint64_t>(std::llround(bound * kMicrosPerSecond)));
    }
}

void HistogramFamily::observe(std::initializer_list<std::size_t> places, std::uint64_t micros)
{
    const std::size_t first = space_.cell(places) * stride();
    const auto bound = std::lower_bound(boundMicros_.begin(), boundMicros_.end(), micros);
    const auto bucket = static_cast<std::size_t>(bound - boundMicros_.begin());
    numbers_.add(first + bucket, 1);
    numbers_.add(first + stride() - 1, micros);
}

void writeHistogram(MetricsText &text, std::string_view name, const std::string &labels,
                    std::span<const double> bounds, std::span<const std::uint64_t> counts,
                    double sum)
{
    assert(counts.size() == bounds.size() + 1);
    const std::string family(name);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= bounds.size(); ++i)
    {
        count += counts[i];
        std::string bounded = labels;
        MetricsText::appendLabel(bounded, "le",
                                 i == bounds.size() ? "+Inf" : metricNumber(bounds[i]));
        text.raw(family + "_bucket", bounded, std::to_string(count));
    }
    text.raw(family + "_sum", labels, metricNumber(sum));
    text.raw(family + "_count", labels, std::to_string(count));
}

void HistogramFamily::writeCell(MetricsText &text, std::size_t cell) const
{
    const std::size_t first = cell * stride();
    std::vector<std::uint64_t> counts(bounds_.size() + 1);
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
        counts[i] = numbers_[first + i];
    }
    const auto sum = numbers_[first + stride() - 1];
    writeHistogram(text, name_, space_.text(cell), bounds_, counts,
                   static_cast<double>(sum) / kMicrosPerSecond);
}

void HistogramFamily::write(MetricsText &text) const
{
    text.family(name_, "histogram", help_);
    for (std::size_t cell = 0; cell < space_.size(); ++cell)
    {
        for (std::size_t i = 0; i < stride(); ++i)
        {
            if (numbers_[cell * stride() + i] != 0)
            {
                writeCell(text, cell);
                break;
            }
        }
    }
}
}  // namespace relayer::plugins
