#include "wire/rules.h"

#include <algorithm>
#include <charconv>

namespace relayer::wire
{
namespace
{
constexpr std::string_view kPrefix = "0x";
constexpr std::size_t kAddressLength = 42;

bool isHex(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return core::hexDigit(c).has_value(); });
}
}  // namespace

Issue checkAddress(std::string_view text)
{
    if (!text.starts_with(kPrefix))
    {
        return "Must start with 0x";
    }
    if (text.size() != kAddressLength)
    {
        return "Must be 42 characters long";
    }
    if (!isHex(text.substr(kPrefix.size())))
    {
        return "Contains invalid hex characters";
    }
    return std::nullopt;
}

Issue checkNotEmpty(std::string_view text)
{
    return text.empty() ? Issue("Must not be empty") : std::nullopt;
}

Issue checkHexWithoutPrefix(std::string_view text)
{
    if (text.starts_with(kPrefix))
    {
        return "Must not start with 0x";
    }
    return text.size() % 2 != 0 || !isHex(text) ? Issue("Invalid hex string") : std::nullopt;
}

Issue checkChainId(std::string_view text)
{
    return parseChainId(text) ? std::nullopt : Issue("Must be decimal number or 0x hex string");
}

Issue checkInputProofExtraData(std::string_view text)
{
    // The text names the forms that decryptions take as well; clients compare it.
    return text == "0x00"
               ? std::nullopt
               : Issue(
                     "Must be 0x00, or a versioned format: 0x01 + 32-byte contextId (0x07-tagged "
                     "first byte), or 0x02 + 32-byte contextId (0x07-tagged) + 32-byte epochId "
                     "(0x08-tagged)");
}

std::optional<std::uint64_t> parseChainId(std::string_view text)
{
    int base = 10;
    if (text.starts_with(kPrefix))
    {
        base = 16;
        text.remove_prefix(kPrefix.size());
    }
    if (text.starts_with('+'))
    {
        text.remove_prefix(1);
    }
    std::uint64_t number = 0;
    const char *const begin = text.data();
    const char *const end = begin + text.size();
    const auto [stopped, error] = std::from_chars(begin, end, number, base);
    return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

std::optional<core::Address> parseAddress(std::string_view text)
{
    if (checkAddress(text))
    {
        return std::nullopt;
    }
    const auto bytes = core::fromHex(text.substr(kPrefix.size()));
    core::Address address{};
    std::copy(bytes->begin(), bytes->end(), address.begin());
    return address;
}
}  // namespace relayer::wire
