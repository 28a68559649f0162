#include "chain/ecdsa.h"

#include "chain/curve_context.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>
#include <array>

namespace relayer::chain
{
namespace
{
using Compact = std::array<std::uint8_t, 64>;

// Only checks with it, and a context that nobody changes may be used by all threads.
const secp256k1_context *context()
{
    static const CurveContext shared = newCurveContext();
    return shared.get();
}

Compact compact(const core::Hash32 &r, const core::Hash32 &s)
{
    Compact both{};
    std::copy(r.begin(), r.end(), both.begin());
    std::copy(s.begin(), s.end(), both.begin() + 32);
    return both;
}

PublicKey inFull(const secp256k1_pubkey &key)
{
    std::array<std::uint8_t, 65> out{};
    std::size_t size = out.size();
    secp256k1_ec_pubkey_serialize(context(), out.data(), &size, &key, SECP256K1_EC_UNCOMPRESSED);
    PublicKey point{};
    std::copy(out.begin() + 1, out.end(), point.begin());
    return point;
}

// Everything before the point: SEQUENCE(SEQUENCE(id-ecPublicKey, secp256k1), BIT STRING).
constexpr std::array<std::uint8_t, 23> kBeforeFullPoint = {
    0x30, 0x56, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02,
    0x01, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a, 0x03, 0x42, 0x00};
constexpr std::array<std::uint8_t, 23> kBeforeCompressedPoint = {
    0x30, 0x36, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02,
    0x01, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a, 0x03, 0x22, 0x00};
constexpr std::size_t kFullPoint = 65;
constexpr std::size_t kCompressedPoint = 33;

bool startsWith(core::ByteView bytes, core::ByteView start)
{
    return bytes.size() >= start.size() && std::equal(start.begin(), start.end(), bytes.begin());
}
}  // namespace

std::optional<PublicKey> recoverKey(const core::Hash32 &digest, const Signature &signature)
{
    if (signature.recoveryId > 3)
    {
        return std::nullopt;  // the library takes it for a fault of its caller and aborts
    }
    secp256k1_ecdsa_recoverable_signature parsed;
    secp256k1_pubkey key;
    if (secp256k1_ecdsa_recoverable_signature_parse_compact(
            context(), &parsed, compact(signature.r, signature.s).data(), signature.recoveryId) !=
            1 ||
        secp256k1_ecdsa_recover(context(), &key, &parsed, digest.data()) != 1)
    {
        return std::nullopt;
    }
    return inFull(key);
}

std::optional<core::Address> recoverAddress(const core::Hash32 &digest, const Signature &signature)
{
    const auto key = recoverKey(digest, signature);
    if (!key)
    {
        return std::nullopt;
    }
    return addressOf(*key);
}

bool hasLowS(const Signature &signature)
{
    // Half of the order, rounded down.
    static constexpr core::Hash32 kHalf = {0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                           0x5d, 0x57, 0x6e, 0x73, 0x57, 0xa4, 0x50, 0x1d,
                                           0xdf, 0xe9, 0x2f, 0x46, 0x68, 0x1b, 0x20, 0xa0};
    return signature.s <= kHalf;
}

Signature withLowS(Signature signature)
{
    secp256k1_ecdsa_signature parsed;
    if (secp256k1_ecdsa_signature_parse_compact(context(), &parsed,
                                                compact(signature.r, signature.s).data()) != 1 ||
        secp256k1_ecdsa_signature_normalize(context(), &parsed, &parsed) != 1)
    {
        return signature;  // low already, or no signature at all
    }
    Compact both{};
    secp256k1_ecdsa_signature_serialize_compact(context(), both.data(), &parsed);
    std::copy(both.begin() + 32, both.end(), signature.s.begin());
    signature.recoveryId ^= 1U;
    return signature;
}

std::optional<std::uint8_t> recoveryIdFor(const core::Hash32 &digest, const core::Hash32 &r,
                                          const core::Hash32 &s, const core::Address &address)
{
    for (std::uint8_t id = 0; id < 4; ++id)
    {
        if (recoverAddress(digest, {r, s, id}) == address)
        {
            return id;
        }
    }
    return std::nullopt;
}

std::optional<Signature> signatureFromDer(core::ByteView der, const core::Hash32 &digest,
                                          const core::Address &address)
{
    secp256k1_ecdsa_signature parsed;
    if (der.empty() ||
        secp256k1_ecdsa_signature_parse_der(context(), &parsed, der.data(), der.size()) != 1)
    {
        return std::nullopt;
    }
    secp256k1_ecdsa_signature_normalize(context(), &parsed, &parsed);
    Compact both{};
    secp256k1_ecdsa_signature_serialize_compact(context(), both.data(), &parsed);
    Signature signature;
    std::copy(both.begin(), both.begin() + 32, signature.r.begin());
    std::copy(both.begin() + 32, both.end(), signature.s.begin());
    const auto id = recoveryIdFor(digest, signature.r, signature.s, address);
    if (!id)
    {
        return std::nullopt;
    }
    signature.recoveryId = *id;
    return signature;
}

std::optional<PublicKey> publicKeyFromDer(core::ByteView der)
{
    const core::ByteView point =
        der.size() > kBeforeFullPoint.size() ? der.subspan(kBeforeFullPoint.size()) : der;
    const bool full = startsWith(der, kBeforeFullPoint) && point.size() == kFullPoint &&
                      point.front() == SECP256K1_TAG_PUBKEY_UNCOMPRESSED;
    const bool compressed =
        startsWith(der, kBeforeCompressedPoint) && point.size() == kCompressedPoint;
    secp256k1_pubkey key;
    if ((!full && !compressed) ||
        secp256k1_ec_pubkey_parse(context(), &key, point.data(), point.size()) != 1)
    {
        return std::nullopt;
    }
    return inFull(key);
}
}  // namespace relayer::chain
