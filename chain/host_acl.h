// What a decryption has to be allowed by the ACL contracts of its handles' host chains: the
// questions, how many of them go into one call, and what is said when an answer is no.
//
// The kinds of request ask differently: of a direct one, the user and the contract must both be
// allowed; of a unified one whose user owns the handle, only the user.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"
#include "core/decrypt.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayer::chain
{
struct AclQuestion
{
    enum class Check : std::uint8_t
    {
        AllowedForDecryption,
        AllowedToUser,
        AllowedToContract,
        Delegated,         // by the delegator of the request
        DelegatedByOwner,  // by the owner of the handle
    };
    core::Hash32 handle{};
    Check check = Check::AllowedForDecryption;
    core::Address account{};  // the user, or the contract, or the owner
    core::Address user{};     // of DelegatedByOwner
    core::Bytes call;         // of the ACL contract
};

// In the order of the request.
[[nodiscard]] std::vector<AclQuestion> aclQuestions(const core::PublicDecrypt &request);
[[nodiscard]] std::vector<AclQuestion> aclQuestions(const core::UserDecrypt &request);

// For clients, word for word as the reference says it. `refused` is not empty.
[[nodiscard]] std::string aclRefusal(const std::vector<AclQuestion> &refused);

// multicall(bytes[]), which the ACL contract has; answered by bytes[].
[[nodiscard]] core::Bytes multicall(const std::vector<core::ByteView> &calls);
// One yes or no for each call. Nothing: another count, or an element that is no answer.
[[nodiscard]] std::optional<std::vector<bool>> multicallAnswer(core::ByteView answer,
                                                               std::size_t calls);
}  // namespace relayer::chain
