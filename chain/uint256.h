// 256-bit numbers of the chain: amounts, fees, ids.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::chain
{
// Arithmetic throws std::overflow_error / std::range_error instead of wrapping around.
using Uint256 = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    256, 256, boost::multiprecision::unsigned_magnitude, boost::multiprecision::checked, void>>;

[[nodiscard]] core::Hash32 bigEndian(const Uint256 &number);
// Up to 32 bytes; more is nothing.
[[nodiscard]] std::optional<Uint256> fromBigEndian(core::ByteView bytes);
// As JSON-RPC writes them: 0x, at least one digit. Leading zeros are taken, more than 256 bits are
// not.
[[nodiscard]] std::optional<Uint256> parseQuantity(std::string_view text);
[[nodiscard]] std::string toQuantity(const Uint256 &number);
}  // namespace relayer::chain
