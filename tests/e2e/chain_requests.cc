#include "e2e/chain_requests.h"

#include "chain/gateway.h"
#include "core/decrypt.h"
#include "e2e/decrypt_bodies.h"
#include "support/devnet.h"
#include "support/wallet.h"

#include <chrono>

namespace relayer::test
{
namespace
{
constexpr std::uint64_t kHostChain = 8009;

core::Address address(std::uint8_t number)
{
    core::Address address{};
    address.fill(number);
    return address;
}

const core::Address kContract = address(0x11);
const Wallet kUser(0x22);
const core::Address kDelegator = address(0x33);

// Before now by the clock of any chain here.
std::uint64_t earlier()
{
    const auto now = std::chrono::system_clock::now() - std::chrono::minutes(10);
    return static_cast<std::uint64_t>(std::chrono::system_clock::to_time_t(now));
}

core::Hash32 handleOf(std::uint64_t number)
{
    return Devnet::handle(static_cast<std::uint32_t>(number));
}

core::UserDecrypt directOf(std::uint64_t number)
{
    core::DirectUserDecrypt request;
    request.handles = {{handleOf(number), kContract}};
    request.startTimestamp = earlier();
    request.durationDays = 7;
    request.contractsChainId = kHostChain;
    request.contracts = {kContract};
    request.user = kUser.address();
    request.publicKey = core::Bytes(800, 9);
    request.extraData = {0};
    return request;
}

core::UserDecrypt delegatedOf(std::uint64_t number)
{
    core::DelegatedUserDecrypt request;
    request.handles = {{handleOf(number), kContract}};
    request.startTimestamp = earlier();
    request.durationDays = 7;
    request.delegator = kDelegator;
    request.delegate = kUser.address();
    request.contractsChainId = kHostChain;
    request.contracts = {kContract};
    request.publicKey = core::Bytes(800, 9);
    request.extraData = {0};
    return request;
}

core::UserDecrypt unifiedOf(std::uint64_t number)
{
    core::UnifiedUserDecrypt request;
    request.handles = {{handleOf(number), kContract, kUser.address()}};
    request.user = kUser.address();
    request.publicKey = core::Bytes(800, 9);
    request.allowedContracts = {kContract};
    request.startTimestamp = earlier();
    request.durationSeconds = 86'400;
    request.extraData = {0};
    return request;
}

ProofBody proofFor(std::uint64_t number)
{
    ProofBody body = proofBody(number);
    body.chainId = R"("8009")";
    body.ciphertext = (isBadProof(number) ? "deadbeef" : "00") + body.ciphertext;
    return body;
}

core::InputProof proofIn(const ProofBody &body)
{
    core::InputProof proof = proofOf(0);
    proof.contractChainId = kHostChain;
    proof.ciphertextWithProof = core::fromHex(body.ciphertext).value();
    return proof;
}

core::UserDecrypt userDecryptOf(std::uint64_t number, const core::Address &decryption)
{
    switch (sortOf(number))
    {
        case Sort::DelegatedUserDecrypt: return kUser.signedFor(delegatedOf(number), decryption);
        case Sort::UnifiedUserDecrypt: return kUser.signedFor(unifiedOf(number), decryption);
        default: return kUser.signedFor(directOf(number), decryption);
    }
}

core::PublicDecrypt publicDecryptOf(std::uint64_t number)
{
    return {{handleOf(number)}, {0}};
}
}  // namespace

core::Kind kindOf(std::uint64_t number)
{
    switch (sortOf(number))
    {
        case Sort::InputProof: return core::Kind::InputProof;
        case Sort::PublicDecrypt: return core::Kind::PublicDecrypt;
        default: return core::Kind::UserDecrypt;
    }
}

ChainRequest chainRequest(std::uint64_t number, const core::Address &decryption)
{
    switch (kindOf(number))
    {
        case core::Kind::InputProof: break;
        case core::Kind::PublicDecrypt:
            return {std::string(kPublicDecrypt), bodyOf(publicDecryptOf(number))};
        case core::Kind::UserDecrypt:
        {
            const core::UserDecrypt request = userDecryptOf(number, decryption);
            return {std::string(pathOf(request)), bodyOf(request)};
        }
    }
    return {std::string(kInputProof), proofFor(number).text()};
}

core::Bytes calldataOf(std::uint64_t number, const core::Address &decryption)
{
    switch (kindOf(number))
    {
        case core::Kind::InputProof: break;
        case core::Kind::PublicDecrypt: return chain::calldata(publicDecryptOf(number));
        case core::Kind::UserDecrypt: return chain::calldata(userDecryptOf(number, decryption));
    }
    return chain::calldata(proofIn(proofFor(number)));
}
}  // namespace relayer::test
