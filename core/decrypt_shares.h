// The shares of a user decryption, and which of them its client is given.
#pragma once

#include "core/bytes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::core
{
// One node's share, as it is kept (kms_share).
struct DecryptShare
{
    std::int32_t index = 0;
    std::int64_t arrival = 0;  // the order in which shares came
    Bytes payload;
    Bytes signature;
    Bytes extraData;

    bool operator==(const DecryptShare &) const = default;
};

// The first `threshold` that came, in the order of their index: so each poll shows the same ones,
// however many come later. Nothing when there are fewer.
[[nodiscard]] std::optional<std::vector<DecryptShare>> earliestShares(
    std::vector<DecryptShare> shares, std::size_t threshold);
}  // namespace relayer::core
