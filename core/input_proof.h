// An input proof as the house knows it: decoded values, their hash, and the bytes kept in the row.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <cstdint>
#include <optional>

namespace relayer::core
{
struct InputProof
{
    std::uint64_t contractChainId = 0;
    Address contractAddress{};
    Address userAddress{};
    Bytes ciphertextWithProof;
    Bytes extraData;

    bool operator==(const InputProof &) const = default;
};

[[nodiscard]] ContentHash contentHash(const InputProof &proof);

// The row's payload: a format byte, then fixed-width fields, then length-prefixed bytes
// (docs/architecture.md). Decoding is total: any bytes give a value or nothing.
[[nodiscard]] Bytes encodePayload(const InputProof &proof);
[[nodiscard]] std::optional<InputProof> decodeInputProof(ByteView payload);
}  // namespace relayer::core
