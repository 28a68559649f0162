// What clients were told about when to come back, until they had their results: what the estimates
// are judged by, and what they learn from.
//
// Bounded: of too many jobs the oldest are forgotten. Time comes in as a duration since any fixed
// moment. Pure and for one caller at a time.
#pragma once

#include "core/job_id.h"
#include "core/retry_after.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace relayer::core
{
class Promises
{
  public:
    using Time = std::chrono::milliseconds;

    struct Promise
    {
        Standing standing;
        Time at{0};
        Time told{0};  // to come back after
    };

    explicit Promises(std::size_t most) : most_(most) {}

    void told(const JobId &job, const Promise &promise);

    struct Kept
    {
        Promise first;
        Promise last;
        std::uint64_t times = 0;  // that it was told to come back
    };
    // It has its result. Nothing: nobody was told anything of it here, or it is forgotten.
    [[nodiscard]] std::optional<Kept> fetched(const JobId &job);

    [[nodiscard]] std::size_t size() const { return jobs_.size(); }

  private:
    struct ByRandomBytes
    {
        // (noexcept, or each job keeps its hash, too)
        std::size_t operator()(const JobId::Raw &id) const noexcept;
    };

    const std::size_t most_;
    std::unordered_map<JobId::Raw, Kept, ByRandomBytes> jobs_;
    std::deque<JobId::Raw> oldestFirst_;  // of all that are in there, and some that were
};
}  // namespace relayer::core
