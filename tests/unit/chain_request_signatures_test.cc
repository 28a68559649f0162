// Who has signed a user decryption, in every spelling of a signature.
#include "chain/address.h"
#include "chain/contract_signatures.h"
#include "chain/request_signatures.h"
#include "chain/uint256.h"
#include "support/wallet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace relayer::chain
{
namespace
{
using core::UserDecrypt;
using test::Wallet;

core::Address address(std::uint8_t number)
{
    core::Address address{};
    address.fill(number);
    return address;
}

core::Hash32 handleOn(std::uint8_t chain)
{
    core::Hash32 handle{};
    handle.fill(7);
    std::fill(handle.begin() + 22, handle.begin() + 29, 0);
    handle[29] = chain;
    return handle;
}

UserDecrypt direct(const Wallet &user)
{
    core::DirectUserDecrypt request;
    request.handles = {{handleOn(9), address(1)}};
    request.startTimestamp = 1700000000;
    request.durationDays = 10;
    request.contractsChainId = 9;
    request.contracts = {address(1)};
    request.user = user.address();
    request.publicKey = {1, 2, 3};
    request.extraData = {0};
    return request;
}

UserDecrypt delegated(const Wallet &delegate)
{
    core::DelegatedUserDecrypt request;
    request.handles = {{handleOn(9), address(1)}};
    request.startTimestamp = 1700000000;
    request.durationDays = 10;
    request.delegator = address(2);
    request.delegate = delegate.address();
    request.contractsChainId = 9;
    request.contracts = {address(1)};
    request.publicKey = {1, 2, 3};
    request.extraData = {0};
    return request;
}

UserDecrypt unified(const Wallet &user)
{
    core::UnifiedUserDecrypt request;
    request.handles = {{handleOn(9), address(1), user.address()}};
    request.user = user.address();
    request.publicKey = {1, 2, 3};
    request.startTimestamp = 1700000000;
    request.durationSeconds = 600;
    request.extraData = {0};
    return request;
}

core::Bytes &signatureOf(UserDecrypt &request)
{
    return std::visit([](auto &sort) -> core::Bytes & { return sort.signature; }, request);
}

// The other s that is as good for whoever only recovers: n - s, with the other v.
core::Bytes withHighS(core::Bytes signature)
{
    static constexpr std::array<std::uint8_t, 32> kOrder = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xfe, 0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48,
        0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41};
    int borrow = 0;
    for (std::size_t i = 32; i-- > 0;)
    {
        const int digit = kOrder.at(i) - signature.at(32 + i) - borrow;
        borrow = digit < 0 ? 1 : 0;
        signature.at(32 + i) = static_cast<std::uint8_t>(digit + 256 * borrow);
    }
    signature.back() = signature.back() == 27 ? 28 : 27;
    return signature;
}

const core::Address kDecryption = address(0xDC);
}  // namespace

TEST(RequestSignatures, TheOneWhoIsNamedHasSigned)
{
    const Wallet user(1);
    const Wallet stranger(2);
    for (const UserDecrypt &request : {direct(user), delegated(user), unified(user)})
    {
        SCOPED_TRACE(request.index());
        EXPECT_TRUE(isSignedByAsker(user.signedFor(request, kDecryption), kDecryption));
        EXPECT_FALSE(isSignedByAsker(stranger.signedFor(request, kDecryption), kDecryption));
        EXPECT_FALSE(isSignedByAsker(user.signedFor(request, kDecryption), address(1)))
            << "for another contract";
        EXPECT_FALSE(isSignedByAsker(request, kDecryption)) << "not at all";
    }
}

TEST(RequestSignatures, ASignatureIsForTheChainThatTheRequestNames)
{
    const Wallet user(1);
    UserDecrypt request = user.signedFor(direct(user), kDecryption);
    std::get<core::DirectUserDecrypt>(request).contractsChainId = 10;
    EXPECT_FALSE(isSignedByAsker(request, kDecryption));
    request = user.signedFor(unified(user), kDecryption);
    std::get<core::UnifiedUserDecrypt>(request).handles.front().handle = handleOn(10);
    EXPECT_FALSE(isSignedByAsker(request, kDecryption));
    std::get<core::UnifiedUserDecrypt>(request).handles.clear();
    EXPECT_FALSE(isSignedByAsker(request, kDecryption));
}

TEST(RequestSignatures, EverySpellingOfVIsTakenOfAWalletAndTwoOfThemOfAContract)
{
    const Wallet user(1);
    const auto takenWith = [&user](UserDecrypt request, int v) {
        request = user.signedFor(std::move(request), kDecryption);
        signatureOf(request).back() = static_cast<std::uint8_t>(v);
        return isSignedByAsker(request, kDecryption);
    };
    UserDecrypt probe = user.signedFor(unified(user), kDecryption);
    const int parity = signatureOf(probe).back() - 27;
    for (int v = 0; v < 256; ++v)
    {
        const bool right = v < 2                ? v == parity
                           : v == 27 || v == 28 ? v - 27 == parity
                                                : v >= 35 && (v - 35) % 2 == parity;
        EXPECT_EQ(takenWith(unified(user), v), right) << v;
    }
    probe = user.signedFor(direct(user), kDecryption);
    const int contractsV = signatureOf(probe).back();
    for (int v = 0; v < 256; ++v)
    {
        EXPECT_EQ(takenWith(direct(user), v), v == contractsV) << v;
    }
}

TEST(RequestSignatures, TheHigherSIsNoSignatureToAContract)
{
    const Wallet user(1);
    for (const UserDecrypt &request : {direct(user), delegated(user), unified(user)})
    {
        UserDecrypt rewritten = user.signedFor(request, kDecryption);
        signatureOf(rewritten) = withHighS(signatureOf(rewritten));
        EXPECT_EQ(isSignedByAsker(rewritten, kDecryption), request.index() == 2);
    }
}

TEST(RequestSignatures, OtherLengthsAreNoSignatures)
{
    for (const std::size_t size : {0U, 1U, 64U, 66U, 130U})
    {
        EXPECT_FALSE(readSignature(core::Bytes(size, 27), SignatureForm::OfWallets)) << size;
    }
    EXPECT_FALSE(isSignedByAsker(unified(Wallet(1)), kDecryption));
}

TEST(ContractSignatures, YesIsAWholeWordThatBeginsWithTheSelector)
{
    core::Bytes yes(32, 0);
    std::ranges::copy(core::fromHex("1626ba7e").value(), yes.begin());
    EXPECT_TRUE(saysValid(yes));
    yes.resize(64, 0xff);
    EXPECT_TRUE(saysValid(yes));
    yes.resize(31);
    EXPECT_FALSE(saysValid(yes));
    yes.resize(4);
    EXPECT_FALSE(saysValid(yes));
    EXPECT_FALSE(saysValid({}));
    EXPECT_FALSE(saysValid(core::Bytes(32, 0xff)));
    const core::Bytes question = isValidSignature(core::Hash32{}, core::Bytes(65, 1));
    EXPECT_EQ(core::toHex(core::ByteView(question).first(4)), "1626ba7e");
    EXPECT_EQ(question.size(), 4U + 32 * 3 + 96);
}
}  // namespace relayer::chain
