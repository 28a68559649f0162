// Transactions: what is signed, and the bytes that go to a node.
#pragma once

#include "chain/signer.h"
#include "chain/uint256.h"
#include "core/address.h"
#include "core/bytes.h"

#include <cstdint>
#include <optional>

namespace relayer::chain
{
struct Transaction
{
    std::uint64_t chainId = 0;
    std::uint64_t nonce = 0;
    std::uint64_t gasLimit = 0;
    // Without a priority fee it is a legacy transaction (EIP-155) and maxFeePerGas its gas price;
    // with one it is of type 2 (EIP-1559) with an empty access list.
    Uint256 maxFeePerGas;
    std::optional<Uint256> maxPriorityFeePerGas;
    core::Address to{};
    Uint256 value;
    core::Bytes data;

    bool operator==(const Transaction &) const = default;
};

[[nodiscard]] core::Hash32 signingDigest(const Transaction &transaction);
[[nodiscard]] core::Bytes encode(const Transaction &transaction, const Signature &signature);
// Of the signed bytes: what the chain calls the transaction.
[[nodiscard]] core::Hash32 transactionHash(core::ByteView raw);

struct SignedTransaction
{
    Transaction transaction;
    Signature signature;
};
// Total: any bytes give a transaction of these two types, or nothing.
[[nodiscard]] std::optional<SignedTransaction> decodeTransaction(core::ByteView raw);
// Nothing when the signature is none.
[[nodiscard]] std::optional<core::Address> senderOf(const SignedTransaction &signedTransaction);
}  // namespace relayer::chain
