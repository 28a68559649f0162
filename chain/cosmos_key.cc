#include "chain/cosmos_key.h"

#include "chain/curve_context.h"

#include <cryptopp/ripemd.h>
#include <cryptopp/sha.h>

namespace relayer::chain
{
namespace
{
constexpr std::size_t kKeySize = 33;
constexpr std::size_t kSignatureSize = 64;
}  // namespace

bool hasSigned(core::ByteView key, const core::Hash32 &digest, core::ByteView signature)
{
    static const CurveContext context = newCurveContext();
    secp256k1_pubkey point;
    secp256k1_ecdsa_signature read;
    // Who verifies takes only a low s.
    return key.size() == kKeySize && signature.size() == kSignatureSize &&
           secp256k1_ec_pubkey_parse(context.get(), &point, key.data(), key.size()) == 1 &&
           secp256k1_ecdsa_signature_parse_compact(context.get(), &read, signature.data()) == 1 &&
           secp256k1_ecdsa_verify(context.get(), &read, digest.data(), &point) == 1;
}

std::array<std::uint8_t, 20> cosmosAccount(core::ByteView key)
{
    std::array<std::uint8_t, CryptoPP::SHA256::DIGESTSIZE> inner{};
    CryptoPP::SHA256().CalculateDigest(inner.data(), key.data(), key.size());
    std::array<std::uint8_t, CryptoPP::RIPEMD160::DIGESTSIZE> account{};
    CryptoPP::RIPEMD160().CalculateDigest(account.data(), inner.data(), inner.size());
    return account;
}
}  // namespace relayer::chain
