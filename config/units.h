#pragma once

#include "core/decimal.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::config
{
/// Decimal digits only: no sign, no blanks, nothing after them.
std::optional<std::uint64_t> parseInteger(std::string_view text);

/// `0.2`: digits, and up to six more behind a point. In millionths, exact.
std::optional<std::uint64_t> parseDecimal(std::string_view text);
using core::formatDecimal;

/// Durations as humantime writes them: `500ms`, `30m`, `1h 30m`, `7d`. A number without a unit is
/// no duration. Months and years are left out, since nobody agrees on how long they are.
std::optional<std::chrono::milliseconds> parseDuration(std::string_view text);
std::string formatDuration(std::chrono::milliseconds duration);

/// `2MiB`, `512KiB`, `1GiB`, `100B`, or a number of bytes.
std::optional<std::uint64_t> parseBytes(std::string_view text);
std::string formatBytes(std::uint64_t bytes);
}  // namespace relayer::config
