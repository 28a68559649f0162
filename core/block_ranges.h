// Which blocks to ask a node for next, and how many at once.
//
// Providers refuse ranges that are too wide or hold too many logs, each with a limit and a text of
// its own. So the text is not looked at: what was refused is halved, and grows back with care.
#pragma once

#include <cstdint>
#include <optional>

namespace relayer::core
{
struct BlockRange
{
    std::int64_t from = 0;
    std::int64_t to = 0;  // inclusive

    bool operator==(const BlockRange &) const = default;
};

struct Reading
{
    std::int64_t cursor = -1;  // everything up to and with this block has been read
    std::int64_t head = -1;
    std::int64_t confirmations = 0;  // blocks on top of one before it counts
    std::int64_t overlap = 0;        // blocks before the cursor to read once more
    std::int64_t chunk = 1;          // blocks at the most, the overlap among them
};

// The last block that counts; below 0 when none does.
[[nodiscard]] std::int64_t lastThatCounts(const Reading &reading);

// Nothing when there is no new block. A head behind the cursor is no reason to read: the node lags.
[[nodiscard]] std::optional<BlockRange> nextRange(const Reading &reading);

class ChunkSize
{
  public:
    explicit ChunkSize(std::int64_t most);

    [[nodiscard]] std::int64_t blocks() const { return blocks_; }
    // The node did not answer a range of this many blocks.
    void refused(std::int64_t range);
    void taken();

  private:
    std::int64_t most_;
    std::int64_t blocks_;
    std::int64_t refused_;  // the smallest that was refused of late
    int taken_ = 0;         // in a row
};
}  // namespace relayer::core
