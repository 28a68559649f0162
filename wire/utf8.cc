#include "wire/utf8.h"

#include <cstddef>

namespace relayer::wire
{
namespace
{
std::uint8_t octetAt(std::string_view text, std::size_t i)
{
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0;
}

// How many octets the character at the front of the text has; 0 when there is no valid one.
std::size_t lengthOfFirst(std::string_view text)
{
    const std::uint8_t first = octetAt(text, 0);
    if (first < 0x80)
    {
        return 1;
    }
    std::size_t length = 0;
    // What the second octet may be is what keeps overlong forms, surrogates and too large ones out.
    std::uint8_t least = 0x80;
    std::uint8_t most = 0xBF;
    if (first >= 0xC2 && first <= 0xDF)
    {
        length = 2;
    }
    else if (first >= 0xE0 && first <= 0xEF)
    {
        length = 3;
        least = first == 0xE0 ? 0xA0 : least;
        most = first == 0xED ? 0x9F : most;
    }
    else if (first >= 0xF0 && first <= 0xF4)
    {
        length = 4;
        least = first == 0xF0 ? 0x90 : least;
        most = first == 0xF4 ? 0x8F : most;
    }
    for (std::size_t i = 1; i < length; ++i)
    {
        const std::uint8_t octet = octetAt(text, i);
        if (octet < least || octet > most)
        {
            return 0;
        }
        least = 0x80;
        most = 0xBF;
    }
    return length;
}
}  // namespace

bool isUtf8(std::string_view text)
{
    while (!text.empty())
    {
        const std::size_t length = lengthOfFirst(text);
        if (length == 0)
        {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

void appendUtf8(std::string &out, std::uint32_t codePoint)
{
    const auto continuation = [&out, codePoint](unsigned shift) {
        out.push_back(static_cast<char>(0x80U | ((codePoint >> shift) & 0x3FU)));
    };
    if (codePoint < 0x80)
    {
        out.push_back(static_cast<char>(codePoint));
    }
    else if (codePoint < 0x800)
    {
        out.push_back(static_cast<char>(0xC0U | (codePoint >> 6U)));
        continuation(0);
    }
    else if (codePoint < 0x10000)
    {
        out.push_back(static_cast<char>(0xE0U | (codePoint >> 12U)));
        continuation(6);
        continuation(0);
    }
    else
    {
        out.push_back(static_cast<char>(0xF0U | (codePoint >> 18U)));
        continuation(12);
        continuation(6);
        continuation(0);
    }
}
}  // namespace relayer::wire
