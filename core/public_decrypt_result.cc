#include "core/public_decrypt_result.h"

#include <utility>

namespace relayer::core
{
namespace
{
constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kNumberOctets = 4;

void appendNumber(Bytes &out, std::size_t number)
{
    for (std::size_t i = kNumberOctets; i > 0; --i)
    {
        out.push_back(static_cast<std::uint8_t>(number >> (8 * (i - 1))));
    }
}

void appendWithLength(Bytes &out, const Bytes &bytes)
{
    appendNumber(out, bytes.size());
    out.insert(out.end(), bytes.begin(), bytes.end());
}

// Takes from the front of what is left; nothing when that much is not there.
std::optional<std::size_t> takeNumber(ByteView &rest)
{
    if (rest.size() < kNumberOctets)
    {
        return std::nullopt;
    }
    std::size_t number = 0;
    for (const std::uint8_t octet : rest.first(kNumberOctets))
    {
        number = (number << 8U) | octet;
    }
    rest = rest.subspan(kNumberOctets);
    return number;
}

std::optional<Bytes> takeWithLength(ByteView &rest)
{
    const auto length = takeNumber(rest);
    if (!length || *length > rest.size())
    {
        return std::nullopt;
    }
    Bytes bytes(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(*length));
    rest = rest.subspan(*length);
    return bytes;
}
}  // namespace

Bytes encodeResult(const PublicDecryptResult &result)
{
    Bytes out{kFormat};
    appendWithLength(out, result.decrypted);
    appendNumber(out, result.signatures.size());
    for (const Bytes &signature : result.signatures)
    {
        appendWithLength(out, signature);
    }
    appendWithLength(out, result.extraData);
    return out;
}

std::optional<PublicDecryptResult> decodePublicDecryptResult(ByteView bytes)
{
    if (bytes.empty() || bytes.front() != kFormat)
    {
        return std::nullopt;
    }
    ByteView rest = bytes.subspan(1);
    PublicDecryptResult result;
    auto decrypted = takeWithLength(rest);
    const auto signatures = decrypted ? takeNumber(rest) : std::nullopt;
    // Each takes at least its length: a count beyond that ends before anything is reserved for it.
    if (!signatures || *signatures > rest.size() / kNumberOctets)
    {
        return std::nullopt;
    }
    result.decrypted = std::move(*decrypted);
    for (std::size_t i = 0; i < *signatures; ++i)
    {
        auto signature = takeWithLength(rest);
        if (!signature)
        {
            return std::nullopt;
        }
        result.signatures.push_back(std::move(*signature));
    }
    auto extraData = takeWithLength(rest);
    if (!extraData || !rest.empty())
    {
        return std::nullopt;
    }
    result.extraData = std::move(*extraData);
    return result;
}
}  // namespace relayer::core
