#include "core/sealed_witness.h"

#include "core/payload_codec.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

namespace relayer::core
{
namespace
{
constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;
constexpr std::uint8_t kFormat = 1;
using Nonce = std::array<std::uint8_t, kNonce>;

struct FreeContext
{
    void operator()(EVP_CIPHER_CTX *context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

Context contextFor(bool encrypt, const Hash32 &key, const Nonce &nonce, ByteView bound)
{
    Context context(EVP_CIPHER_CTX_new());
    int length = 0;
    // The one way to fail is to be out of memory.
    if (!context ||
        EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(), nonce.data(),
                          encrypt ? 1 : 0) != 1 ||
        EVP_CipherUpdate(context.get(), nullptr, &length, bound.data(),
                         static_cast<int>(bound.size())) != 1)
    {
        throw std::bad_alloc();
    }
    return context;
}

// The text with its tag behind it.
Bytes encrypt(const Hash32 &key, const Nonce &nonce, ByteView bound, ByteView plain)
{
    const Context context = contextFor(true, key, nonce, bound);
    Bytes out(plain.size() + kTag);
    int length = 0;
    if (EVP_CipherUpdate(context.get(), out.data(), &length, plain.data(),
                         static_cast<int>(plain.size())) != 1 ||
        EVP_CipherFinal_ex(context.get(), out.data() + length, &length) != 1 ||
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTag, out.data() + plain.size()) !=
            1)
    {
        throw std::bad_alloc();
    }
    return out;
}

std::optional<Bytes> decrypt(const Hash32 &key, const Nonce &nonce, ByteView bound, ByteView sealed)
{
    if (sealed.size() < kTag)
    {
        return std::nullopt;
    }
    const Context context = contextFor(false, key, nonce, bound);
    Bytes tag(sealed.end() - kTag, sealed.end());
    const ByteView text = sealed.first(sealed.size() - kTag);
    Bytes out(text.size() + 1);  // never without memory of its own
    int length = 0;
    if (EVP_CipherUpdate(context.get(), out.data(), &length, text.data(),
                         static_cast<int>(text.size())) != 1 ||
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) != 1 ||
        EVP_CipherFinal_ex(context.get(), out.data() + length, &length) != 1)
    {
        return std::nullopt;
    }
    out.resize(text.size());
    return out;
}

Bytes rowOf(const ShareKey &key)
{
    Bytes row;
    append(row, key.round);
    appendBigEndian(row, key.proposal, 1);
    appendBigEndian(row, key.treePosition, 4);
    appendBigEndian(row, key.shareIndex, 1);
    return row;
}

// A row's key encrypts once, so it needs no nonce.
constexpr Nonce kOnce{};
}  // namespace

WitnessKeys::WitnessKeys(std::vector<Hash32> keys)
{
    keys_.reserve(keys.size());
    for (const Hash32 &key : keys)
    {
        Named named;
        named.key = key;
        const Hash32 digest = ContentHasher().text("name of a witness key:").bytes(key).finish();
        std::copy_n(digest.begin(), named.name.size(), named.name.begin());
        keys_.push_back(named);
    }
}

SealedWitness WitnessKeys::seal(const VoteShare &share, const SealRandomness &random) const
{
    if (keys_.empty())
    {
        throw std::logic_error("there is no key for witnesses");
    }
    const Bytes row = rowOf(share.key);
    SealedWitness sealed;
    sealed.witness = encrypt(random.rowKey, kOnce, row, encodeWitness(share));
    sealed.key.push_back(kFormat);
    append(sealed.key, keys_.front().name);
    append(sealed.key, random.nonce);
    append(sealed.key, encrypt(keys_.front().key, random.nonce, row, random.rowKey));
    return sealed;
}

std::optional<VoteShare> WitnessKeys::open(const ShareKey &key, const SealedWitness &sealed) const
{
    PayloadReader reader(sealed.key);
    if (reader.bigEndian(1) != kFormat)
    {
        return std::nullopt;
    }
    const ByteView name = reader.take(Name().size());
    const ByteView nonceBytes = reader.take(kNonce);
    const ByteView encrypted = reader.take(Hash32().size() + kTag);
    const auto found = std::find_if(keys_.begin(), keys_.end(), [name](const Named &named) {
        return std::equal(named.name.begin(), named.name.end(), name.begin(), name.end());
    });
    if (!reader.allReadAndNothingLeft() || found == keys_.end())
    {
        return std::nullopt;
    }
    Nonce nonce{};
    std::copy(nonceBytes.begin(), nonceBytes.end(), nonce.begin());
    const Bytes row = rowOf(key);
    const auto rowKeyBytes = decrypt(found->key, nonce, row, encrypted);
    if (!rowKeyBytes)
    {
        return std::nullopt;
    }
    Hash32 rowKey{};
    std::copy(rowKeyBytes->begin(), rowKeyBytes->end(), rowKey.begin());
    const auto witness = decrypt(rowKey, kOnce, row, sealed.witness);
    return witness ? decodeWitness(key, *witness) : std::nullopt;
}
}  // namespace relayer::core
