// Whose signature a user decryption carries, as far as that shows without asking a chain.
#pragma once

#include "chain/signer.h"
#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"
#include "core/decrypt.h"

#include <cstdint>
#include <optional>

namespace relayer::chain
{
enum class SignatureForm : std::uint8_t
{
    // As contracts take it: v is 27 or 28, and s is the lower of the two that are possible.
    // Everybody can make the other one out of it, so there it is no signature.
    OfContracts,
    // As wallets write it: v may also be 0, 1, or a chain's (35 and above), and s either.
    OfWallets,
};

// r, s and v in 65 bytes.
[[nodiscard]] std::optional<Signature> readSignature(core::ByteView bytes, SignatureForm form);

// What is signed, for the Decryption contract of the gateway. The domain has the host chain's id:
// of the older sorts the one that they name, of a unified request that of its first handle.
[[nodiscard]] core::Hash32 signedDigest(const core::UserDecrypt &request,
                                        const core::Address &decryption);

// Whether the key of the one who asks has signed: of the user, of a delegated request the delegate.
// The contract looks at the older sorts itself, and finds the same.
[[nodiscard]] bool isSignedByAsker(const core::UserDecrypt &request,
                                   const core::Address &decryption);
}  // namespace relayer::chain
