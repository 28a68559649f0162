#include "core/same_secret.h"

#include "core/content_hash.h"

#include <openssl/crypto.h>

namespace relayer::core
{
namespace
{
Hash32 digestOf(std::string_view secret)
{
    return ContentHasher().text(secret).finish();
}
}  // namespace

// Of digests, so that both are of one length, and what differs early and what differs late differ
// in bytes that nobody can choose.
bool sameSecret(std::string_view shown, std::string_view wanted)
{
    const Hash32 one = digestOf(shown);
    const Hash32 other = digestOf(wanted);
    return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}
}  // namespace relayer::core
