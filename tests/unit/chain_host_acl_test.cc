// What is asked of the ACL of a host chain for each sort of request, and what is said of a no.
#include "chain/abi.h"
#include "chain/host_acl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::chain
{
namespace
{
using ::testing::ElementsAre;

core::Hash32 handle(std::uint8_t number)
{
    core::Hash32 made{};
    made.fill(number);
    return made;
}

core::Address address(std::uint8_t number)
{
    core::Address made{};
    made.fill(number);
    return made;
}

std::string wordOf(const core::Address &account)
{
    return std::string(24, '0') + core::toHex(account);
}

std::vector<std::string> callsOf(const std::vector<AclQuestion> &questions)
{
    std::vector<std::string> calls;
    for (const AclQuestion &question : questions)
    {
        calls.push_back(core::toHex(question.call));
    }
    return calls;
}

core::DirectUserDecrypt direct()
{
    core::DirectUserDecrypt request;
    request.handles = {{handle(1), address(0x11)}, {handle(2), address(0x22)}};
    request.user = address(0xaa);
    return request;
}

core::DelegatedUserDecrypt delegated()
{
    core::DelegatedUserDecrypt request;
    request.handles = {{handle(1), address(0x11)}};
    request.delegator = address(0xdd);
    request.delegate = address(0xde);
    return request;
}

core::UnifiedUserDecrypt unified()
{
    core::UnifiedUserDecrypt request;
    request.handles = {{handle(1), address(0x11), address(0xaa)},
                       {handle(2), address(0x22), address(0xbb)}};
    request.user = address(0xaa);
    return request;
}

core::Bytes answerOf(const std::vector<core::Bytes> &elements)
{
    abi::TupleWriter inner;
    for (const core::Bytes &element : elements)
    {
        inner.bytes(element);
    }
    return abi::TupleWriter().array(elements.size(), inner).finish();
}

core::Bytes word(std::uint8_t last)
{
    core::Bytes bytes(32, 0);
    bytes.back() = last;
    return bytes;
}

TEST(HostAcl, AsksForAPublicDecryptionAboutEachHandle)
{
    const core::PublicDecrypt request{{handle(1), handle(2)}, {0}};
    EXPECT_THAT(callsOf(aclQuestions(request)), ElementsAre("c0d02943" + core::toHex(handle(1)),
                                                            "c0d02943" + core::toHex(handle(2))));
}

TEST(HostAcl, AsksForADirectOneAboutUserAndContractOfEachHandleInTurn)
{
    const std::string user = wordOf(address(0xaa));
    EXPECT_THAT(callsOf(aclQuestions(core::UserDecrypt(direct()))),
                ElementsAre("82027b6d" + core::toHex(handle(1)) + user,
                            "82027b6d" + core::toHex(handle(1)) + wordOf(address(0x11)),
                            "82027b6d" + core::toHex(handle(2)) + user,
                            "82027b6d" + core::toHex(handle(2)) + wordOf(address(0x22))));
}

TEST(HostAcl, AsksForADelegatedOneAboutTheDelegation)
{
    EXPECT_THAT(callsOf(aclQuestions(core::UserDecrypt(delegated()))),
                ElementsAre("d09c0dee" + wordOf(address(0xdd)) + wordOf(address(0xde)) +
                            wordOf(address(0x11)) + core::toHex(handle(1))));
}

TEST(HostAcl, AsksForAUnifiedOneAboutTheUserOnlyWhereItOwnsTheHandle)
{
    EXPECT_THAT(callsOf(aclQuestions(core::UserDecrypt(unified()))),
                ElementsAre("82027b6d" + core::toHex(handle(1)) + wordOf(address(0xaa)),
                            "d09c0dee" + wordOf(address(0xbb)) + wordOf(address(0xaa)) +
                                wordOf(address(0x22)) + core::toHex(handle(2))));
}

TEST(HostAcl, ARefusalNamesEachHandleAndCheckAsTheReferenceDoes)
{
    const std::string one = "handle=0x" + core::toHex(handle(1));
    const std::string two = "handle=0x" + core::toHex(handle(2));
    const std::string start = "Not allowed on host ACL: ACL check failed for ";
    EXPECT_EQ(aclRefusal(aclQuestions(core::PublicDecrypt{{handle(1), handle(2)}, {0}})),
              start + "2 handle(s): " + one + " check=isAllowedForDecryption, " + two +
                  " check=isAllowedForDecryption");
    const auto questions = aclQuestions(core::UserDecrypt(direct()));
    EXPECT_EQ(aclRefusal({questions[0]}),
              start + "1 handle(s): " + one +
                  " check=isAllowed(user 0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa)");
    EXPECT_EQ(aclRefusal({questions[3]}),
              start + "1 handle(s): " + two +
                  " check=isAllowed(contract 0x2222222222222222222222222222222222222222)");
    EXPECT_EQ(aclRefusal(aclQuestions(core::UserDecrypt(delegated()))),
              start + "1 handle(s): " + one + " check=isHandleDelegatedForUserDecryption");
    EXPECT_EQ(aclRefusal({aclQuestions(core::UserDecrypt(unified()))[1]}),
              start + "1 handle(s): " + two +
                  " check=isHandleDelegatedForUserDecryption(owner "
                  "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB, user "
                  "0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa)");
}

TEST(HostAcl, AMulticallCarriesTheCallsAsBytes)
{
    const core::Bytes first = {1, 2, 3};
    const core::Bytes second(33, 7);
    const core::Bytes call = multicall({first, second});
    EXPECT_EQ(core::toHex(core::ByteView(call).first(4)), "ac9650d8");
    abi::Input input(core::ByteView(call).subspan(4));
    abi::TupleReader tuple = input.tuple();
    EXPECT_THAT(abi::bytesArray(tuple), ElementsAre(first, second));
    EXPECT_TRUE(input.good());
    EXPECT_EQ(call.size(), 4U + 32 * (2 + 2 + 2 + 3));
}

TEST(HostAcl, AnAnswerIsYesWhereTheLastByteOfItsFirstWordIsNotZero)
{
    core::Bytes longer = word(1);
    longer.resize(64, 0);
    core::Bytes noise(32, 0xff);
    noise.back() = 0;
    EXPECT_EQ(multicallAnswer(answerOf({word(0), word(1), word(2), longer, noise}), 5),
              (std::vector<bool>{false, true, true, true, false}));
    EXPECT_EQ(multicallAnswer(answerOf({}), 0), std::vector<bool>{});
}

TEST(HostAcl, AnotherCountOrAShortElementIsNoAnswer)
{
    const core::Bytes two = answerOf({word(1), word(1)});
    EXPECT_FALSE(multicallAnswer(two, 1));
    EXPECT_FALSE(multicallAnswer(two, 3));
    EXPECT_FALSE(multicallAnswer(answerOf({word(1), core::Bytes(31, 1)}), 2));
    EXPECT_FALSE(multicallAnswer({}, 0));
    EXPECT_FALSE(multicallAnswer(core::Bytes(31, 0), 0));
    for (std::size_t size = 0; size < two.size(); ++size)
    {
        EXPECT_FALSE(multicallAnswer(core::ByteView(two).first(size), 2)) << size;
    }
}
}  // namespace
}  // namespace relayer::chain
