// Where we and a chain that went another way still agree, and what is only ours since.
#include "core/walk_back.h"

#include <gtest/gtest.h>

#include <map>

namespace relayer::core
{
namespace
{
Hash32 hash(std::uint8_t number, std::uint8_t fork)
{
    Hash32 made{};
    made[0] = fork;
    made[31] = number;
    return made;
}

KnownBlock known(std::uint8_t number, std::uint8_t fork, bool holdsEvents = true)
{
    return {number, hash(number, fork), holdsEvents};
}

// The chain has fork 1 up to `common` and fork 2 above.
void walkAlong(WalkBack &walk, std::int64_t common, std::vector<std::int64_t> *asked = nullptr)
{
    while (const auto number = walk.ask())
    {
        if (asked != nullptr)
        {
            asked->push_back(*number);
        }
        const auto block = static_cast<std::uint8_t>(*number);
        walk.answer(hash(block, *number <= common ? 1 : 2));
    }
}
}  // namespace

TEST(WalkBack, EndsAtTheNewestBlockReadThatBothHave)
{
    WalkBack walk({known(10, 1, false), known(12, 1), known(12, 1, false), known(14, 1),
                   known(14, 1, false), known(15, 1)},
                  {20, 0});
    std::vector<std::int64_t> asked;
    walkAlong(walk, 13, &asked);
    EXPECT_EQ(asked, (std::vector<std::int64_t>{15, 14, 12}));
    EXPECT_EQ(walk.agreedOn().number, 12);
    EXPECT_EQ(walk.agreedOn().hash, hash(12, 1));
    EXPECT_EQ(walk.orphans(), (std::vector<Hash32>{hash(15, 1), hash(14, 1)}));
    EXPECT_FALSE(walk.reachedFloor());
}

TEST(WalkBack, OrphansOnlyBlocksWithEvents)
{
    WalkBack walk({known(12, 1, false), known(13, 1, false), known(14, 1)}, {20, 0});
    walkAlong(walk, 12);
    EXPECT_EQ(walk.orphans(), (std::vector<Hash32>{hash(14, 1)}));
    EXPECT_EQ(walk.agreedOn().number, 12);
}

TEST(WalkBack, DoesNotTakeWhatWasPushedForWhatWasRead)
{
    // Of the new chain block 14 was pushed already; 12 and 13 of it were never read.
    WalkBack walk({known(14, 1), known(14, 2), known(14, 1, false), known(11, 1, false)}, {20, 0});
    walkAlong(walk, 11);
    EXPECT_EQ(walk.agreedOn().number, 11);
    EXPECT_EQ(walk.orphans(), (std::vector<Hash32>{hash(14, 1)})) << "14 of the chain stays";
}

TEST(WalkBack, AsksForTheFloorWhenNothingAgrees)
{
    WalkBack walk({known(3, 1), known(14, 1)}, {20, 5});
    std::vector<std::int64_t> asked;
    walkAlong(walk, 0, &asked);
    EXPECT_EQ(asked, (std::vector<std::int64_t>{14, 5}));
    EXPECT_TRUE(walk.reachedFloor());
    EXPECT_EQ(walk.agreedOn().number, 5);
    EXPECT_EQ(walk.agreedOn().hash, hash(5, 2));
}

TEST(WalkBack, LeavesAloneWhatTheNodeCanNotTell)
{
    WalkBack above({known(25, 1), known(14, 1, false)}, {20, 0});
    walkAlong(above, 14);
    EXPECT_TRUE(above.orphans().empty()) << "block 25 is above the node's head";

    WalkBack silent({known(14, 1), known(13, 1)}, {20, 0});
    silent.answer(std::nullopt);
    EXPECT_TRUE(silent.orphans().empty());
    EXPECT_EQ(silent.ask(), 13);
}

TEST(WalkBack, KnowsNothingAndStillEnds)
{
    WalkBack walk({}, {20, -1});
    EXPECT_EQ(walk.ask(), -1);
    walk.answer(std::nullopt);
    EXPECT_FALSE(walk.ask());
    EXPECT_EQ(walk.agreedOn().number, -1);
    EXPECT_EQ(walk.agreedOn().hash, Hash32{});
}
}  // namespace relayer::core
