// Signs with a private key in memory.
#pragma once

#include "chain/signer.h"
#include "core/content_hash.h"

#include <memory>
#include <optional>
#include <string_view>

namespace relayer::chain
{
// 64 digits, with or without 0x, of a number from 1 to the order of the curve less 1. Nothing
// otherwise; what was wrong stays unsaid, since the text may be a key with a typing error.
[[nodiscard]] std::optional<core::Hash32> parsePrivateKey(std::string_view text);

// Signatures are deterministic (RFC 6979). With 32 random bytes the arithmetic is blinded against
// those who watch its time or power; the signatures are the same. Null when the key is none.
// Done is called before sign() returns. The key is wiped when the signer goes.
[[nodiscard]] std::shared_ptr<Signer> signerWithKey(
    const core::Hash32 &key, const std::optional<core::Hash32> &blinding = std::nullopt);
}  // namespace relayer::chain
