#include "support/wallet.h"

#include "chain/private_key_signer.h"
#include "chain/request_signatures.h"

#include <variant>

namespace relayer::test
{
namespace
{
core::Hash32 keyOf(std::uint8_t number)
{
    core::Hash32 key{};
    key.fill(0x5a);
    key.back() = number;
    return key;
}
}  // namespace

Wallet::Wallet(std::uint8_t number) : Wallet(keyOf(number)) {}

Wallet::Wallet(const core::Hash32 &key) : signer_(chain::signerWithKey(key)) {}

core::Bytes Wallet::sign(const core::Hash32 &digest) const
{
    core::Bytes bytes;
    signer_->sign(digest, [&bytes](const chain::Signer::Signed &outcome) {
        const auto &signature = std::get<chain::Signature>(outcome);
        bytes.insert(bytes.end(), signature.r.begin(), signature.r.end());
        bytes.insert(bytes.end(), signature.s.begin(), signature.s.end());
        bytes.push_back(static_cast<std::uint8_t>(27 + signature.recoveryId));
    });
    return bytes;
}

core::UserDecrypt Wallet::signedFor(core::UserDecrypt request,
                                    const core::Address &decryption) const
{
    const core::Bytes signature = sign(chain::signedDigest(request, decryption));
    std::visit([&signature](auto &sort) { sort.signature = signature; }, request);
    return request;
}
}  // namespace relayer::test
