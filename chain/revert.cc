// What a revert of the gateway's contracts means for the request.
#include "chain/abi.h"
#include "chain/gateway.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace relayer::chain
{
namespace
{
using core::FailureCode;

struct Meaning
{
    std::uint32_t selector;
    FailureCode code;
};

constexpr std::array<Meaning, 8> kMeanings = {{
    {0xd93c0665, FailureCode::ProtocolPaused},         // EnforcedPause()
    {0xe450d38c, FailureCode::InsufficientBalance},    // ERC20InsufficientBalance(...)
    {0xfb8f41b2, FailureCode::InsufficientAllowance},  // ERC20InsufficientAllowance(...)
    {0x2a873d27, FailureCode::InvalidSignature},       // InvalidUserSignature(bytes)
    {0xf645eedf, FailureCode::InvalidSignature},       // ECDSAInvalidSignature()
    {0xfce698f7, FailureCode::InvalidSignature},       // ECDSAInvalidSignatureLength(uint256)
    {0xd78bce0c, FailureCode::InvalidSignature},       // ECDSAInvalidSignatureS(bytes32)
    {kCiphertextMaterialNotFound, FailureCode::TransactionFailed},
}};

constexpr std::uint32_t kError = 0x08c379a0;  // Error(string), of require() with a text
constexpr std::uint32_t kPanic = 0x4e487b71;  // Panic(uint256), of assert() and the like
constexpr std::size_t kSelector = 4;
constexpr std::size_t kReasonMax = 256;

const Meaning *meaningOf(std::uint32_t selector)
{
    const auto *const found =
        std::find_if(kMeanings.begin(), kMeanings.end(),
                     [selector](const Meaning &known) { return known.selector == selector; });
    return found == kMeanings.end() ? nullptr : found;
}

// Eight digits at the front of the text.
std::optional<std::uint32_t> selectorAt(std::string_view text)
{
    std::uint32_t selector = 0;
    for (std::size_t i = 0; i < 2 * kSelector; ++i)
    {
        const auto digit = i < text.size() ? core::hexDigit(text[i]) : std::nullopt;
        if (!digit)
        {
            return std::nullopt;
        }
        selector = (selector << 4U) | *digit;
    }
    return selector;
}

std::optional<std::uint32_t> selectorIn(std::string_view message)
{
    for (std::size_t at = 0; at + 1 < message.size(); ++at)
    {
        if (message[at] == '0' && (message[at + 1] == 'x' || message[at + 1] == 'X'))
        {
            if (const auto selector = selectorAt(message.substr(at + 2)))
            {
                return selector;
            }
        }
    }
    for (std::size_t at = 0; at < message.size(); ++at)
    {
        if (const auto selector = selectorAt(message.substr(at)))
        {
            return selector;
        }
    }
    return std::nullopt;
}

bool speaksOfARevert(std::string_view message)
{
    std::string small(message);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    return small.find("revert") != std::string::npos;
}

std::string printable(const core::Bytes &text)
{
    std::string out;
    for (const std::uint8_t byte : text)
    {
        if (out.size() == kReasonMax)
        {
            break;
        }
        out.push_back(byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '?');
    }
    return out;
}

std::string reasonOf(std::uint32_t selector, core::ByteView arguments)
{
    abi::Input input(arguments);
    abi::TupleReader reader = input.tuple();
    if (selector == kError)
    {
        const core::Bytes text = reader.bytes();
        return input.good() ? printable(text) : std::string();
    }
    if (selector == kPanic)
    {
        const Uint256 code = reader.number();
        return input.good() ? "panic " + toQuantity(code) : std::string();
    }
    return {};
}
}  // namespace

Revert decodeRevert(core::ByteView data, std::string_view message)
{
    Revert revert;
    if (data.size() >= kSelector)
    {
        std::uint32_t selector = 0;
        for (const std::uint8_t byte : data.first(kSelector))
        {
            selector = (selector << 8U) | byte;
        }
        revert.selector = selector;
        revert.reason = reasonOf(selector, data.subspan(kSelector));
    }
    else if (const auto found = selectorIn(message);
             found && (meaningOf(*found) != nullptr || speaksOfARevert(message)))
    {
        revert.selector = found;
    }
    if (const Meaning *known = revert.selector ? meaningOf(*revert.selector) : nullptr)
    {
        revert.code = known->code;
    }
    return revert;
}
}  // namespace relayer::chain
