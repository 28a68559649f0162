// What the fields of requests must look like. A check says what is wrong with a text, in the words
// that clients of the reference know, or nothing when it is right. What passes its check can be
// decoded; the decoders beside them take exactly what the checks let through.
//
// A Rule is a check with what a document says of it.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace relayer::wire
{
using Issue = std::optional<std::string_view>;
// `now` is in seconds since 1970: some rules compare with it.
using Check = Issue (*)(std::string_view text, std::uint64_t now);

struct Rule
{
    std::string_view name;
    std::string_view words;
    // A regular expression (ECMA 262) that every text which passes matches; empty: none is needed.
    // Of those that match, the check may still refuse some: a pattern knows no u64 and no time.
    std::string_view pattern;
    Check check = nullptr;
    // In characters; 0: not limited by this rule.
    std::size_t lengthMin = 0;
    std::size_t lengthMax = 0;
};

namespace rules
{
extern const Rule kAddress;  // any case, no checksum
extern const Rule kHandle;   // 32 bytes
extern const Rule kNotEmpty;
extern const Rule kTwoCharacters;     // a byte in hex
extern const Rule kFourCharacters;    // the same with its prefix
extern const Rule kSignatureLength;   // 130 characters
extern const Rule kHexWithoutPrefix;  // empty passes
extern const Rule kHex;               // with 0x; 0x alone passes
extern const Rule kHexOrEmpty;
extern const Rule kChainId;
extern const Rule kNoExtraData;  // of input proofs
extern const Rule kExtraData;    // of decryptions
extern const Rule kTimestamp;
extern const Rule kDecimalTimestamp;
extern const Rule kDurationDays;
extern const Rule kDurationSeconds;
extern const Rule kAttestationType;
extern const Rule kPayloadVersion;
extern const Rule kPayloadType;
}  // namespace rules

// A u64, decimal or with 0x, as Rust reads it: a leading + and leading zeros pass.
[[nodiscard]] std::optional<std::uint64_t> parseChainId(std::string_view text);
[[nodiscard]] std::optional<core::Address> parseAddress(std::string_view text);
[[nodiscard]] std::optional<core::Hash32> parseHandle(std::string_view text);
// With 0x. Nothing at all is no bytes, too.
[[nodiscard]] std::optional<core::Bytes> parsePrefixedHex(std::string_view text);
[[nodiscard]] std::optional<std::uint32_t> parseU32(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parseU64(std::string_view text);

// The reference reads timestamps as 256-bit numbers: decimal, or behind 0x, 0o, 0b; underscores are
// passed over, and no digits at all are 0.
struct Timestamp
{
    bool isNumber = false;                 // of up to 256 bits
    std::optional<std::uint64_t> seconds;  // when 64 bits hold it
};
[[nodiscard]] Timestamp parseTimestamp(std::string_view text);

// Of a time of validity that starts and lasts so many seconds.
[[nodiscard]] Issue checkWindow(std::uint64_t start, std::uint64_t duration, std::uint64_t now);
}  // namespace relayer::wire
