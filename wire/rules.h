// What the fields of requests must look like. A check says what is wrong with a text, in the words
// that clients of the reference know, or nothing when it is right. What passes its check can be
// decoded; the decoders beside them take exactly what the checks let through.
#pragma once

#include "core/bytes.h"
#include "core/input_proof.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace relayer::wire
{
using Issue = std::optional<std::string_view>;
using Check = Issue (*)(std::string_view text);

// 0x and 40 hex digits, any case, no checksum.
[[nodiscard]] Issue checkAddress(std::string_view text);
[[nodiscard]] Issue checkNotEmpty(std::string_view text);
// An even number of digits without 0x; empty passes.
[[nodiscard]] Issue checkHexWithoutPrefix(std::string_view text);
// A u64, decimal or with 0x, as Rust reads it: a leading + and leading zeros pass.
[[nodiscard]] Issue checkChainId(std::string_view text);
// Input proofs know one kind of extra data: none, written 0x00.
[[nodiscard]] Issue checkInputProofExtraData(std::string_view text);

[[nodiscard]] std::optional<std::uint64_t> parseChainId(std::string_view text);
[[nodiscard]] std::optional<core::Address> parseAddress(std::string_view text);
}  // namespace relayer::wire
