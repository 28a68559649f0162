#include "core/promises.h"

#include <cstring>

namespace relayer::core
{
std::size_t Promises::ByRandomBytes::operator()(const JobId::Raw &id) const noexcept
{
    std::size_t hash = 0;
    std::memcpy(&hash, id.data(), sizeof(hash));
    return hash;
}

void Promises::told(const JobId &job, const Promise &promise)
{
    const auto [at, fresh] = jobs_.try_emplace(job.raw(), Kept{promise, promise, 1});
    if (!fresh)
    {
        at->second.last = promise;
        ++at->second.times;
        return;
    }
    oldestFirst_.push_back(job.raw());
    while (oldestFirst_.size() > most_)
    {
        jobs_.erase(oldestFirst_.front());
        oldestFirst_.pop_front();
    }
}

std::optional<Promises::Kept> Promises::fetched(const JobId &job)
{
    const auto at = jobs_.find(job.raw());
    if (at == jobs_.end())
    {
        return std::nullopt;
    }
    const Kept kept = at->second;
    jobs_.erase(at);
    return kept;
}
}  // namespace relayer::core
