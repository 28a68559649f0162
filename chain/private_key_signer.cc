#include "chain/private_key_signer.h"

#include "chain/address.h"
#include "chain/curve_context.h"
#include "core/bytes.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>
#include <array>
#include <cryptopp/secblock.h>
#include <utility>

namespace relayer::chain
{
namespace
{
class PrivateKeySigner final : public Signer
{
  public:
    PrivateKeySigner(CurveContext context, const core::Hash32 &key, const core::Address &address)
        : context_(std::move(context)), key_(key.data(), key.size()), address_(address)
    {}

    [[nodiscard]] core::Address address() const override { return address_; }

    void sign(const core::Hash32 &digest, Done done) const override
    {
        secp256k1_ecdsa_recoverable_signature made;
        if (secp256k1_ecdsa_sign_recoverable(context_.get(), &made, digest.data(), key_.data(),
                                             nullptr, nullptr) != 1)
        {
            done(Failed{"the key can not sign"});
            return;
        }
        std::array<std::uint8_t, 64> both{};
        int id = 0;
        secp256k1_ecdsa_recoverable_signature_serialize_compact(context_.get(), both.data(), &id,
                                                                &made);
        Signature signature;  // the library makes low s only
        std::copy(both.begin(), both.begin() + 32, signature.r.begin());
        std::copy(both.begin() + 32, both.end(), signature.s.begin());
        signature.recoveryId = static_cast<std::uint8_t>(id);
        done(signature);
    }

  private:
    // Constant after construction: signing from several threads is fine.
    CurveContext context_;
    CryptoPP::SecByteBlock key_;
    core::Address address_;
};
}  // namespace

std::optional<core::Hash32> parsePrivateKey(std::string_view text)
{
    if (text.starts_with("0x"))
    {
        text.remove_prefix(2);
    }
    core::Hash32 key{};
    if (text.size() != 2 * key.size())
    {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < key.size(); ++i)
    {
        const auto high = core::hexDigit(text[2 * i]);
        const auto low = core::hexDigit(text[2 * i + 1]);
        if (!high || !low)
        {
            return std::nullopt;
        }
        key.at(i) = static_cast<std::uint8_t>((*high << 4U) | *low);
    }
    if (secp256k1_ec_seckey_verify(newCurveContext().get(), key.data()) != 1)
    {
        return std::nullopt;
    }
    return key;
}

std::shared_ptr<Signer> signerWithKey(const core::Hash32 &key,
                                      const std::optional<core::Hash32> &blinding)
{
    CurveContext context = newCurveContext();
    secp256k1_pubkey publicKey;
    if (secp256k1_ec_pubkey_create(context.get(), &publicKey, key.data()) != 1)
    {
        return nullptr;
    }
    std::array<std::uint8_t, 65> inFull{};
    std::size_t size = inFull.size();
    secp256k1_ec_pubkey_serialize(context.get(), inFull.data(), &size, &publicKey,
                                  SECP256K1_EC_UNCOMPRESSED);
    PublicKey point{};
    std::copy(inFull.begin() + 1, inFull.end(), point.begin());
    if (blinding && secp256k1_context_randomize(context.get(), blinding->data()) != 1)
    {
        return nullptr;
    }
    return std::make_shared<PrivateKeySigner>(std::move(context), key, addressOf(point));
}
}  // namespace relayer::chain
