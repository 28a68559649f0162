// How the backoff table is written: "0s=4s, 1m=10s, 15m=5m", from so long after the beginning of
// the state on, come back after so long.
#pragma once

#include "core/retry_after.h"

#include <optional>
#include <string_view>

namespace relayer::config
{
/// Nothing: it is not one. The first begins at 0s, each later than the one before it; all are whole
/// seconds, and nobody is told to come back at once or after more than an hour.
std::optional<core::Backoff> parseBackoff(std::string_view text);
}  // namespace relayer::config
