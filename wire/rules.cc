#include "wire/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace relayer::wire
{
namespace
{
constexpr std::string_view kPrefix = "0x";
constexpr std::size_t kAddressLength = 42;
constexpr std::size_t kHandleLength = 66;
constexpr std::size_t kSignatureCharacters = 130;

constexpr std::string_view kMustStart = "Must start with 0x";
constexpr std::string_view kInvalidHex = "Invalid hex string";
constexpr std::string_view kEmpty = "Must not be empty";
constexpr std::string_view kNoU64 = "Value must be a valid u64 number";
// The text names the forms of decryptions for input proofs, too; clients compare it.
constexpr std::string_view kBadExtraData =
    "Must be 0x00, or a versioned format: 0x01 + 32-byte contextId (0x07-tagged first byte), or "
    "0x02 + 32-byte contextId (0x07-tagged) + 32-byte epochId (0x08-tagged)";

constexpr std::string_view kAttestation = "eip712-unified-user-decrypt-v1";

bool isHex(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return core::hexDigit(c).has_value(); });
}

// Bytes that continue a character are not counted. The text is UTF-8: it came out of JSON.
std::size_t charactersOf(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

Issue unless(bool good, std::string_view issue)
{
    return good ? std::nullopt : Issue(issue);
}

Issue checkAddress(std::string_view text, std::uint64_t)
{
    if (!text.starts_with(kPrefix))
    {
        return kMustStart;
    }
    if (text.size() != kAddressLength)
    {
        return "Must be 42 characters long";
    }
    return unless(isHex(text.substr(kPrefix.size())), "Contains invalid hex characters");
}

Issue checkHex(std::string_view text, std::uint64_t)
{
    if (!text.starts_with(kPrefix))
    {
        return kMustStart;
    }
    return unless(text.size() % 2 == 0 && isHex(text.substr(kPrefix.size())), kInvalidHex);
}

Issue checkHexOrEmpty(std::string_view text, std::uint64_t now)
{
    return text.empty() ? std::nullopt : checkHex(text, now);
}

Issue checkHandle(std::string_view text, std::uint64_t now)
{
    const Issue issue = checkHex(text, now);
    return issue ? issue : unless(text.size() == kHandleLength, "Must be 64 characters long");
}

template <std::size_t Least>
Issue checkAtLeast(std::string_view text, std::uint64_t)
{
    return unless(charactersOf(text) >= Least, kEmpty);
}

Issue checkSignatureLength(std::string_view text, std::uint64_t)
{
    return unless(charactersOf(text) == kSignatureCharacters, "Must be 130 characters long");
}

Issue checkHexWithoutPrefix(std::string_view text, std::uint64_t)
{
    if (text.starts_with(kPrefix))
    {
        return "Must not start with 0x";
    }
    return unless(text.size() % 2 == 0 && isHex(text), kInvalidHex);
}

Issue checkChainId(std::string_view text, std::uint64_t)
{
    return unless(parseChainId(text).has_value(), "Must be decimal number or 0x hex string");
}

Issue checkNoExtraData(std::string_view text, std::uint64_t)
{
    return unless(text == "0x00", kBadExtraData);
}

// Whether the byte at this place of the hex (its prefix is no byte) is written so.
bool hasByte(std::string_view text, std::size_t place, std::string_view digits)
{
    return text.substr(kPrefix.size() + 2 * place, 2) == digits;
}

Issue checkExtraData(std::string_view text, std::uint64_t)
{
    constexpr std::size_t kFirstLength = 68;    // version and context
    constexpr std::size_t kSecondLength = 132;  // version, context and epoch
    const bool first = text.size() == kFirstLength && text.starts_with("0x01") &&
                       isHex(text.substr(kPrefix.size())) && hasByte(text, 1, "07");
    const bool second = text.size() == kSecondLength && text.starts_with("0x02") &&
                        isHex(text.substr(kPrefix.size())) && hasByte(text, 1, "07") &&
                        hasByte(text, 33, "08");
    return unless(text == "0x00" || first || second, kBadExtraData);
}

Issue checkTimestamp(std::string_view text, std::uint64_t now)
{
    const Timestamp time = parseTimestamp(text);
    if (!time.isNumber)
    {
        return "Value must be a valid U256 number";
    }
    // What 64 bits do not hold is later than any clock of ours. The reference crashes on it.
    return unless(time.seconds && *time.seconds <= now, "Timestamp must not be in the future");
}

Issue checkDecimalTimestamp(std::string_view text, std::uint64_t now)
{
    const Issue issue = checkTimestamp(text, now);
    return issue ? issue : unless(parseU64(text).has_value(), kNoU64);
}

Issue checkDurationDays(std::string_view text, std::uint64_t)
{
    return unless(parseU32(text).has_value(), "Value must be a valid u32 number");
}

Issue checkDurationSeconds(std::string_view text, std::uint64_t)
{
    // The reference lets +5 pass here, fails to convert it later, and answers 500.
    return unless(parseU64(text).has_value() && !text.starts_with('+'), kNoU64);
}

Issue checkAttestationType(std::string_view text, std::uint64_t)
{
    return unless(text == kAttestation,
                  "Unsupported attestationType; expected one of: [eip712-unified-user-decrypt-v1]");
}

Issue checkPayloadVersion(std::string_view text, std::uint64_t)
{
    return unless(text == "2.0", "Unsupported version; expected \"2.0\"");
}

Issue checkPayloadType(std::string_view text, std::uint64_t)
{
    return unless(text == "user_decryption",
                  "Unsupported payload type; expected \"user_decryption\"");
}

// As Rust reads an unsigned number.
template <typename Number>
std::optional<Number> parseNumber(std::string_view text, int base)
{
    if (text.starts_with('+'))
    {
        text.remove_prefix(1);
    }
    Number number = 0;
    const char *const begin = text.data();
    const char *const end = begin + text.size();
    const auto [stopped, error] = std::from_chars(begin, end, number, base);
    return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

// The least significant word first.
using Number256 = std::array<std::uint32_t, 8>;

// False when the result needs more than 256 bits.
bool appendDigit(Number256 &number, std::uint32_t base, std::uint32_t digit)
{
    std::uint64_t carry = digit;
    for (std::uint32_t &word : number)
    {
        carry += std::uint64_t{word} * base;
        word = static_cast<std::uint32_t>(carry);
        carry >>= 32U;
    }
    return carry == 0;
}

// 2, 8 or 16 when the text begins with 0b, 0o or 0x, in either case; else 10.
std::uint32_t baseOf(std::string_view text)
{
    if (text.size() < 2 || text[0] != '0')
    {
        return 10;
    }
    switch (text[1])
    {
        case 'x':
        case 'X': return 16;
        case 'o':
        case 'O': return 8;
        case 'b':
        case 'B': return 2;
        default: return 10;
    }
}
}  // namespace

namespace rules
{
const Rule kAddress = {"address", "0x and 40 hex digits, in any case", "^0x[0-9a-fA-F]{40}$",
                       checkAddress};
const Rule kHandle = {"handle", "0x and 64 hex digits: the 32 bytes of a ciphertext's handle",
                      "^0x[0-9a-fA-F]{64}$", checkHandle};
const Rule kNotEmpty = {"not-empty", "at least one character", "", checkAtLeast<1>, 1};
const Rule kTwoCharacters = {"at-least-2", "at least two characters", "", checkAtLeast<2>, 2};
const Rule kFourCharacters = {"at-least-4", "at least four characters", "", checkAtLeast<4>, 4};
const Rule kSignatureLength = {"signature-length",   "130 characters",     "",
                               checkSignatureLength, kSignatureCharacters, kSignatureCharacters};
const Rule kHexWithoutPrefix = {"hex-no-prefix", "an even number of hex digits without 0x",
                                "^([0-9a-fA-F]{2})*$", checkHexWithoutPrefix};
const Rule kHex = {"hex-0x", "0x and an even number of hex digits", "^0x([0-9a-fA-F]{2})*$",
                   checkHex};
const Rule kHexOrEmpty = {"hex-0x-or-empty",
                          "0x and an even number of hex digits, or an empty string",
                          "^(0x([0-9a-fA-F]{2})*)?$", checkHexOrEmpty};
const Rule kChainId = {"chain-id", "a chain id: a u64, decimal or 0x and hex digits",
                       "^(\\+?0*[0-9]{1,20}|0x\\+?0*[0-9a-fA-F]{1,16})$", checkChainId};
const Rule kNoExtraData = {"extra-data-none", "exactly 0x00", "^0x00$", checkNoExtraData};
const Rule kExtraData = {
    "extra-data",
    "0x00; or 0x01 and a context id; or 0x02, a context id and an epoch id. The ids have 32 bytes, "
    "of which the first is 07 for a context and 08 for an epoch",
    "^(0x00|0x0107[0-9a-fA-F]{62}|0x0207[0-9a-fA-F]{62}08[0-9a-fA-F]{62})$", checkExtraData};
const Rule kTimestamp = {"timestamp",
                         "seconds since 1970, not in the future: decimal, or behind 0x, 0o or 0b",
                         "^(0[xX][0-9a-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|[0-9_]*)$", checkTimestamp};
const Rule kDecimalTimestamp = {"decimal-timestamp", "seconds since 1970, not in the future",
                                "^[0-9]+$", checkDecimalTimestamp};
const Rule kDurationDays = {"u32", "a u32 in decimal", "^\\+?0*[0-9]{1,10}$", checkDurationDays};
const Rule kDurationSeconds = {"u64", "a u64 in decimal", "^0*[0-9]{1,20}$", checkDurationSeconds};
const Rule kAttestationType = {"attestation-type", "eip712-unified-user-decrypt-v1",
                               "^eip712-unified-user-decrypt-v1$", checkAttestationType};
const Rule kPayloadVersion = {"payload-version", "2.0", "^2\\.0$", checkPayloadVersion};
const Rule kPayloadType = {"payload-type", "user_decryption", "^user_decryption$",
                           checkPayloadType};
}  // namespace rules

std::optional<std::uint64_t> parseChainId(std::string_view text)
{
    return text.starts_with(kPrefix) ? parseNumber<std::uint64_t>(text.substr(kPrefix.size()), 16)
                                     : parseNumber<std::uint64_t>(text, 10);
}

std::optional<core::Address> parseAddress(std::string_view text)
{
    if (checkAddress(text, 0))
    {
        return std::nullopt;
    }
    const auto bytes = core::fromHex(text.substr(kPrefix.size()));
    core::Address address{};
    std::copy(bytes->begin(), bytes->end(), address.begin());
    return address;
}

std::optional<core::Hash32> parseHandle(std::string_view text)
{
    if (checkHandle(text, 0))
    {
        return std::nullopt;
    }
    const auto bytes = core::fromHex(text.substr(kPrefix.size()));
    core::Hash32 handle{};
    std::copy(bytes->begin(), bytes->end(), handle.begin());
    return handle;
}

std::optional<core::Bytes> parsePrefixedHex(std::string_view text)
{
    if (text.empty())
    {
        return core::Bytes{};
    }
    return text.starts_with(kPrefix) ? core::fromHex(text.substr(kPrefix.size())) : std::nullopt;
}

std::optional<std::uint32_t> parseU32(std::string_view text)
{
    return parseNumber<std::uint32_t>(text, 10);
}

std::optional<std::uint64_t> parseU64(std::string_view text)
{
    return parseNumber<std::uint64_t>(text, 10);
}

Timestamp parseTimestamp(std::string_view text)
{
    const std::uint32_t base = baseOf(text);
    if (base != 10)
    {
        text.remove_prefix(2);
    }
    Number256 number{};
    for (const char c : text)
    {
        if (c == '_')
        {
            continue;
        }
        const auto digit = core::hexDigit(c);
        if (!digit || *digit >= base || !appendDigit(number, base, *digit))
        {
            return {};
        }
    }
    const bool fits =
        std::all_of(number.begin() + 2, number.end(), [](std::uint32_t word) { return word == 0; });
    const std::uint64_t low = (std::uint64_t{number[1]} << 32U) | number[0];
    return {true, fits ? std::optional(low) : std::nullopt};
}

Issue checkWindow(std::uint64_t start, std::uint64_t duration, std::uint64_t now)
{
    constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t end = duration > kLast - start ? kLast : start + duration;
    return unless(end > now, "requestValidity window has already expired");
}
}  // namespace relayer::wire
