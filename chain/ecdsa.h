// Signatures of secp256k1: whose they are, and how they come out of DER. What signs is a Signer.
#pragma once

#include "chain/address.h"
#include "chain/signer.h"
#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <cstdint>
#include <optional>

namespace relayer::chain
{
// The key that has signed. Takes an s of either half; nothing when r, s and the id are no
// signature.
[[nodiscard]] std::optional<PublicKey> recoverKey(const core::Hash32 &digest,
                                                  const Signature &signature);
[[nodiscard]] std::optional<core::Address> recoverAddress(const core::Hash32 &digest,
                                                          const Signature &signature);

// EIP-2: of s and n - s only the smaller one is valid in a transaction.
[[nodiscard]] bool hasLowS(const Signature &signature);
// The same signature with its s in the lower half; the recovery id changes along.
[[nodiscard]] Signature withLowS(Signature signature);

// For a service that returns only r and s: the id with which they recover to this address. To be
// asked after s was made low.
[[nodiscard]] std::optional<std::uint8_t> recoveryIdFor(const core::Hash32 &digest,
                                                        const core::Hash32 &r,
                                                        const core::Hash32 &s,
                                                        const core::Address &address);

// SEQUENCE(INTEGER r, INTEGER s), strict DER, as key management services sign. Total. The result
// has a low s and the recovery id for `address`; nothing when that address did not sign the digest.
[[nodiscard]] std::optional<Signature> signatureFromDer(core::ByteView der,
                                                        const core::Hash32 &digest,
                                                        const core::Address &address);
// SubjectPublicKeyInfo of a secp256k1 key, its point in full or compressed. Total.
[[nodiscard]] std::optional<PublicKey> publicKeyFromDer(core::ByteView der);
}  // namespace relayer::chain
