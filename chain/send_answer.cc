#include "chain/send_answer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace relayer::chain
{
namespace
{
constexpr std::array<std::string_view, kSendAnswers> kNames = {
    "mined",          "accepted",    "in_doubt",    "known",    "nonce_too_low",
    "nonce_too_high", "underpriced", "fee_too_low", "no_funds", "busy",
    "no_such_method", "reverted",    "refused"};

struct Wording
{
    std::string_view text;  // in lower case, somewhere in the message
    SendAnswer answer;
};

// As geth, Nitro, anvil, reth, Erigon, Nethermind and Besu word them. The first that matches
// counts: the specific stand before the general.
constexpr auto kWordings = std::to_array<Wording>({
    {"already known", SendAnswer::Known},
    {"already imported", SendAnswer::Known},
    {"known transaction", SendAnswer::Known},
    {"alreadyknown", SendAnswer::Known},
    {"already exists", SendAnswer::Known},
    {"nonce too low", SendAnswer::NonceTooLow},
    {"nonce is too low", SendAnswer::NonceTooLow},
    {"oldnonce", SendAnswer::NonceTooLow},
    {"nonce too high", SendAnswer::NonceTooHigh},
    {"nonce gap", SendAnswer::NonceTooHigh},
    {"noncegap", SendAnswer::NonceTooHigh},
    {"nonce too far", SendAnswer::NonceTooHigh},
    {"underpriced", SendAnswer::Underpriced},
    {"fee too low to replace", SendAnswer::Underpriced},
    {"less than block base fee", SendAnswer::FeeTooLow},
    {"fee cap less than", SendAnswer::FeeTooLow},
    {"feetoolow", SendAnswer::FeeTooLow},
    {"below current base fee", SendAnswer::FeeTooLow},
    {"insufficient funds", SendAnswer::NoFunds},
    {"insufficientfunds", SendAnswer::NoFunds},
    {"execution reverted", SendAnswer::Reverted},
    {"vm exception while processing transaction: revert", SendAnswer::Reverted},
    {"confirmation timeout", SendAnswer::InDoubt},
    {"timed out", SendAnswer::InDoubt},
    {"timeout", SendAnswer::InDoubt},
    {"deadline exceeded", SendAnswer::InDoubt},
    {"rate limit", SendAnswer::Busy},
    {"too many requests", SendAnswer::Busy},
    {"txpool is full", SendAnswer::Busy},
    {"method not found", SendAnswer::NoSuchMethod},
    {"method not supported", SendAnswer::NoSuchMethod},
    {"does not exist/is not available", SendAnswer::NoSuchMethod},
    {"unsupported method", SendAnswer::NoSuchMethod},
    {"intrinsic gas too low", SendAnswer::Refused},
    {"exceeds block gas limit", SendAnswer::Refused},
    {"invalid chain id", SendAnswer::Refused},
    {"invalid sender", SendAnswer::Refused},
    {"failed to decode", SendAnswer::Refused},
    {"oversized data", SendAnswer::Refused},
    {"max initcode size", SendAnswer::Refused},
});

constexpr std::int64_t kRevert = 3;        // geth, with the data
constexpr std::int64_t kSyncTimeout = 4;   // EIP-7966: accepted, no receipt in time
constexpr std::int64_t kSyncNotReady = 5;  // EIP-7966: a nonce gap, or no funds
constexpr std::int64_t kInternal = -32603;
constexpr std::int64_t kNoSuchMethod = -32601;
constexpr std::int64_t kLimitExceeded = -32005;

std::string lowered(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower;
}

std::optional<SendAnswer> byWording(std::string_view message)
{
    const std::string text = lowered(message);
    const auto found = std::find_if(
        kWordings.begin(), kWordings.end(),
        [&](const Wording &wording) { return text.find(wording.text) != std::string::npos; });
    return found == kWordings.end() ? std::nullopt : std::optional(found->answer);
}
}  // namespace

std::string_view name(SendAnswer answer)
{
    return kNames.at(static_cast<std::size_t>(answer));
}

SendAnswer classify(const NodeRefusal &refusal)
{
    if (refusal.code == kSyncTimeout)
    {
        return SendAnswer::Accepted;
    }
    if (const auto worded = byWording(refusal.message))
    {
        return *worded;
    }
    switch (refusal.code)
    {
        case kRevert: return SendAnswer::Reverted;
        case kSyncNotReady: return SendAnswer::NonceTooHigh;
        case kNoSuchMethod: return SendAnswer::NoSuchMethod;
        case kLimitExceeded: return SendAnswer::Busy;
        // Something broke inside the node, perhaps after it had taken the transaction.
        case kInternal: return refusal.hasRevertData ? SendAnswer::Reverted : SendAnswer::InDoubt;
        default: break;
    }
    return refusal.hasRevertData ? SendAnswer::Reverted : SendAnswer::Refused;
}
}  // namespace relayer::chain
