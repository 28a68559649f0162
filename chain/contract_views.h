// Questions that cost no gas: what goes into an eth_call, and what its answer says.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"
#include "core/decrypt.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::chain
{
// Decryption, on the gateway. Answered by a bool.
[[nodiscard]] core::Bytes isPublicDecryptionReady(const std::vector<core::Hash32> &handles,
                                                  core::ByteView extraData);
[[nodiscard]] core::Bytes isUserDecryptionReady(const std::vector<core::HandleOfContract> &handles,
                                                core::ByteView extraData);

// ProtocolConfig, on the host chain: how many shares a decryption of this KMS context needs.
// Answered by a number.
[[nodiscard]] core::Bytes userDecryptionThresholdFor(const core::Hash32 &contextId);

// Total; anything that is not one such value is nothing, and so is a number above 32 bits.
[[nodiscard]] std::optional<bool> boolAnswer(core::ByteView answer);
[[nodiscard]] std::optional<std::uint32_t> uint32Answer(core::ByteView answer);

// The KMS context that the extra data of a share names; zero is the current one. Nothing for
// versions and lengths that are not known.
[[nodiscard]] std::optional<core::Hash32> contextIn(core::ByteView extraData);
}  // namespace relayer::chain
