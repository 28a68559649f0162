// Signatures of accounts that are contracts: they say themselves whether they have signed
// (ERC-1271).
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

namespace relayer::chain
{
// isValidSignature of the account.
[[nodiscard]] core::Bytes isValidSignature(const core::Hash32 &digest, core::ByteView signature);

// Whether the answer means yes: a whole word that begins with the selector of the question. An
// account without code answers nothing.
[[nodiscard]] bool saysValid(core::ByteView answer);
}  // namespace relayer::chain
