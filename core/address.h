// Twenty bytes that name an account or a contract on a chain.
#pragma once

#include <array>
#include <cstdint>

namespace relayer::core
{
using Address = std::array<std::uint8_t, 20>;
}  // namespace relayer::core
