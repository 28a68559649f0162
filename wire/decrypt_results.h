// The `result` of GET 200 for decryptions. Values and signatures are hex without 0x, extra data has
// one: that is how clients of the reference read them.
#pragma once

#include "core/decrypt_shares.h"
#include "core/public_decrypt_result.h"

#include <span>
#include <string>

namespace relayer::wire
{
[[nodiscard]] std::string publicDecryptResult(const core::PublicDecryptResult &result);

// In the order in which they are given (core::earliestShares).
[[nodiscard]] std::string userDecryptResult(std::span<const core::DecryptShare> shares);
}  // namespace relayer::wire
