// The answers of jobs that have ended, so that polls for them need no database. They never change;
// they are kept for a while only, because a job may be deleted one day.
//
// Bounded in bytes; at the limit the oldest go. Any thread: a shard is locked for a lookup and
// nothing else. Dies with the process, and is filled again by the polls that come.
#pragma once

#include "core/job_id.h"
#include "core/lifecycle.h"
#include "wire/stencil.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace relayer::plugins
{
class EndedJobs
{
  public:
    using Time = std::chrono::steady_clock::time_point;
    using StencilPtr = std::shared_ptr<const wire::Stencil>;
    struct Limits
    {
        std::size_t bytes = 0;  // 0: nothing is kept
        std::chrono::milliseconds keepFor{60'000};
    };

    explicit EndedJobs(
        Limits limits, std::function<Time()> now = [] { return std::chrono::steady_clock::now(); });

    // Nothing: not known here, or a job of another kind.
    [[nodiscard]] StencilPtr find(const core::JobId &job, core::Kind kind);
    void keep(const core::JobId &job, core::Kind kind, wire::Stencil stencil);

    [[nodiscard]] std::size_t bytes() const;

  private:
    struct ByRandomBytes
    {
        std::size_t operator()(const core::JobId::Raw &id) const;
    };
    struct Entry
    {
        core::Kind kind = core::Kind::InputProof;
        StencilPtr stencil;
        Time until;
    };
    struct Shard
    {
        mutable std::mutex mutex;
        std::unordered_map<core::JobId::Raw, Entry, ByRandomBytes> entries;
        std::deque<core::JobId::Raw> oldestFirst;  // of all that are in `entries`
        std::size_t bytes = 0;
    };
    static constexpr std::size_t kShards = 16;

    [[nodiscard]] Shard &shardOf(const core::JobId &job);
    static void dropOldest(Shard &shard);

    const Limits limits_;
    const std::function<Time()> now_;
    std::array<Shard, kShards> shards_;
};
}  // namespace relayer::plugins
