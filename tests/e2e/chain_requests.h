// Requests of all sorts that the devnet's contracts take, made of a number: the same number, the
// same content.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/lifecycle.h"
#include "e2e/requests.h"

#include <cstdint>
#include <string>

namespace relayer::test
{
enum class Sort : std::uint8_t
{
    InputProof,
    PublicDecrypt,
    DirectUserDecrypt,
    DelegatedUserDecrypt,
    UnifiedUserDecrypt,
};
inline constexpr std::uint64_t kSorts = 5;

[[nodiscard]] constexpr Sort sortOf(std::uint64_t number)
{
    return static_cast<Sort>(number % kSorts);
}
// Input proofs that the devnet's coprocessors find wrong: one in eight.
[[nodiscard]] constexpr bool isBadProof(std::uint64_t number)
{
    return sortOf(number) == Sort::InputProof && (number / kSorts) % 8 == 7;
}

// Where it is posted, and what.
struct ChainRequest
{
    std::string path;
    std::string body;
};
// Signed, where that is asked for, for the gateway's Decryption contract at that address.
[[nodiscard]] ChainRequest chainRequest(std::uint64_t number, const core::Address &decryption);
// What its transaction on the gateway carries.
[[nodiscard]] core::Bytes calldataOf(std::uint64_t number, const core::Address &decryption);
[[nodiscard]] core::Kind kindOf(std::uint64_t number);
}  // namespace relayer::test
