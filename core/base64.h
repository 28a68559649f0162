// Base64 of the standard alphabet, padded, and of each byte string the one spelling only: no line
// breaks, no bits to spare. What two people wrote is then equal when it means the same.
#pragma once

#include "core/bytes.h"

#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
[[nodiscard]] std::string toBase64(ByteView bytes);
[[nodiscard]] std::optional<Bytes> fromBase64(std::string_view text);
}  // namespace relayer::core
