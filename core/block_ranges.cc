#include "core/block_ranges.h"

#include <algorithm>

namespace relayer::core
{
namespace
{
// So many answers in a row before a wider range is tried; and before a refusal is forgotten, since
// a limit on the number of logs hits a busy time and not the next one.
constexpr int kTakenBeforeWidening = 4;
constexpr int kTakenBeforeForgetting = 64;
}  // namespace

std::int64_t lastThatCounts(const Reading &reading)
{
    return reading.head - reading.confirmations;
}

std::optional<BlockRange> nextRange(const Reading &reading)
{
    const std::int64_t last = lastThatCounts(reading);
    if (last <= reading.cursor)
    {
        return std::nullopt;
    }
    // A node that takes few blocks must not see them all spent on what was read before.
    const std::int64_t chunk = std::max<std::int64_t>(1, reading.chunk);
    const std::int64_t overlap = std::min(reading.overlap, chunk / 2);
    BlockRange range;
    range.from = std::max<std::int64_t>(0, reading.cursor + 1 - overlap);
    range.to = std::min(last, range.from + chunk - 1);
    return range;
}

ChunkSize::ChunkSize(std::int64_t most)
    : most_(std::max<std::int64_t>(1, most)), blocks_(most_), refused_(most_ + 1)
{}

void ChunkSize::refused(std::int64_t range)
{
    taken_ = 0;
    refused_ = std::clamp<std::int64_t>(range, 2, refused_);
    blocks_ = std::max<std::int64_t>(1, std::min(blocks_, range) / 2);
}

void ChunkSize::taken()
{
    ++taken_;
    if (taken_ >= kTakenBeforeForgetting)
    {
        taken_ = 0;
        refused_ = most_ + 1;
    }
    if (taken_ % kTakenBeforeWidening == 0)
    {
        // Half of the way to what was refused: the limit of the node is somewhere between.
        const std::int64_t wider = refused_ > most_ ? blocks_ * 2 : (blocks_ + refused_) / 2;
        blocks_ = std::clamp<std::int64_t>(wider, blocks_, std::min(most_, refused_ - 1));
    }
}
}  // namespace relayer::core
