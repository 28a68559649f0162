// What wallets are told about shares: bodies of JSON, in the shapes that they know.
#pragma once

#include "core/content_hash.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::wire
{
// {"status":"queued"}
[[nodiscard]] std::string shareStatus(std::string_view status);
// {"status":"error","error":"..."}
inline constexpr std::string_view kShareConflict =
    "conflicting share payload for round_id/share_index";
inline constexpr std::string_view kShareTooLarge =
    "invalid JSON: the body is larger than 1048576 bytes";

[[nodiscard]] std::string shareError(std::string_view text);

struct TreeNumbers
{
    std::uint64_t leafCount = 0;
    std::uint64_t anchorHeight = 0;
};
[[nodiscard]] std::string helperStatus(const std::optional<TreeNumbers> &tree);

struct RoundQueue
{
    core::Hash32 round{};
    std::int64_t pending = 0;
    std::int64_t submitted = 0;
    std::int64_t failed = 0;
};
[[nodiscard]] std::string queueStatus(const std::vector<RoundQueue> &rounds);
}  // namespace relayer::wire
