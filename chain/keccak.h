// Keccak-256 as the chain has it, which is not the SHA-3 of the standard (other padding).
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

namespace relayer::chain
{
[[nodiscard]] core::Hash32 keccak256(core::ByteView bytes);
}  // namespace relayer::chain
