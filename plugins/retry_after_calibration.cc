#include "plugins/retry_after_calibration.h"

#include "plugins/request_metrics.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace relayer::plugins
{
namespace
{
const std::vector<double> &seconds()
{
    static const std::vector<double> bounds = {0.5, 1,  2,  3,  4,   5,   7.5, 10,
                                               15,  20, 30, 60, 120, 300, 600};
    return bounds;
}

// The reference's shipped bounds.
std::vector<double> etaBounds()
{
    return {1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 2400};
}

std::uint64_t micros(std::chrono::milliseconds time)
{
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, std::chrono::microseconds(time).count()));
}
}  // namespace

RetryAfterCalibration::RetryAfterCalibration()
    : raw_("relayer_retry_after_raw_eta_seconds",
           "What a post was estimated to take, without margin and bounds.", {kindLabel()},
           etaBounds()),
      error_("relayer_retry_after_error_seconds",
             "What was told first less what it took: too_long when it took less, too_short when it "
             "took longer.",
             {kindLabel(), {"told", {"too_long", "too_short"}}}, seconds()),
      polls_("relayer_retry_after_polls", "How often a job was asked for until it was fetched.",
             {kindLabel()}, {1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100}),
      lateness_("relayer_retry_after_lateness_seconds",
                "From the result of a job to the poll that fetched it.", {kindLabel()}, seconds())
{}

RetryAfterCalibration::Shard &RetryAfterCalibration::shardOf(const core::JobId &job)
{
    return shards_.at(job.raw().back() % kShards);
}

void RetryAfterCalibration::told(const core::JobId &job, const core::Promises::Promise &promise)
{
    Shard &shard = shardOf(job);
    const std::lock_guard lock(shard.mutex);
    shard.promises.told(job, promise);
}

void RetryAfterCalibration::estimated(core::Kind kind, std::chrono::milliseconds raw)
{
    raw_.observe({placeOf(kind)}, micros(raw));
}

std::optional<core::Promises::Kept> RetryAfterCalibration::fetched(const core::JobId &job,
                                                                   core::Kind kind, Time ready,
                                                                   Time now)
{
    Shard &shard = shardOf(job);
    std::optional<core::Promises::Kept> kept;
    {
        const std::lock_guard lock(shard.mutex);
        kept = shard.promises.fetched(job);
    }
    if (!kept)
    {
        return std::nullopt;
    }
    constexpr std::uint64_t one = 1'000'000;
    const Time off = kept->first.told - (ready - kept->first.at);
    error_.observe({placeOf(kind), off < Time(0) ? 1U : 0U}, micros(off < Time(0) ? -off : off));
    polls_.observe({placeOf(kind)}, kept->times * one);
    lateness_.observe({placeOf(kind)}, micros(now - ready));
    return kept;
}

void RetryAfterCalibration::write(MetricsText &text) const
{
    raw_.write(text);
    error_.write(text);
    polls_.write(text);
    lateness_.write(text);
}
}  // namespace relayer::plugins
