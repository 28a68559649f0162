// What a node's words about a revert come to.
#include "chain/abi.h"
#include "chain/gateway.h"
#include "chain/hex.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace relayer::chain
{
namespace
{
using core::FailureCode;
using namespace std::string_literals;

Revert ofData(std::string_view hex, std::string_view message = "")
{
    return decodeRevert(fromHexData(hex).value(), message);
}

TEST(Revert, EachSelectorThatClientsAreToldOfHasItsCode)
{
    const std::vector<std::pair<std::string, FailureCode>> known = {
        {"d93c0665", FailureCode::ProtocolPaused},
        {"e450d38c", FailureCode::InsufficientBalance},
        {"fb8f41b2", FailureCode::InsufficientAllowance},
        {"2a873d27", FailureCode::InvalidSignature},
        {"f645eedf", FailureCode::InvalidSignature},
        {"fce698f7", FailureCode::InvalidSignature},
        {"d78bce0c", FailureCode::InvalidSignature},
        {"0666cbdf", FailureCode::TransactionFailed},
        {"b6679c3b", FailureCode::TransactionFailed}};
    for (const auto &[selector, code] : known)
    {
        const auto number = static_cast<std::uint32_t>(std::stoul(selector, nullptr, 16));
        for (const Revert &revert :
             {ofData("0x" + selector), ofData("0x" + selector + std::string(64, '0')),
              decodeRevert({}, "execution reverted: custom error 0x" + selector),
              decodeRevert({}, "execution reverted: " + selector + ": 00")})
        {
            EXPECT_EQ(revert.code, code) << selector;
            EXPECT_EQ(revert.selector, number) << selector;
        }
    }
    EXPECT_EQ(ofData("0x0666cbdf").selector, kCiphertextMaterialNotFound);
}

TEST(Revert, TheDataCountsAndNotTheMessageBesideIt)
{
    const Revert revert = ofData("0xe450d38c", "execution reverted: custom error 0xd93c0665");
    EXPECT_EQ(revert.code, FailureCode::InsufficientBalance);
    EXPECT_EQ(ofData("0x", "execution reverted: 0xd93c0665").code, FailureCode::ProtocolPaused);
    EXPECT_EQ(ofData("0xd93c06", "execution reverted: 0xfb8f41b2").code,
              FailureCode::InsufficientAllowance);
}

TEST(Revert, CapitalsAndControlBytesInMessagesDoNoHarm)
{
    EXPECT_EQ(decodeRevert({}, "EXECUTION REVERTED: 0XD93C0665").code, FailureCode::ProtocolPaused);
    const std::string withNul = "execution reverted: custom error 0x2a873d27: \0\1\2"s;
    EXPECT_EQ(decodeRevert({}, withNul).code, FailureCode::InvalidSignature);
}

TEST(Revert, OfTwoNumbersTheFirstWithItsPrefixCounts)
{
    EXPECT_EQ(decodeRevert({}, "revert d93c0665 and 0xfb8f41b2").code,
              FailureCode::InsufficientAllowance);
    EXPECT_EQ(decodeRevert({}, "revert 0xfb8f41b2 and 0xd93c0665").code,
              FailureCode::InsufficientAllowance);
    EXPECT_EQ(decodeRevert({}, "revert 0xfb8f41 d93c0665").code, FailureCode::ProtocolPaused);
}

TEST(Revert, MessagesThatSpeakOfNoneHaveNoSelector)
{
    for (const std::string_view message :
         {"", "execution reverted", "nonce too low", "insufficient funds: have 12345678",
          "replacement of 0x1234567890abcdef1234567890abcdef12345678 is underpriced", "0x",
          "0x1234567"})
    {
        const Revert revert = decodeRevert({}, message);
        EXPECT_EQ(revert.selector, std::nullopt) << message;
        EXPECT_EQ(revert.code, FailureCode::TransactionFailed) << message;
    }
    // It does speak of one, whatever this number means.
    EXPECT_EQ(decodeRevert({}, "execution reverted: 0x12345678").selector, 0x12345678U);
}

TEST(Revert, ATextAndAPanicAreReasonsForTheLog)
{
    const auto error = [](std::string_view text) {
        return decodeRevert(
            abi::TupleWriter().bytes(core::Bytes(text.begin(), text.end())).call(0x08c379a0), "");
    };
    EXPECT_EQ(error("not allowed").reason, "not allowed");
    EXPECT_EQ(error("not allowed").selector, 0x08c379a0U);
    EXPECT_EQ(error("a\nb\x01\xFF").reason, "a?b??");
    EXPECT_EQ(error(std::string(5000, 'x')).reason.size(), 256U);
    const Revert panic = decodeRevert(abi::TupleWriter().number(0x11).call(0x4e487b71), "");
    EXPECT_EQ(panic.reason, "panic 0x11");
    EXPECT_EQ(panic.code, FailureCode::TransactionFailed);
    EXPECT_EQ(ofData("0x08c379a0ffff").reason, "");
    EXPECT_EQ(ofData("0x4e487b71").reason, "");
}
}  // namespace
}  // namespace relayer::chain
