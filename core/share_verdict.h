// What the vote chain says about a share that was sent to it, and what that means for the attempt.
// One table, by codespace and code; no text is looked at.
#pragma once

#include "core/share_attempts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
struct ChainVerdict
{
    std::uint32_t code = 0;
    std::string codespace;  // empty: the chain did not say
};

enum class VerdictMeans
{
    Accepted,      // code 0: from the pool nothing yet, from a block all
    AlreadySpent,  // the nullifier is on the chain
    PerhapsSpent,  // so it says, without saying who says it: the nullifier tells
    Ended,         // the attempt is over, see `end`
};

struct Verdict
{
    VerdictMeans means = VerdictMeans::Ended;
    AttemptEnd end = AttemptEnd::MayGoBetter;
    std::string_view name;  // for the row, the log and the metrics
};

// `failures`: attempts of this share that failed before; `roundIsOver`: as of now.
[[nodiscard]] Verdict verdictOf(const ChainVerdict &said, std::size_t failures, bool roundIsOver);
}  // namespace relayer::core
