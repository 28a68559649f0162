// The second estimator: learns from this installation how fast its queues drain and how long the
// rest takes, and answers from that; as long as it has not seen enough, from the nominal values.
//
// What it learns from are its own promises: when a client has its result, it is known how long it
// took from each of the moments in which it was told when to come back. So it needs nobody's help,
// and what is wrong with the model corrects itself.
//
// Pure: for one caller at a time, and the same for the same calls.
#pragma once

#include "core/drain_rate.h"
#include "core/fading_quantiles.h"
#include "core/job_id.h"
#include "core/retry_after.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

namespace relayer::core
{
class MeasuredRetryAfter
{
  public:
    explicit MeasuredRetryAfter(const RetryAfterSettings &settings) : settings_(settings) {}

    // What was learned stays.
    void change(const RetryAfterSettings &settings) { settings_ = settings; }

    // Whole seconds within the bounds; 0 for what is over. Jobs at the same place are told a little
    // apart from each other, each always the same.
    [[nodiscard]] std::uint64_t seconds(const Standing &standing, const JobId &job) const;
    // Without jitter and bounds, in milliseconds. Nothing: not enough is known.
    [[nodiscard]] std::optional<std::uint64_t> estimateMs(const Standing &standing) const;

    // A request that stood there had its result so much later.
    void learn(const Standing &standing, std::chrono::milliseconds later);

    // Of the two lines in front of a request of this kind.
    [[nodiscard]] DrainRate &beforeTheChain(Kind kind)
    {
        return chain_.at(static_cast<std::size_t>(kind));
    }
    [[nodiscard]] DrainRate &beforeReadiness(Kind kind)
    {
        return readiness_.at(static_cast<std::size_t>(kind));
    }

  private:
    [[nodiscard]] double queueMs(const Standing &standing) const;

    static constexpr std::size_t kStages = 5;  // those before Over
    using Durations = std::array<FadingQuantiles, kStages>;

    RetryAfterSettings settings_;
    std::array<DrainRate, kKinds> chain_;
    std::array<DrainRate, kKinds> readiness_;
    std::array<Durations, kKinds> durations_;
};
}  // namespace relayer::core
