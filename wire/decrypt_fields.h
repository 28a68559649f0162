// Fields that several kinds of decryption requests have, and how they are decoded. A part of
// decrypt_requests.h.
#pragma once

#include "core/decrypt.h"
#include "wire/fields.h"

#include <vector>

namespace relayer::wire
{
// With the chain id of the example of input proofs in it.
inline constexpr std::string_view kExampleHandle =
    R"("0x6b1f0c2d9e8a7b6c5d4e3f20112233445566778899000000000000aa36a70500")";
inline constexpr std::string_view kExampleContract =
    R"("0x5fbdb2315678afecb367f032d93f642f64180aa3")";
inline constexpr std::string_view kExampleUser = R"("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")";
inline constexpr std::string_view kExampleOther = R"("0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc")";

inline constexpr FieldRule kExtraDataField = {
    .name = "extraData",
    .rules = {&rules::kExtraData},
    .description = "Which KMS context the answer is wanted of; 0x00: the one of the day",
    .example = R"("0x00")"};

[[nodiscard]] std::vector<core::Address> addressesOf(const Value &list);
}  // namespace relayer::wire
