// Work that comes to its end again and again, with so much under way at a time: all of it is
// counted, from the first that begins to the last that ends.
#pragma once

#include "bench/measure.h"

#include <cstddef>
#include <vector>

namespace relayer::bench
{
struct Sustained
{
    double perSecond = 0;
    double p50 = 0;  // milliseconds
    double p99 = 0;
};

class Meter
{
  public:
    void ended(Clock::time_point since) { latencies_.push_back(1000 * secondsSince(since)); }
    [[nodiscard]] std::size_t count() const { return latencies_.size(); }

    [[nodiscard]] Sustained outcome()
    {
        Sustained all;
        all.perSecond = static_cast<double>(latencies_.size()) / secondsSince(start_);
        all.p50 = percentile(latencies_, 0.5);
        all.p99 = percentile(latencies_, 0.99);
        return all;
    }

  private:
    const Clock::time_point start_ = Clock::now();
    std::vector<double> latencies_;
};
}  // namespace relayer::bench
