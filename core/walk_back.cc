#include "core/walk_back.h"

#include <algorithm>
#include <utility>

namespace relayer::core
{
WalkBack::WalkBack(std::vector<KnownBlock> known, Bounds bounds)
    : bounds_(bounds), known_(std::move(known)), agreed_{bounds.floor, {}, false}
{
    std::erase_if(known_, [&](const KnownBlock &block) {
        return block.number > bounds_.head || block.number <= bounds_.floor;
    });
    std::sort(known_.begin(), known_.end(),
              [](const auto &left, const auto &right) { return left.number < right.number; });
}

std::optional<std::int64_t> WalkBack::ask() const
{
    if (over_)
    {
        return std::nullopt;
    }
    return known_.empty() ? bounds_.floor : known_.back().number;
}

void WalkBack::answer(const std::optional<Hash32> &hash)
{
    if (over_)
    {
        return;
    }
    if (known_.empty())
    {
        agreed_.hash = hash.value_or(Hash32{});
        over_ = true;
        reachedFloor_ = true;
        return;
    }
    const std::int64_t number = known_.back().number;
    bool agrees = false;
    std::vector<Hash32> others;
    while (!known_.empty() && known_.back().number == number)
    {
        const KnownBlock &block = known_.back();
        agrees = agrees || (!block.holdsEvents && block.hash == hash);
        if (hash && block.hash != *hash && block.holdsEvents)
        {
            others.push_back(block.hash);
        }
        known_.pop_back();
    }
    orphans_.insert(orphans_.end(), others.begin(), others.end());
    if (agrees)
    {
        agreed_ = {number, *hash, false};
        over_ = true;
    }
}
}  // namespace relayer::core
