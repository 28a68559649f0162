#include "core/fading_quantiles.h"

#include <algorithm>
#include <cmath>

namespace relayer::core
{
namespace
{
// Buckets are 4 % wide from 50 ms on, which makes an hour at the end of 288.
constexpr double kFirstMs = 50;
constexpr double kRatio = 1.04;
constexpr double kHeaviest = 1e100;

std::size_t bucketOf(std::uint64_t ms, std::size_t buckets)
{
    const double place =
        std::log(std::max(static_cast<double>(ms) / kFirstMs, 1.0)) / std::log(kRatio);
    return std::min(static_cast<std::size_t>(place), buckets - 1);
}

// Where a bucket begins; the first one holds all that is shorter.
double edge(std::size_t bucket)
{
    return bucket == 0 ? 0 : kFirstMs * std::pow(kRatio, static_cast<double>(bucket));
}
}  // namespace

void FadingQuantiles::add(std::uint64_t ms)
{
    weights_.at(bucketOf(ms, kBuckets)) += next_;
    next_ *= std::exp2(1 / kHalfLife);
    if (next_ > kHeaviest)
    {
        std::ranges::for_each(weights_, [this](double &weight) { weight /= next_; });
        next_ = 1;
    }
}

std::optional<std::uint64_t> FadingQuantiles::quantile(double part, std::uint64_t beyondMs) const
{
    const std::size_t from = beyondMs == 0 ? 0 : bucketOf(beyondMs, kBuckets);
    const double low = static_cast<double>(beyondMs);
    // Of the bucket in which `beyond` is, the part above it.
    const double begin = edge(from);
    const double end = edge(from + 1);
    const double above = std::clamp((end - low) / (end - begin), 0.0, 1.0);
    double total = weights_.at(from) * above;
    for (std::size_t i = from + 1; i < kBuckets; ++i)
    {
        total += weights_.at(i);
    }
    if (total < kEnough * next_)
    {
        return std::nullopt;
    }
    double left = total * std::clamp(part, 0.0, 1.0);
    for (std::size_t i = from; i < kBuckets; ++i)
    {
        const double weight = weights_.at(i) * (i == from ? above : 1);
        if (weight >= left || i + 1 == kBuckets)
        {
            const double start = i == from ? std::max(low, begin) : edge(i);
            const double share = weight > 0 ? left / weight : 1;
            const double value = start + (edge(i + 1) - start) * share;
            return static_cast<std::uint64_t>(std::llround(value));
        }
        left -= weight;
    }
    return std::nullopt;
}
}  // namespace relayer::core
