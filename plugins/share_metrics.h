// What the share scheduler counts. Nothing in it tells anything of a share. Any thread.
#pragma once

#include "core/share_attempts.h"
#include "models/share_store.h"
#include "plugins/metric_families.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace relayer::plugins
{
class ShareMetrics
{
  public:
    enum class Post
    {
        Queued,
        Duplicate,
        Conflict,
        Refused,
        Failed,
    };
    ShareMetrics();

    void posted(Post outcome) { posts_.add({static_cast<std::size_t>(outcome)}); }
    void postedWithoutTime() { withoutTime_.add({}); }
    // From when it was due until its claim was committed.
    void taken(std::uint64_t lateMicros) { lateness_.observe({}, lateMicros); }
    void proved(std::chrono::microseconds took)
    {
        proofs_.observe({}, static_cast<std::uint64_t>(took.count()));
    }
    void ended(core::AttemptEnd end) { attempts_.add({static_cast<std::size_t>(end)}); }
    void closedUnsubmitted(const models::RoundShares &round);
    void now(std::uint64_t proving, std::uint64_t held, bool chainAway);

    void write(MetricsText &text) const;

  private:
    CounterFamily posts_;
    CounterFamily withoutTime_;
    HistogramFamily lateness_;
    HistogramFamily proofs_;
    CounterFamily attempts_;
    CounterFamily closedRounds_;
    CounterFamily unsubmitted_;
    std::atomic<std::uint64_t> proving_{0};
    std::atomic<std::uint64_t> held_{0};
    std::atomic<bool> chainAway_{false};
};
}  // namespace relayer::plugins
