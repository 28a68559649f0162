// How far a chain has gone another way: asks for one block's hash after the other, from the newest
// that we know down to the first on which we and the chain agree.
//
// Agreeing takes a block up to which everything was read. One that is known only for an event in it
// may have been pushed after the reorg, and those below it never read.
//
//     WalkBack walk(known, {.head = 120, .floor = 60});
//     while (const auto number = walk.ask())
//         walk.answer(co_await hashOf(*number));
//     walk.agreedOn(), walk.orphans()
#pragma once

#include "core/content_hash.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::core
{
struct KnownBlock
{
    std::int64_t number = 0;
    Hash32 hash{};
    bool holdsEvents = true;  // of ours; else everything up to it was read

    bool operator==(const KnownBlock &) const = default;
};

class WalkBack
{
  public:
    struct Bounds
    {
        std::int64_t head = 0;   // what is above, the chain can not be asked for yet
        std::int64_t floor = 0;  // not further than this, whatever is found there
    };

    WalkBack(std::vector<KnownBlock> known, Bounds bounds);

    // The block whose hash is wanted next; nothing when the walk is over.
    [[nodiscard]] std::optional<std::int64_t> ask() const;
    // Nothing: the node does not say. Then the block is passed over.
    void answer(const std::optional<Hash32> &hash);

    // The last block that we have right. Its hash is the chain's; all zero when it is not known.
    [[nodiscard]] KnownBlock agreedOn() const { return agreed_; }
    [[nodiscard]] bool reachedFloor() const { return reachedFloor_; }
    // Blocks with events that the chain has no more.
    [[nodiscard]] const std::vector<Hash32> &orphans() const { return orphans_; }

  private:
    const Bounds bounds_;
    std::vector<KnownBlock> known_;  // the next to ask about last
    std::vector<Hash32> orphans_;
    KnownBlock agreed_;
    bool over_ = false;
    bool reachedFloor_ = false;
};
}  // namespace relayer::core
