#include "plugins/ended_jobs.h"

#include <cstring>
#include <utility>

namespace relayer::plugins
{
namespace
{
// What an entry costs beside its text: nodes of a map and a queue, pointers, the id twice.
constexpr std::size_t kOverhead = 256;
}  // namespace

std::size_t EndedJobs::ByRandomBytes::operator()(const core::JobId::Raw &id) const
{
    // The last eight bytes are random but for two bits.
    std::size_t hash = 0;
    static_assert(sizeof(core::JobId::Raw) == 16);
    std::memcpy(&hash, id.data() + 8, sizeof(hash));
    return hash;
}

EndedJobs::EndedJobs(Limits limits, std::function<Time()> now)
    : limits_(limits), now_(std::move(now))
{}

EndedJobs::Shard &EndedJobs::shardOf(const core::JobId &job)
{
    return shards_.at(job.raw().back() % kShards);
}

EndedJobs::StencilPtr EndedJobs::find(const core::JobId &job, core::Kind kind)
{
    Shard &shard = shardOf(job);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.entries.find(job.raw());
    const bool good =
        found != shard.entries.end() && found->second.kind == kind && now_() < found->second.until;
    return good ? found->second.stencil : nullptr;
}

void EndedJobs::keep(const core::JobId &job, core::Kind kind, wire::Stencil stencil)
{
    const std::size_t weight = stencil.bytes() + kOverhead;
    const std::size_t most = limits_.bytes / kShards;
    if (weight > most)
    {
        return;
    }
    auto kept = std::make_shared<const wire::Stencil>(std::move(stencil));
    const Time until = now_() + limits_.keepFor;
    Shard &shard = shardOf(job);
    const std::lock_guard lock(shard.mutex);
    auto [entry, fresh] = shard.entries.try_emplace(job.raw());
    if (fresh)
    {
        shard.oldestFirst.push_back(job.raw());
    }
    else
    {
        shard.bytes -= entry->second.stencil->bytes() + kOverhead;
    }
    entry->second = {kind, std::move(kept), until};
    shard.bytes += weight;
    while (shard.bytes > most)
    {
        dropOldest(shard);
    }
}

void EndedJobs::dropOldest(Shard &shard)
{
    const auto oldest = shard.entries.find(shard.oldestFirst.front());
    shard.bytes -= oldest->second.stencil->bytes() + kOverhead;
    shard.entries.erase(oldest);
    shard.oldestFirst.pop_front();
}

std::size_t EndedJobs::bytes() const
{
    std::size_t sum = 0;
    for (const Shard &shard : shards_)
    {
        const std::lock_guard lock(shard.mutex);
        sum += shard.bytes;
    }
    return sum;
}
}  // namespace relayer::plugins
