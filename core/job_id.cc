#include "core/job_id.h"

#include <algorithm>
#include <cctype>

namespace relayer::core
{
namespace
{
constexpr std::array<std::size_t, 4> kHyphens = {8, 13, 18, 23};

bool startsWithUrn(std::string_view text)
{
    constexpr std::string_view kUrn = "urn:uuid:";
    return text.size() >= kUrn.size() &&
           std::equal(kUrn.begin(), kUrn.end(), text.begin(), [](char want, char have) {
               return want == std::tolower(static_cast<unsigned char>(have));
           });
}

// 36 characters with hyphens in their places become 32 digits; anything else nothing.
std::optional<std::string> withoutHyphens(std::string_view text)
{
    std::string digits;
    digits.reserve(32);
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const bool hyphenHere = std::find(kHyphens.begin(), kHyphens.end(), i) != kHyphens.end();
        if (hyphenHere != (text[i] == '-'))
        {
            return std::nullopt;
        }
        if (!hyphenHere)
        {
            digits.push_back(text[i]);
        }
    }
    return digits;
}
}  // namespace

JobId JobId::fromRandom(Raw random)
{
    JobId id;
    id.raw_ = random;
    id.raw_[6] = static_cast<std::uint8_t>((id.raw_[6] & 0x0FU) | 0x40U);
    id.raw_[8] = static_cast<std::uint8_t>((id.raw_[8] & 0x3FU) | 0x80U);
    return id;
}

JobId JobId::fromRaw(const Raw &raw)
{
    JobId id;
    id.raw_ = raw;
    return id;
}

std::optional<JobId> JobId::parse(std::string_view text)
{
    if (startsWithUrn(text))
    {
        text.remove_prefix(9);
    }
    else if (text.size() == 38 && text.front() == '{' && text.back() == '}')
    {
        text = text.substr(1, 36);
    }

    std::optional<std::string> digits;
    if (text.size() == 36)
    {
        digits = withoutHyphens(text);
    }
    else if (text.size() == 32)
    {
        digits = std::string(text);
    }
    if (!digits)
    {
        return std::nullopt;
    }
    const auto bytes = fromHex(*digits);
    if (!bytes)
    {
        return std::nullopt;
    }
    JobId id;
    std::copy(bytes->begin(), bytes->end(), id.raw_.begin());
    return id;
}

std::string JobId::text() const
{
    const std::string digits = toHex(raw_);
    std::string text;
    text.reserve(36);
    for (const char digit : digits)
    {
        if (std::find(kHyphens.begin(), kHyphens.end(), text.size()) != kHyphens.end())
        {
            text.push_back('-');
        }
        text.push_back(digit);
    }
    return text;
}
}  // namespace relayer::core
