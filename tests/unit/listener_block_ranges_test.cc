// Which blocks are asked for, and how wide ranges become small enough for a node and wide again.
#include "core/block_ranges.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
Reading reading(std::int64_t cursor, std::int64_t head)
{
    Reading now;
    now.cursor = cursor;
    now.head = head;
    now.chunk = 100;
    return now;
}
}  // namespace

TEST(BlockRanges, BeginBehindTheCursorAndEndAtTheHead)
{
    EXPECT_EQ(nextRange(reading(9, 50)), (BlockRange{10, 50}));
    EXPECT_EQ(nextRange(reading(-1, 0)), (BlockRange{0, 0})) << "the first block of a chain";
}

TEST(BlockRanges, AreNothingWithoutANewBlock)
{
    EXPECT_FALSE(nextRange(reading(50, 50)));
    EXPECT_FALSE(nextRange(reading(50, 40))) << "the node lags";
    EXPECT_FALSE(nextRange(reading(-1, -1)));
}

TEST(BlockRanges, WaitForTheConfirmations)
{
    Reading now = reading(40, 50);
    now.confirmations = 3;
    EXPECT_EQ(nextRange(now), (BlockRange{41, 47}));
    now.confirmations = 10;
    EXPECT_FALSE(nextRange(now));
    now.confirmations = 60;
    EXPECT_FALSE(nextRange(now));
}

TEST(BlockRanges, ReadTheOverlapAgainButNeverOnlyThat)
{
    Reading now = reading(40, 50);
    now.overlap = 16;
    EXPECT_EQ(nextRange(now), (BlockRange{25, 50}));
    now.chunk = 10;
    EXPECT_EQ(nextRange(now), (BlockRange{36, 45})) << "half of what the node takes";
    now.chunk = 1;
    EXPECT_EQ(nextRange(now), (BlockRange{41, 41}));
    now.cursor = 3;
    now.chunk = 100;
    EXPECT_EQ(nextRange(now), (BlockRange{0, 50})) << "there is no block below 0";
}

TEST(BlockRanges, CoverEveryBlockWhateverTheChunk)
{
    for (std::int64_t chunk = 1; chunk < 40; ++chunk)
    {
        Reading now = reading(-1, 100);
        now.overlap = 16;
        now.chunk = chunk;
        int steps = 0;
        while (const auto range = nextRange(now))
        {
            ASSERT_LE(range->from, now.cursor + 1) << "chunk " << chunk;
            ASSERT_GT(range->to, now.cursor);
            ASSERT_LE(range->to - range->from + 1, chunk);
            now.cursor = range->to;
            ASSERT_LE(++steps, 101);
        }
        EXPECT_EQ(now.cursor, 100);
    }
}

TEST(ChunkSizes, FindTheLimitOfANodeAndStayBelowIt)
{
    ChunkSize chunk(1000);
    constexpr std::int64_t kLimit = 130;
    int refusals = 0;
    std::int64_t read = 0;
    for (int call = 0; call < 400; ++call)
    {
        if (chunk.blocks() > kLimit)
        {
            chunk.refused(chunk.blocks());
            ++refusals;
            continue;
        }
        read += chunk.blocks();
        chunk.taken();
    }
    EXPECT_LE(refusals, 40);
    EXPECT_GE(read, 360 * kLimit / 2) << "close to what the node gives";
}

TEST(ChunkSizes, GrowBackAfterABusyTime)
{
    ChunkSize chunk(1000);
    for (int i = 0; i < 20; ++i)
    {
        chunk.refused(chunk.blocks());
    }
    EXPECT_EQ(chunk.blocks(), 1);
    for (int i = 0; i < 200; ++i)
    {
        chunk.taken();
    }
    EXPECT_EQ(chunk.blocks(), 1000);
}

TEST(ChunkSizes, NeverBecomeNothing)
{
    ChunkSize chunk(1);
    chunk.refused(1);
    EXPECT_EQ(chunk.blocks(), 1);
    chunk.taken();
    EXPECT_EQ(chunk.blocks(), 1);
    EXPECT_EQ(ChunkSize(0).blocks(), 1);
}
}  // namespace relayer::core
