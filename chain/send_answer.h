// What a node's answer to a transaction means for its nonce. One table, because every mistake here
// is either a second transaction or a lost one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace relayer::chain
{
enum class SendAnswer : std::uint8_t
{
    Mined,         // the receipt itself
    Accepted,      // it is in the pool; the receipt comes later
    InDoubt,       // it may be: look for the receipt under every hash of this attempt
    Known,         // the node has these very bytes already
    NonceTooLow,   // its nonce is taken: by this attempt, or by a transaction that is not ours
    NonceTooHigh,  // its predecessors are not there yet
    Underpriced,   // another version at this nonce stands in the pool, and this one does not outbid
                   // it
    FeeTooLow,     // the base fee has risen above what it offers
    NoFunds,       // the sender can not pay for gas
    Busy,          // the node is overloaded: it did not look at it
    NoSuchMethod,  // the node does not know this way of sending
    Reverted,      // it would revert: this payload is not going to be mined
    Refused,       // it is not a transaction that this chain takes
};
inline constexpr std::size_t kSendAnswers = 13;

[[nodiscard]] std::string_view name(SendAnswer answer);

// A node's JSON-RPC error. The message is matched without regard to case.
struct NodeRefusal
{
    std::int64_t code = 0;
    std::string_view message;
    bool hasRevertData = false;
};
[[nodiscard]] SendAnswer classify(const NodeRefusal &refusal);

// What is done about an answer. Doubt always means the receipt is looked for first.
struct Reaction
{
    bool mayBeInPool;   // a receipt may come of it
    bool sendAgain;     // the same bytes, after the retry interval
    bool raiseFees;     // a replacement at the same nonce
    bool suspectNonce;  // find out who took the nonce
    bool givesUp;       // the request fails; a no-op closes the nonce
    bool pausesLane;    // nobody else's transaction would fare better
};
[[nodiscard]] constexpr Reaction reactionTo(SendAnswer answer)
{
    switch (answer)
    {
        case SendAnswer::Mined:
        case SendAnswer::Accepted:
        case SendAnswer::Known: return {true, false, false, false, false, false};
        case SendAnswer::InDoubt: return {true, true, false, false, false, false};
        case SendAnswer::NonceTooLow: return {true, true, false, true, false, false};
        case SendAnswer::NonceTooHigh: return {false, true, false, false, false, false};
        case SendAnswer::Underpriced: return {true, true, true, false, false, false};
        case SendAnswer::FeeTooLow: return {false, true, true, false, false, false};
        case SendAnswer::NoFunds: return {false, true, false, false, false, true};
        case SendAnswer::Busy:
        case SendAnswer::NoSuchMethod: return {false, true, false, false, false, false};
        case SendAnswer::Reverted:
        case SendAnswer::Refused: break;
    }
    return {false, false, false, false, true, false};
}
}  // namespace relayer::chain
