#include "core/signed_session.h"

#include "core/bytes.h"
#include "core/same_secret.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>
#include <stdexcept>

namespace relayer::core
{
namespace
{
Hash32 authenticate(ByteView key, std::string_view text)
{
    Hash32 out{};
    unsigned int size = 0;
    const auto *bytes = reinterpret_cast<const unsigned char *>(text.data());
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), out.data(),
             &size) == nullptr ||
        size != out.size())
    {
        throw std::runtime_error("HMAC-SHA-256 is not to be had");
    }
    return out;
}

ByteView bytesOf(std::string_view text)
{
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

std::string contentOf(const SignedSession &session)
{
    return std::to_string(session.until.count()) + "." + session.number + "." +
           toHex(bytesOf(session.name));
}

// Up to the next dot, which goes with it.
std::string_view takePart(std::string_view &rest)
{
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}
}  // namespace

SessionKey sessionKeyOf(std::string_view secret)
{
    return authenticate(bytesOf("drogon-relayer console session 1"), secret);
}

std::string signSession(const SessionKey &key, const SignedSession &session)
{
    const std::string content = contentOf(session);
    return content + "." + toHex(authenticate(key, "session:" + content));
}

std::optional<SignedSession> readSession(const SessionKey &key, std::string_view text,
                                         std::chrono::seconds now)
{
    std::string_view rest = text;
    const std::string_view until = takePart(rest);
    SignedSession session;
    session.number = takePart(rest);
    const auto name = fromHex(takePart(rest));
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(until.data(), until.data() + until.size(), seconds);
    if (!name || error != std::errc() || end != until.data() + until.size())
    {
        return std::nullopt;
    }
    session.name.assign(name->begin(), name->end());
    session.until = std::chrono::seconds(seconds);
    // Written anew, so that there is one text for a session and no other.
    const bool ours = sameSecret(text, signSession(key, session));
    return ours && now < session.until ? std::optional(std::move(session)) : std::nullopt;
}

std::string formTokenOf(const SessionKey &key, const SignedSession &session)
{
    return toHex(authenticate(key, "form:" + contentOf(session)));
}
}  // namespace relayer::core
