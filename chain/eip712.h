// Digests of typed data (EIP-712): what users, KMS nodes and coprocessors sign for the gateway.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"
#include "core/decrypt.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace relayer::chain
{
struct TypedDomain
{
    std::string_view name;
    std::string_view version;
    std::uint64_t chainId = 0;
    core::Address contract{};
};

// Requests are signed with the chain id of the host chain, answers with that of the gateway; the
// contract is on the gateway in both cases.
[[nodiscard]] TypedDomain decryptionDomain(std::uint64_t chainId, const core::Address &contract);
[[nodiscard]] TypedDomain inputVerificationDomain(std::uint64_t chainId,
                                                  const core::Address &contract);
[[nodiscard]] core::Hash32 domainSeparator(const TypedDomain &domain);

// What a KMS node signs of a public decryption.
struct PublicDecryptAnswer
{
    std::vector<core::Hash32> handles;
    core::Bytes result;
    core::Bytes extraData;
};

// What a KMS node signs of its share of a user decryption.
struct UserDecryptShare
{
    core::Bytes publicKey;
    std::vector<core::Hash32> handles;
    core::Bytes share;
    core::Bytes extraData;
};

// What a coprocessor signs of a proof that it accepts.
struct VerifiedInput
{
    std::vector<core::Hash32> handles;
    core::Address user{};
    core::Address contract{};
    std::uint64_t contractChainId = 0;
    core::Bytes extraData;
};

// Of requests only the fields that are signed count: handles and the signature itself are not.
[[nodiscard]] core::Hash32 structHash(const core::DirectUserDecrypt &request);
[[nodiscard]] core::Hash32 structHash(const core::DelegatedUserDecrypt &request);
[[nodiscard]] core::Hash32 structHash(const core::UnifiedUserDecrypt &request);
[[nodiscard]] core::Hash32 structHash(const PublicDecryptAnswer &answer);
[[nodiscard]] core::Hash32 structHash(const UserDecryptShare &share);
[[nodiscard]] core::Hash32 structHash(const VerifiedInput &input);

[[nodiscard]] core::Hash32 typedDigest(const core::Hash32 &domainSeparator,
                                       const core::Hash32 &structHash);
template <typename Struct>
[[nodiscard]] core::Hash32 typedDigest(const TypedDomain &domain, const Struct &signedStruct)
{
    return typedDigest(domainSeparator(domain), structHash(signedStruct));
}

// The types as they are hashed; the first is the domain's.
namespace typed
{
inline constexpr std::string_view kDomain =
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
inline constexpr std::string_view kDirectUserDecrypt =
    "UserDecryptRequestVerification(bytes publicKey,address[] contractAddresses,"
    "uint256 startTimestamp,uint256 durationDays,bytes extraData)";
inline constexpr std::string_view kDelegatedUserDecrypt =
    "DelegatedUserDecryptRequestVerification(bytes publicKey,address[] contractAddresses,"
    "address delegatorAddress,uint256 startTimestamp,uint256 durationDays,bytes extraData)";
inline constexpr std::string_view kUnifiedUserDecrypt =
    "UserDecryptRequestVerification(address userAddress,bytes publicKey,"
    "address[] allowedContracts,uint256 startTimestamp,uint256 durationSeconds,bytes extraData)";
inline constexpr std::string_view kPublicDecryptAnswer =
    "PublicDecryptVerification(bytes32[] ctHandles,bytes decryptedResult,bytes extraData)";
inline constexpr std::string_view kUserDecryptShare =
    "UserDecryptResponseVerification(bytes publicKey,bytes32[] ctHandles,"
    "bytes userDecryptedShare,bytes extraData)";
inline constexpr std::string_view kVerifiedInput =
    "CiphertextVerification(bytes32[] ctHandles,address userAddress,address contractAddress,"
    "uint256 contractChainId,bytes extraData)";

[[nodiscard]] core::Hash32 typeHash(std::string_view type);
}  // namespace typed
}  // namespace relayer::chain
