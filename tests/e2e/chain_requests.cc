#include "e2e/chain_requests.h"

#include "core/decrypt.h"
#include "support/devnet.h"
#include "support/test_store.h"

#include <chrono>
#include <stdexcept>

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
const core::Address kUser = address(0x22);
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
    request.user = kUser;
    request.publicKey = core::Bytes(800, 9);
    request.signature = core::Bytes(65, 3);
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
    request.delegate = kUser;
    request.contractsChainId = kHostChain;
    request.contracts = {kContract};
    request.publicKey = core::Bytes(800, 9);
    request.signature = core::Bytes(65, 3);
    request.extraData = {0};
    return request;
}

core::UserDecrypt unifiedOf(std::uint64_t number)
{
    core::UnifiedUserDecrypt request;
    request.handles = {{handleOf(number), kContract, kUser}};
    request.user = kUser;
    request.publicKey = core::Bytes(800, 9);
    request.allowedContracts = {kContract};
    request.startTimestamp = earlier();
    request.durationSeconds = 86'400;
    request.signature = core::Bytes(65, 3);
    request.extraData = {0};
    return request;
}

models::NewRequest rowOf(std::uint64_t number, models::Variant variant,
                         const core::UserDecrypt &decrypt)
{
    models::NewRequest row;
    row.kind = core::Kind::UserDecrypt;
    row.variant = variant;
    row.jobId = jobId(number);
    row.contentHash = core::contentHash(decrypt);
    row.payload = core::encodePayload(decrypt);
    return row;
}

models::NewRequest rowOf(std::uint64_t number, const core::PublicDecrypt &decrypt)
{
    models::NewRequest row;
    row.kind = core::Kind::PublicDecrypt;
    row.jobId = jobId(number);
    row.contentHash = core::contentHash(decrypt);
    row.payload = core::encodePayload(decrypt);
    return row;
}
}  // namespace

ProofBody chainProof(std::uint64_t number)
{
    ProofBody body = proofBody(number);
    body.chainId = R"("8009")";
    body.ciphertext = (isBadProof(number) ? "deadbeef" : "00") + body.ciphertext;
    return body;
}

models::NewRequest chainDecrypt(std::uint64_t number)
{
    using models::Variant;
    switch (sortOf(number))
    {
        case Sort::InputProof: break;
        case Sort::PublicDecrypt: return rowOf(number, {{handleOf(number)}, {0}});
        case Sort::DirectUserDecrypt: return rowOf(number, Variant::Direct, directOf(number));
        case Sort::DelegatedUserDecrypt:
            return rowOf(number, Variant::Delegated, delegatedOf(number));
        case Sort::UnifiedUserDecrypt: return rowOf(number, Variant::Unified, unifiedOf(number));
    }
    throw std::logic_error("an input proof goes over HTTP");
}
}  // namespace relayer::test
