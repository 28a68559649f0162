// What a transaction offers for its gas, and what a replacement must offer.
#pragma once

#include "chain/uint256.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::chain
{
struct Fees
{
    Uint256 maxFeePerGas;
    // Nothing on a chain without a base fee: then maxFeePerGas is the gas price.
    std::optional<Uint256> maxPriorityFeePerGas;

    bool operator==(const Fees &) const = default;
};

// Twice the next block's base fee, so that a few full blocks do not strand it, and the median of
// what was lately paid on top (blocks in which nothing was paid do not count), at least 1 wei.
[[nodiscard]] Fees suggestFees(const Uint256 &baseFee, std::vector<Uint256> rewards);

// For a replacement at the same nonce: `percent` more than the last version in both parts, or what
// is usual now if that is more, but not above the cap. Nothing when the cap leaves no room for a
// raise that a node would take.
[[nodiscard]] std::optional<Fees> raiseFees(const Fees &last, const Fees &usual,
                                            std::uint64_t percent, const Uint256 &cap);

// What the estimate says and some more, since state moves on; the largest number when that is past
// it.
[[nodiscard]] std::uint64_t gasLimitFor(std::uint64_t estimate, std::uint64_t percent);
}  // namespace relayer::chain
