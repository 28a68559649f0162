// Bytes and hexadecimal: the one place where text becomes bytes and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::core
{
using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

// Lower case, no prefix.
[[nodiscard]] std::string toHex(ByteView bytes);

// Either case, no prefix, an even number of digits; anything else is nothing.
[[nodiscard]] std::optional<Bytes> fromHex(std::string_view text);

[[nodiscard]] std::optional<std::uint8_t> hexDigit(char c);
}  // namespace relayer::core
