#include "chain/address.h"

#include "chain/hex.h"
#include "chain/keccak.h"

#include <algorithm>

namespace relayer::chain
{
core::Address addressOf(const PublicKey &key)
{
    const core::Hash32 hash = keccak256(key);
    core::Address address{};
    std::copy(hash.end() - static_cast<std::ptrdiff_t>(address.size()), hash.end(),
              address.begin());
    return address;
}

std::string checksummed(const core::Address &address)
{
    std::string digits = core::toHex(address);
    const core::Bytes letters(digits.begin(), digits.end());
    const core::Hash32 hash = keccak256(letters);
    for (std::size_t i = 0; i < digits.size(); ++i)
    {
        const unsigned nibble = i % 2 == 0 ? hash.at(i / 2) >> 4U : hash.at(i / 2) & 0x0FU;
        if (nibble >= 8 && digits[i] >= 'a')
        {
            digits[i] = static_cast<char>(digits[i] - 'a' + 'A');
        }
    }
    return "0x" + digits;
}

std::optional<core::Address> parseAddress(std::string_view text)
{
    return fixedFromHexData<20>(text);
}

std::optional<core::Address> parseCheckedAddress(std::string_view text)
{
    const auto address = parseAddress(text);
    if (!address)
    {
        return std::nullopt;
    }
    const std::string_view digits = text.substr(2);
    const bool small = std::any_of(digits.begin(), digits.end(), [](char c) { return c >= 'a'; });
    const bool capital =
        std::any_of(digits.begin(), digits.end(), [](char c) { return c >= 'A' && c <= 'F'; });
    if (small && capital && text != checksummed(*address))
    {
        return std::nullopt;
    }
    return address;
}
}  // namespace relayer::chain
