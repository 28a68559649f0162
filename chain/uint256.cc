#include "chain/uint256.h"

#include <algorithm>

namespace relayer::chain
{
namespace
{
constexpr std::size_t kOctets = 32;

core::ByteView withoutLeadingZeros(core::ByteView bytes)
{
    const auto first =
        std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte != 0; });
    return bytes.subspan(static_cast<std::size_t>(first - bytes.begin()));
}
}  // namespace

core::Hash32 bigEndian(const Uint256 &number)
{
    core::Hash32 octets{};
    if (number.is_zero())
    {
        return octets;
    }
    core::Hash32 digits{};
    const auto end = export_bits(number, digits.begin(), 8);
    const auto count = end - digits.begin();
    std::copy(digits.begin(), end, octets.end() - count);
    return octets;
}

std::optional<Uint256> fromBigEndian(core::ByteView bytes)
{
    if (bytes.size() > kOctets)
    {
        return std::nullopt;
    }
    const core::ByteView digits = withoutLeadingZeros(bytes);
    Uint256 number;
    if (!digits.empty())
    {
        import_bits(number, digits.begin(), digits.end(), 8);
    }
    return number;
}

std::optional<Uint256> parseQuantity(std::string_view text)
{
    if (!text.starts_with("0x") || text.size() == 2)
    {
        return std::nullopt;
    }
    text.remove_prefix(2);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    if (text.size() > 2 * kOctets)
    {
        return std::nullopt;
    }
    core::Hash32 octets{};
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const auto digit = core::hexDigit(text[text.size() - 1 - i]);
        if (!digit)
        {
            return std::nullopt;
        }
        std::uint8_t &octet = octets.at(kOctets - 1 - i / 2);
        octet = static_cast<std::uint8_t>(octet | (i % 2 == 0 ? *digit : *digit << 4U));
    }
    return fromBigEndian(octets);
}

std::string toQuantity(const Uint256 &number)
{
    const core::Hash32 octets = bigEndian(number);
    const std::string digits = core::toHex(octets);
    const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return "0x" + digits.substr(first);
}
}  // namespace relayer::chain
