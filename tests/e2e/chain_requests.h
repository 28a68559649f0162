// Requests of all sorts that the devnet's contracts take, made of a number: the same number, the
// same content. Input proofs go over HTTP; decryptions have no route yet and go into the store.
#pragma once

#include "e2e/requests.h"
#include "models/request_types.h"

#include <cstdint>

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

[[nodiscard]] ProofBody chainProof(std::uint64_t number);
[[nodiscard]] models::NewRequest chainDecrypt(std::uint64_t number);
}  // namespace relayer::test
