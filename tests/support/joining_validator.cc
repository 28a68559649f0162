#include "support/joining_validator.h"

#include "chain/cosmos_key.h"
#include "chain/curve_context.h"
#include "core/base64.h"
#include "core/bech32.h"
#include "core/content_hash.h"
#include "wire/join_request.h"

namespace relayer::test
{
JoiningValidator::JoiningValidator(std::uint8_t number) : key_(33)
{
    secret_.fill(number);
    const auto context = chain::newCurveContext();
    secp256k1_pubkey point;
    std::size_t size = key_.size();
    if (secp256k1_ec_pubkey_create(context.get(), &point, secret_.data()) != 1 ||
        secp256k1_ec_pubkey_serialize(context.get(), key_.data(), &size, &point,
                                      SECP256K1_EC_COMPRESSED) != 1)
    {
        key_.clear();
    }
}

std::string JoiningValidator::address(const std::string &prefix) const
{
    return core::toBech32(prefix, chain::cosmosAccount(key_));
}

std::string JoiningValidator::body(std::int64_t timestamp, const Changes &changes) const
{
    wire::JoinRequest request;
    request.operatorAddress = changes.address.value_or(address());
    request.url = changes.url.value_or("https://validator.example");
    request.moniker = changes.moniker.value_or("a validator");
    request.timestamp = timestamp;
    core::ContentHasher hasher;
    const auto digest = hasher.text(wire::signedDocument(request)).finish();
    const auto context = chain::newCurveContext();
    secp256k1_ecdsa_signature signature;
    core::Bytes bytes(64);
    secp256k1_ecdsa_sign(context.get(), &signature, digest.data(), secret_.data(), nullptr,
                         nullptr);
    secp256k1_ecdsa_signature_serialize_compact(context.get(), bytes.data(), &signature);
    return R"({"operator_address":")" + request.operatorAddress + R"(","url":")" + request.url +
           R"(","moniker":")" + request.moniker + R"(","timestamp":)" + std::to_string(timestamp) +
           R"(,"signature":")" + changes.signature.value_or(core::toBase64(bytes)) +
           R"(","pub_key":")" + changes.key.value_or(core::toBase64(key_)) + R"("})";
}
}  // namespace relayer::test
