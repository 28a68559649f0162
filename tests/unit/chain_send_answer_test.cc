// What nodes say to a transaction, and what it means for the nonce.

#include "chain/send_answer.h"

#include <gtest/gtest.h>

namespace
{
using relayer::chain::classify;
using relayer::chain::kSendAnswers;
using relayer::chain::NodeRefusal;
using relayer::chain::reactionTo;
using relayer::chain::SendAnswer;

struct Case
{
    const char *node;
    std::int64_t code;
    const char *message;
    bool data;
    SendAnswer expected;
};

class Refusals : public testing::TestWithParam<Case>
{};

TEST_P(Refusals, AreClassified)
{
    const Case &c = GetParam();
    EXPECT_EQ(classify(NodeRefusal{c.code, c.message, c.data}), c.expected)
        << c.node << " says " << c.code << " " << c.message << ", taken for "
        << name(classify(NodeRefusal{c.code, c.message, c.data}));
}

INSTANTIATE_TEST_SUITE_P(
    SendAnswer, Refusals,
    testing::Values(
        Case{"geth", -32000, "already known", false, SendAnswer::Known},
        Case{"anvil", -32003, "transaction already imported", false, SendAnswer::Known},
        Case{"Nethermind", -32010, "AlreadyKnown", false, SendAnswer::Known},
        Case{"anvil", -32003, "nonce too low", false, SendAnswer::NonceTooLow},
        Case{"geth", -32000, "nonce too low: address 0xab, tx: 1 state: 2", false,
             SendAnswer::NonceTooLow},
        Case{"Nitro", -32000, "nonce too high", false, SendAnswer::NonceTooHigh},
        Case{"EIP-7966", 5, "not ready", false, SendAnswer::NonceTooHigh},
        Case{"EIP-7966", 5, "insufficient funds for gas", false, SendAnswer::NoFunds},
        Case{"anvil", -32000, "replacement transaction underpriced", false,
             SendAnswer::Underpriced},
        Case{"geth", -32000, "transaction underpriced", false, SendAnswer::Underpriced},
        Case{"anvil", -32003, "max fee per gas less than block base fee", false,
             SendAnswer::FeeTooLow},
        Case{"anvil", -32003, "Insufficient funds for gas * price + value", false,
             SendAnswer::NoFunds},
        Case{"Nitro", 4, "The transaction was added to the mempool but wasn't processed", true,
             SendAnswer::Accepted},
        Case{"anvil", -32603, "Transaction confirmation timeout", false, SendAnswer::InDoubt},
        Case{"any", -32603, "Internal error", false, SendAnswer::InDoubt},
        Case{"double", -32603, "execution reverted: 0xd93c0665", false, SendAnswer::Reverted},
        Case{"double", -32000, "execution reverted: 0xd93c0665", false, SendAnswer::Reverted},
        Case{"geth", 3, "execution reverted", true, SendAnswer::Reverted},
        Case{"any", 3, "", true, SendAnswer::Reverted},
        Case{"any", -32000, "something with revert data", true, SendAnswer::Reverted},
        Case{"geth", -32601,
             "the method eth_sendRawTransactionSync does not exist/is not available", false,
             SendAnswer::NoSuchMethod},
        Case{"any", -32601, "", false, SendAnswer::NoSuchMethod},
        Case{"provider", -32005, "daily request count exceeded", false, SendAnswer::Busy},
        Case{"provider", 429, "Too Many Requests", false, SendAnswer::Busy},
        Case{"anvil", -32003, "invalid chain id for signer", false, SendAnswer::Refused},
        Case{"anvil", -32000, "intrinsic gas too low", false, SendAnswer::Refused},
        Case{"anvil", -32602, "Failed to decode transaction", false, SendAnswer::Refused},
        Case{"any", -32000, "something new", false, SendAnswer::Refused}));

// Whatever may be in a pool is never given up, and what gives up is never sent again: together
// these are "one transaction or one error".
TEST(SendAnswerReactions, DoubtNeverGivesUp)
{
    for (std::size_t i = 0; i < kSendAnswers; ++i)
    {
        const auto answer = static_cast<SendAnswer>(i);
        const auto reaction = reactionTo(answer);
        EXPECT_FALSE(reaction.mayBeInPool && reaction.givesUp) << name(answer);
        EXPECT_FALSE(reaction.sendAgain && reaction.givesUp) << name(answer);
        EXPECT_TRUE(reaction.mayBeInPool || reaction.sendAgain || reaction.givesUp)
            << name(answer) << " leads nowhere";
    }
}
}  // namespace
