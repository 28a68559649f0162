#include "chain/gateway.h"

#include "chain/abi.h"

namespace relayer::chain
{
namespace
{
enum Selector : std::uint32_t
{
    VerifyProofRequest = 0xa7004996,
    PublicDecryptionRequest = 0xd8998f45,
    UserDecryptionRequest = 0xf1b57adb,
    DelegatedUserDecryptionRequest = 0x9fad5a2f,
    UnifiedUserDecryptionRequest = 0xb4de2c37,
};

abi::TupleWriter words(const std::vector<core::Hash32> &all)
{
    abi::TupleWriter out;
    for (const core::Hash32 &word : all)
    {
        out.word(word);
    }
    return out;
}

abi::TupleWriter addresses(const std::vector<core::Address> &all)
{
    abi::TupleWriter out;
    for (const core::Address &address : all)
    {
        out.address(address);
    }
    return out;
}

abi::TupleWriter pairs(const std::vector<core::HandleOfContract> &all)
{
    abi::TupleWriter out;
    for (const core::HandleOfContract &pair : all)
    {
        out.word(pair.handle).address(pair.contract);
    }
    return out;
}

abi::TupleWriter entries(const std::vector<core::HandleOfOwner> &all)
{
    abi::TupleWriter out;
    for (const core::HandleOfOwner &entry : all)
    {
        out.word(entry.handle).address(entry.contract).address(entry.owner);
    }
    return out;
}

abi::TupleWriter contractsInfo(std::uint64_t chainId, const std::vector<core::Address> &contracts)
{
    abi::TupleWriter out;
    out.number(chainId).array(contracts.size(), addresses(contracts));
    return out;
}

core::Bytes callOf(const core::DirectUserDecrypt &request)
{
    return abi::TupleWriter()
        .array(request.handles.size(), pairs(request.handles))
        .number(request.startTimestamp)
        .number(request.durationDays)
        .tuple(contractsInfo(request.contractsChainId, request.contracts))
        .address(request.user)
        .bytes(request.publicKey)
        .bytes(request.signature)
        .bytes(request.extraData)
        .call(UserDecryptionRequest);
}

core::Bytes callOf(const core::DelegatedUserDecrypt &request)
{
    return abi::TupleWriter()
        .array(request.handles.size(), pairs(request.handles))
        .number(request.startTimestamp)
        .number(request.durationDays)
        .address(request.delegator)
        .address(request.delegate)
        .tuple(contractsInfo(request.contractsChainId, request.contracts))
        .bytes(request.publicKey)
        .bytes(request.signature)
        .bytes(request.extraData)
        .call(DelegatedUserDecryptionRequest);
}

core::Bytes callOf(const core::UnifiedUserDecrypt &request)
{
    return abi::TupleWriter()
        .array(request.handles.size(), entries(request.handles))
        .address(request.user)
        .bytes(request.publicKey)
        .array(request.allowedContracts.size(), addresses(request.allowedContracts))
        .number(request.startTimestamp)
        .number(request.durationSeconds)
        .bytes(request.signature)
        .bytes(request.extraData)
        .call(UnifiedUserDecryptionRequest);
}
}  // namespace

core::Bytes calldata(const core::InputProof &proof)
{
    constexpr std::size_t kLengthsAndPadding = 4 * abi::kWord;
    return abi::TupleWriter()
        .reserve(proof.ciphertextWithProof.size() + proof.extraData.size() + kLengthsAndPadding)
        .number(proof.contractChainId)
        .address(proof.contractAddress)
        .address(proof.userAddress)
        .bytes(proof.ciphertextWithProof)
        .bytes(proof.extraData)
        .call(VerifyProofRequest);
}

core::Bytes calldata(const core::PublicDecrypt &request)
{
    return abi::TupleWriter()
        .array(request.handles.size(), words(request.handles))
        .bytes(request.extraData)
        .call(PublicDecryptionRequest);
}

core::Bytes calldata(const core::UserDecrypt &request)
{
    return std::visit([](const auto &kind) { return callOf(kind); }, request);
}
}  // namespace relayer::chain
