// How good what clients are told is: when they were told to come back, and when their result was
// there. Remembers the jobs that it told of until they are fetched, up to a bound, and counts.
// Any thread: a shard is locked for a lookup and nothing else.
#pragma once

#include "core/lifecycle.h"
#include "core/promises.h"
#include "plugins/metric_families.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

namespace relayer::plugins
{
class RetryAfterCalibration
{
  public:
    using Time = core::Promises::Time;

    RetryAfterCalibration();

    void told(const core::JobId &job, const core::Promises::Promise &promise);
    // Of a post, without margin and bounds.
    void estimated(core::Kind kind, std::chrono::milliseconds raw);
    // The result was there at `ready`, and its client has it now. What was told of that job.
    std::optional<core::Promises::Kept> fetched(const core::JobId &job, core::Kind kind, Time ready,
                                                Time now);

    void write(MetricsText &text) const;

  private:
    static constexpr std::size_t kShards = 16;
    static constexpr std::size_t kJobs = 65'536;

    struct Shard
    {
        std::mutex mutex;
        core::Promises promises{kJobs / kShards};
    };
    Shard &shardOf(const core::JobId &job);

    std::array<Shard, kShards> shards_;
    HistogramFamily raw_;
    HistogramFamily error_;
    HistogramFamily polls_;
    HistogramFamily lateness_;
};
}  // namespace relayer::plugins
