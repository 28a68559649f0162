// RLP, in which transactions are written: strings of bytes, and lists of both.
#pragma once

#include "chain/uint256.h"
#include "core/bytes.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace relayer::chain::rlp
{
void appendString(core::Bytes &out, core::ByteView bytes);
// A string without leading zeros.
void appendInteger(core::Bytes &out, const Uint256 &number);
// `items` is what was appended for the items, one after the other; `before` stands before the list.
[[nodiscard]] core::Bytes list(core::ByteView items, core::ByteView before = {});

// Looks into the bytes it was decoded from, which have to outlive it.
struct Item
{
    bool isList = false;
    core::ByteView string;    // of a string
    std::vector<Item> items;  // of a list
};

inline constexpr std::size_t kDepthMax = 16;

// Total. One item and nothing behind it; lengths as short as they can be; lists within lists up to
// the depth. Anything else is nothing. Each item costs at least one byte of the input, so memory is
// bounded by its length.
[[nodiscard]] std::optional<Item> decode(core::ByteView bytes, std::size_t depthMax = kDepthMax);
[[nodiscard]] core::Bytes encode(const Item &item);

// Nothing for lists, leading zeros, and more than 256 bits.
[[nodiscard]] std::optional<Uint256> integer(const Item &item);
}  // namespace relayer::chain::rlp
