#include "chain/request_signatures.h"

#include "chain/ecdsa.h"
#include "chain/eip712.h"
#include "core/handle.h"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace relayer::chain
{
namespace
{
constexpr std::size_t kWidth = 65;

std::optional<std::uint8_t> recoveryIdOf(std::uint8_t v, SignatureForm form)
{
    constexpr std::uint8_t kOfContracts = 27;
    constexpr std::uint8_t kOfChains = 35;
    if (v == kOfContracts || v == kOfContracts + 1)
    {
        return static_cast<std::uint8_t>(v - kOfContracts);
    }
    if (form == SignatureForm::OfContracts)
    {
        return std::nullopt;
    }
    if (v >= kOfChains)
    {
        return static_cast<std::uint8_t>((v - kOfChains) % 2);
    }
    return v <= 1 ? std::optional(v) : std::nullopt;
}

std::uint64_t hostChainOf(const core::DirectUserDecrypt &request)
{
    return request.contractsChainId;
}

std::uint64_t hostChainOf(const core::DelegatedUserDecrypt &request)
{
    return request.contractsChainId;
}

std::uint64_t hostChainOf(const core::UnifiedUserDecrypt &request)
{
    return request.handles.empty() ? 0 : core::hostChainOf(request.handles.front().handle);
}

core::Address askerOf(const core::DirectUserDecrypt &request)
{
    return request.user;
}

core::Address askerOf(const core::DelegatedUserDecrypt &request)
{
    return request.delegate;
}

core::Address askerOf(const core::UnifiedUserDecrypt &request)
{
    return request.user;
}
}  // namespace

std::optional<Signature> readSignature(core::ByteView bytes, SignatureForm form)
{
    if (bytes.size() != kWidth)
    {
        return std::nullopt;
    }
    const auto recoveryId = recoveryIdOf(bytes.back(), form);
    if (!recoveryId)
    {
        return std::nullopt;
    }
    Signature signature;
    const core::ByteView r = bytes.first(signature.r.size());
    const core::ByteView s = bytes.subspan(signature.r.size(), signature.s.size());
    std::copy(r.begin(), r.end(), signature.r.begin());
    std::copy(s.begin(), s.end(), signature.s.begin());
    signature.recoveryId = *recoveryId;
    const bool wrongHalf = form == SignatureForm::OfContracts && !hasLowS(signature);
    return wrongHalf ? std::nullopt : std::optional(signature);
}

core::Hash32 signedDigest(const core::UserDecrypt &request, const core::Address &decryption)
{
    return std::visit(
        [&decryption](const auto &sort) {
            return typedDigest(decryptionDomain(hostChainOf(sort), decryption), sort);
        },
        request);
}

bool isSignedByAsker(const core::UserDecrypt &request, const core::Address &decryption)
{
    const bool unified = std::holds_alternative<core::UnifiedUserDecrypt>(request);
    const auto form = unified ? SignatureForm::OfWallets : SignatureForm::OfContracts;
    return std::visit(
        [&](const auto &sort) {
            const auto signature = readSignature(sort.signature, form);
            return signature &&
                   recoverAddress(signedDigest(request, decryption), *signature) == askerOf(sort);
        },
        request);
}
}  // namespace relayer::chain
