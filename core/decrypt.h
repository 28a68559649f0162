// Decryptions as the house knows them: decoded values, their hashes, and the bytes kept in the row.
// Three kinds of user decryption share one way through the house; they differ in what they ask the
// gateway.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"
// GCC 12 says that Kind::UserDecrypt hides the alias below, unless the enum comes first.
#include "core/lifecycle.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace relayer::core
{
struct PublicDecrypt
{
    std::vector<Hash32> handles;
    Bytes extraData;

    bool operator==(const PublicDecrypt &) const = default;
};

struct HandleOfContract
{
    Hash32 handle{};
    Address contract{};

    bool operator==(const HandleOfContract &) const = default;
};

struct HandleOfOwner
{
    Hash32 handle{};
    Address contract{};
    Address owner{};

    bool operator==(const HandleOfOwner &) const = default;
};

struct DirectUserDecrypt
{
    std::vector<HandleOfContract> handles;
    std::uint64_t startTimestamp = 0;
    std::uint32_t durationDays = 0;
    std::uint64_t contractsChainId = 0;
    std::vector<Address> contracts;
    Address user{};
    Bytes publicKey;
    Bytes signature;
    Bytes extraData;

    bool operator==(const DirectUserDecrypt &) const = default;
};

struct DelegatedUserDecrypt
{
    std::vector<HandleOfContract> handles;
    std::uint64_t startTimestamp = 0;
    std::uint32_t durationDays = 0;
    Address delegator{};
    Address delegate{};
    std::uint64_t contractsChainId = 0;
    std::vector<Address> contracts;
    Bytes publicKey;
    Bytes signature;
    Bytes extraData;

    bool operator==(const DelegatedUserDecrypt &) const = default;
};

struct UnifiedUserDecrypt
{
    std::vector<HandleOfOwner> handles;
    Address user{};
    Bytes publicKey;
    std::vector<Address> allowedContracts;
    std::uint64_t startTimestamp = 0;
    std::uint64_t durationSeconds = 0;
    Bytes signature;
    Bytes extraData;

    bool operator==(const UnifiedUserDecrypt &) const = default;
};

using UserDecrypt = std::variant<DirectUserDecrypt, DelegatedUserDecrypt, UnifiedUserDecrypt>;

[[nodiscard]] ContentHash contentHash(const PublicDecrypt &request);
[[nodiscard]] ContentHash contentHash(const UserDecrypt &request);

// Whether the signature was seen to be of the one who asks (of a delegated request: the delegate).
enum class Signer : std::uint8_t
{
    Proven,
    Unproven,
};

// The reference leaves the signature out of the hash, so that who knows the rest of a request could
// post it with a signature of their own, and let the real one join what must fail. Here only
// requests whose signer is proven share that hash. Into that of any other its signature is mixed:
// it joins exact repeats, and nobody joins it.
[[nodiscard]] ContentHash contentHash(const UserDecrypt &request, Signer signer);

// The row's payload, as in core/input_proof.h. Decoding is total, and never allocates more than the
// payload is long.
[[nodiscard]] Bytes encodePayload(const PublicDecrypt &request);
[[nodiscard]] Bytes encodePayload(const UserDecrypt &request);
[[nodiscard]] std::optional<PublicDecrypt> decodePublicDecrypt(ByteView payload);
[[nodiscard]] std::optional<UserDecrypt> decodeUserDecrypt(ByteView payload);
}  // namespace relayer::core
