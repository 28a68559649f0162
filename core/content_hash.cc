#include "core/content_hash.h"

#include <openssl/evp.h>

#include <new>

namespace relayer::core
{
struct ContentHasher::Digest
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    Digest() = default;
    ~Digest() { EVP_MD_CTX_free(context); }
    Digest(const Digest &) = delete;
    Digest &operator=(const Digest &) = delete;
};

namespace
{
// Looked up once: EVP_sha256() stands for a name, which OpenSSL 3 looks up in every DigestInit.
const EVP_MD *sha256()
{
    static const EVP_MD *const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return found;
}
}  // namespace

ContentHasher::ContentHasher() : digest_(std::make_unique<Digest>())
{
    // SHA-256 is always there; the one way to fail is to be out of memory.
    if (digest_->context == nullptr || EVP_DigestInit_ex(digest_->context, sha256(), nullptr) != 1)
    {
        throw std::bad_alloc();
    }
}

ContentHasher::~ContentHasher() = default;

ContentHasher &ContentHasher::text(std::string_view label)
{
    EVP_DigestUpdate(digest_->context, label.data(), label.size());
    return *this;
}

ContentHasher &ContentHasher::bytes(ByteView bytes)
{
    EVP_DigestUpdate(digest_->context, bytes.data(), bytes.size());
    return *this;
}

ContentHasher &ContentHasher::bigEndian(std::uint64_t number)
{
    std::array<std::uint8_t, 8> octets{};
    for (std::size_t i = 0; i < octets.size(); ++i)
    {
        octets[octets.size() - 1 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return bytes(octets);
}

ContentHash ContentHasher::finish()
{
    ContentHash hash{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(digest_->context, hash.data(), &length);
    return hash;
}
}  // namespace relayer::core
