// POST /shielded-vote/v1/shares: from the body to decoded values, in the order of checks that
// wallets know. What they need not know is stricter: exact names, no duplicate keys, nothing behind
// the value, one spelling for each base64.
#pragma once

#include "core/vote_share.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace relayer::wire
{
inline constexpr std::size_t kMaxShareBody = 1UL << 20U;

struct ShareRequest
{
    core::VoteShare share;
    std::uint64_t submitAt = 0;  // 0: at once
    bool namesItsTime = false;   // a wallet that names none has no privacy of timing
};

struct ShareProblem
{
    std::string text;
};

[[nodiscard]] std::variant<ShareRequest, ShareProblem> readShareRequest(std::string_view body);
}  // namespace relayer::wire
