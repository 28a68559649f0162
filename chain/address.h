// Addresses as text, and from the keys that own them.
#pragma once

#include "core/address.h"
#include "core/bytes.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::chain
{
// A point of secp256k1: X, then Y.
using PublicKey = std::array<std::uint8_t, 64>;

[[nodiscard]] core::Address addressOf(const PublicKey &key);

// 0x and 40 digits whose case is the checksum of EIP-55.
[[nodiscard]] std::string checksummed(const core::Address &address);

// 0x and 40 digits of any case.
[[nodiscard]] std::optional<core::Address> parseAddress(std::string_view text);
// Digits of one case have no checksum; where cases are mixed, it has to be right.
[[nodiscard]] std::optional<core::Address> parseCheckedAddress(std::string_view text);
}  // namespace relayer::chain
