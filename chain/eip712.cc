#include "chain/eip712.h"

#include "chain/abi.h"
#include "chain/keccak.h"

namespace relayer::chain
{
namespace
{
core::Hash32 hashOf(std::string_view text)
{
    return keccak256(core::Bytes(text.begin(), text.end()));
}

// Dynamic fields go in as their hash, an array as the hash of its elements' words. So a struct has
// heads only, as an ABI tuple of static fields.
class StructHasher
{
  public:
    explicit StructHasher(std::string_view type) { fields_.word(typed::typeHash(type)); }

    StructHasher &bytes(const core::Bytes &bytes)
    {
        fields_.word(keccak256(bytes));
        return *this;
    }
    StructHasher &address(const core::Address &address)
    {
        fields_.address(address);
        return *this;
    }
    StructHasher &number(std::uint64_t number)
    {
        fields_.number(number);
        return *this;
    }
    StructHasher &addresses(const std::vector<core::Address> &addresses)
    {
        abi::TupleWriter words;
        for (const core::Address &address : addresses)
        {
            words.address(address);
        }
        return bytes(words.finish());
    }
    StructHasher &handles(const std::vector<core::Hash32> &handles)
    {
        abi::TupleWriter words;
        for (const core::Hash32 &handle : handles)
        {
            words.word(handle);
        }
        return bytes(words.finish());
    }
    [[nodiscard]] core::Hash32 finish() const { return keccak256(fields_.finish()); }

  private:
    abi::TupleWriter fields_;
};
}  // namespace

core::Hash32 typed::typeHash(std::string_view type)
{
    return hashOf(type);
}

TypedDomain decryptionDomain(std::uint64_t chainId, const core::Address &contract)
{
    return {"Decryption", "1", chainId, contract};
}

TypedDomain inputVerificationDomain(std::uint64_t chainId, const core::Address &contract)
{
    return {"InputVerification", "1", chainId, contract};
}

core::Hash32 domainSeparator(const TypedDomain &domain)
{
    return keccak256(abi::TupleWriter()
                         .word(typed::typeHash(typed::kDomain))
                         .word(hashOf(domain.name))
                         .word(hashOf(domain.version))
                         .number(domain.chainId)
                         .address(domain.contract)
                         .finish());
}

core::Hash32 structHash(const core::DirectUserDecrypt &request)
{
    return StructHasher(typed::kDirectUserDecrypt)
        .bytes(request.publicKey)
        .addresses(request.contracts)
        .number(request.startTimestamp)
        .number(request.durationDays)
        .bytes(request.extraData)
        .finish();
}

core::Hash32 structHash(const core::DelegatedUserDecrypt &request)
{
    return StructHasher(typed::kDelegatedUserDecrypt)
        .bytes(request.publicKey)
        .addresses(request.contracts)
        .address(request.delegator)
        .number(request.startTimestamp)
        .number(request.durationDays)
        .bytes(request.extraData)
        .finish();
}

core::Hash32 structHash(const core::UnifiedUserDecrypt &request)
{
    return StructHasher(typed::kUnifiedUserDecrypt)
        .address(request.user)
        .bytes(request.publicKey)
        .addresses(request.allowedContracts)
        .number(request.startTimestamp)
        .number(request.durationSeconds)
        .bytes(request.extraData)
        .finish();
}

core::Hash32 structHash(const PublicDecryptAnswer &answer)
{
    return StructHasher(typed::kPublicDecryptAnswer)
        .handles(answer.handles)
        .bytes(answer.result)
        .bytes(answer.extraData)
        .finish();
}

core::Hash32 structHash(const UserDecryptShare &share)
{
    return StructHasher(typed::kUserDecryptShare)
        .bytes(share.publicKey)
        .handles(share.handles)
        .bytes(share.share)
        .bytes(share.extraData)
        .finish();
}

core::Hash32 structHash(const VerifiedInput &input)
{
    return StructHasher(typed::kVerifiedInput)
        .handles(input.handles)
        .address(input.user)
        .address(input.contract)
        .number(input.contractChainId)
        .bytes(input.extraData)
        .finish();
}

core::Hash32 typedDigest(const core::Hash32 &domainSeparator, const core::Hash32 &structHash)
{
    core::Bytes bytes = {0x19, 0x01};
    bytes.insert(bytes.end(), domainSeparator.begin(), domainSeparator.end());
    bytes.insert(bytes.end(), structHash.begin(), structHash.end());
    return keccak256(bytes);
}
}  // namespace relayer::chain
