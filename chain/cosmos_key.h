// Keys of accounts on chains of the Cosmos family: what they have signed, and which account is
// theirs.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

#include <array>
#include <cstdint>

namespace relayer::chain
{
// Whether the owner of this compressed key (33 bytes) has signed the digest: r and s, with the
// smaller s of the two. Total.
[[nodiscard]] bool hasSigned(core::ByteView key, const core::Hash32 &digest,
                             core::ByteView signature);
// RIPEMD-160 of the SHA-256 of the key.
[[nodiscard]] std::array<std::uint8_t, 20> cosmosAccount(core::ByteView key);
}  // namespace relayer::chain
