// Bytes as JSON-RPC writes them: 0x, then two digits for each byte. Quantities are in uint256.h.
#pragma once

#include "core/bytes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::chain
{
// Lower case.
[[nodiscard]] std::string toHexData(core::ByteView bytes);

// Digits of either case behind a small 0x, an even number of them; anything else is nothing.
[[nodiscard]] std::optional<core::Bytes> fromHexData(std::string_view text);

// The same for exactly so many bytes.
template <std::size_t Size>
[[nodiscard]] std::optional<std::array<std::uint8_t, Size>> fixedFromHexData(std::string_view text)
{
    if (text.size() != 2 + 2 * Size)
    {
        return std::nullopt;
    }
    const auto bytes = fromHexData(text);
    if (!bytes)
    {
        return std::nullopt;
    }
    std::array<std::uint8_t, Size> fixed{};
    std::copy(bytes->begin(), bytes->end(), fixed.begin());
    return fixed;
}
}  // namespace relayer::chain
