#include "core/base64.h"

#include <algorithm>
#include <cstdint>

namespace relayer::core
{
namespace
{
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kGroup = 4;  // characters for three bytes

std::optional<std::uint32_t> valueOf(char c)
{
    const std::size_t at = kAlphabet.find(c);
    return at == std::string_view::npos ? std::nullopt
                                        : std::optional(static_cast<std::uint32_t>(at));
}

// Of the one or two last bytes, 2 or 3 characters stand for them; the rest is padding.
std::size_t paddingOf(std::string_view text)
{
    return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
}
}  // namespace

std::string toBase64(ByteView bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * kGroup);
    while (!bytes.empty())
    {
        const ByteView three = bytes.first(std::min<std::size_t>(3, bytes.size()));
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
        {
            bits = (bits << 8U) | (i < three.size() ? three[i] : 0U);
        }
        for (std::size_t i = 0; i < kGroup; ++i)
        {
            text += i <= three.size() ? kAlphabet[(bits >> (18U - 6U * i)) & 63U] : '=';
        }
        bytes = bytes.subspan(three.size());
    }
    return text;
}

std::optional<Bytes> fromBase64(std::string_view text)
{
    if (text.size() % kGroup != 0)
    {
        return std::nullopt;
    }
    Bytes bytes;
    bytes.reserve(text.size() / kGroup * 3);
    while (!text.empty())
    {
        const std::size_t padding = text.size() == kGroup ? paddingOf(text) : 0;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < kGroup; ++i)
        {
            const auto value = i < kGroup - padding ? valueOf(text[i]) : 0U;
            if (!value)
            {
                return std::nullopt;
            }
            bits = (bits << 6U) | *value;
        }
        const std::uint32_t toSpare = bits & ((1U << (8U * padding)) - 1U);
        if (toSpare != 0)
        {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < 3 - padding; ++i)
        {
            bytes.push_back(static_cast<std::uint8_t>(bits >> (16U - 8U * i)));
        }
        text.remove_prefix(kGroup);
    }
    return bytes;
}
}  // namespace relayer::core
