// Decimal fractions as whole numbers of millionths, so that 0.2 is 0.2.
#pragma once

#include <cstdint>
#include <string>

namespace relayer::core
{
inline constexpr std::uint64_t kMillion = 1'000'000;

// Without zeros behind: 0.2, 1.
[[nodiscard]] std::string formatDecimal(std::uint64_t millionths);
}  // namespace relayer::core
