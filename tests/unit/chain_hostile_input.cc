// Input made to break the decoders: cut off, with lengths and offsets that lie.
#include "chain/abi.h"
#include "chain/ecdsa.h"
#include "chain/gateway.h"
#include "chain/hex.h"
#include "chain/keccak.h"
#include "chain/private_key_signer.h"
#include "chain/rlp.h"
#include "chain/transaction.h"

#include <gtest/gtest.h>

#include <string>

namespace relayer::chain
{
namespace
{
core::Bytes fromText(std::string_view hex)
{
    const auto bytes = fromHexData(hex);
    EXPECT_TRUE(bytes) << hex;
    return bytes.value_or(core::Bytes());
}

Log answerLog(std::string_view event, core::Bytes data)
{
    Log log;
    log.topics = {keccak256(core::Bytes(event.begin(), event.end())), core::Hash32{}};
    log.data = std::move(data);
    return log;
}

bool isMalformed(const Log &log)
{
    const auto event = decodeEvent(log, {});
    return event && std::holds_alternative<MalformedEvent>(*event);
}

constexpr std::string_view kAccepted = "VerifyProofResponse(uint256,bytes32[],bytes[])";
constexpr std::string_view kShare = "UserDecryptionResponse(uint256,uint256,bytes,bytes,bytes)";
constexpr std::string_view kDecrypted = "PublicDecryptionResponse(uint256,bytes,bytes[],bytes)";

core::Bytes acceptedData()
{
    return abi::TupleWriter()
        .array(2, abi::TupleWriter().word({1}).word({2}))
        .array(2, abi::TupleWriter().bytes(core::Bytes(65, 3)).bytes(core::Bytes(65, 4)))
        .finish();
}

TEST(HostileEvents, DataThatIsCutOffIsMalformed)
{
    const core::Bytes whole = acceptedData();
    EXPECT_FALSE(isMalformed(answerLog(kAccepted, whole)));
    for (std::size_t size = 0; size < whole.size(); ++size)
    {
        const auto end = whole.begin() + static_cast<std::ptrdiff_t>(size);
        EXPECT_TRUE(isMalformed(answerLog(kAccepted, {whole.begin(), end}))) << size;
    }
    core::Bytes longer = whole;
    longer.resize(whole.size() + 32);
    EXPECT_FALSE(isMalformed(answerLog(kAccepted, longer))) << "others let a tail pass, too";
}

TEST(HostileEvents, HugeLengthsAndOffsetsAreMalformed)
{
    const core::Bytes whole = acceptedData();
    // The words that are offsets, counts and lengths.
    for (const std::size_t word : {0U, 1U, 2U, 5U, 6U, 7U, 8U, 12U})
    {
        for (const std::uint8_t octet : core::Bytes{0x01, 0x7F, 0x80, 0xFF})
        {
            for (const std::size_t at : {0U, 23U, 24U, 27U, 28U})
            {
                core::Bytes changed = whole;
                changed[32 * word + at] = octet;
                EXPECT_TRUE(isMalformed(answerLog(kAccepted, changed))) << word << " " << at;
            }
        }
        core::Bytes changed = whole;
        std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(32 * word), 32, 0xFF);
        EXPECT_TRUE(isMalformed(answerLog(kAccepted, changed))) << word;
    }
}

// 1,000 offsets to one string of 32 kB: 64 kB of data would become 32 MB.
TEST(HostileEvents, OffsetsThatShareTheirTargetAreMalformed)
{
    constexpr std::size_t kCount = 1000;
    abi::TupleWriter elements;
    for (std::size_t i = 0; i < kCount; ++i)
    {
        elements.number(32 * kCount);
    }
    elements.number(32000);
    for (int i = 0; i < 1000; ++i)
    {
        elements.word({});
    }
    const core::Bytes data =
        abi::TupleWriter().bytes({}).array(kCount, elements).bytes({}).finish();
    EXPECT_TRUE(isMalformed(answerLog(kDecrypted, data)));
}

TEST(HostileEvents, OffsetsThatLeadBackToThemselvesEnd)
{
    abi::TupleWriter writer;
    for (int i = 0; i < 64; ++i)
    {
        writer.number(0);
    }
    const core::Bytes data = writer.finish();
    abi::Input input(data);
    abi::TupleReader reader = input.tuple();
    int turns = 0;
    while (input.good() && turns < 1000)
    {
        reader = reader.tuple();
        ++turns;
    }
    EXPECT_FALSE(input.good());
    EXPECT_LT(turns, 1000);
}

TEST(HostileEvents, AShareIndexThatIsNotStoredIsMalformed)
{
    const auto data = [](std::uint64_t index) {
        return abi::TupleWriter().number(index).bytes({}).bytes({}).bytes({}).finish();
    };
    EXPECT_FALSE(isMalformed(answerLog(kShare, data(0x7FFFFFFF))));
    EXPECT_TRUE(isMalformed(answerLog(kShare, data(0x80000000))));
    EXPECT_TRUE(isMalformed(answerLog(kShare, data(UINT64_MAX))));
}

TEST(HostileEvents, OursWithoutAnIdIsMalformedAndHasNoIdentity)
{
    Log log = answerLog(kAccepted, acceptedData());
    log.topics.resize(1);
    EXPECT_TRUE(isMalformed(log));
    EXPECT_FALSE(identify(log, {}));
    log.topics.clear();
    EXPECT_FALSE(decodeEvent(log, {}));
}

TEST(HostileEvents, OtherContractsSayNothingToUs)
{
    GatewayContracts contracts;
    contracts.decryption.fill(0xDE);
    contracts.inputVerification.fill(0x1F);
    Log log = answerLog(kAccepted, acceptedData());
    log.address = contracts.inputVerification;
    EXPECT_TRUE(decodeEvent(log, contracts));
    EXPECT_TRUE(identify(log, contracts));
    log.address = contracts.decryption;  // ours, but this is not its event
    EXPECT_FALSE(decodeEvent(log, contracts));
    log.address[0] ^= 1U;
    EXPECT_FALSE(decodeEvent(log, contracts));
    EXPECT_FALSE(identify(log, contracts));
    log.address = contracts.inputVerification;
    log.topics[0] = keccak256(core::Bytes{1});
    EXPECT_FALSE(decodeEvent(log, contracts));
}

TEST(RequestIdInReceipt, TheFirstEventOfTheKindByOurContractCounts)
{
    constexpr std::string_view kPublic = "PublicDecryptionRequest(uint256,bytes32[],bytes)";
    constexpr std::string_view kUser =
        "UserDecryptionRequest(uint256,bytes32[],address,bytes,bytes)";
    GatewayContracts contracts;
    contracts.decryption.fill(0xDE);
    const auto request = [&contracts](std::string_view event, std::uint8_t id) {
        Log log = answerLog(event, {});
        log.address = contracts.decryption;
        log.topics[1].fill(id);
        return log;
    };
    Log foreign = request(kPublic, 1);
    foreign.address.fill(0xEE);
    const std::vector<Log> logs = {answerLog("Transfer(address,address,uint256)", {}), foreign,
                                   request(kUser, 2), request(kPublic, 3), request(kPublic, 4)};
    core::Hash32 expected{};
    expected.fill(3);
    EXPECT_EQ(requestIdIn(logs, core::Kind::PublicDecrypt, contracts), expected);
    expected.fill(2);
    EXPECT_EQ(requestIdIn(logs, core::Kind::UserDecrypt, contracts), expected);
    EXPECT_EQ(requestIdIn(logs, core::Kind::InputProof, contracts), std::nullopt);
    EXPECT_EQ(requestIdIn({}, core::Kind::PublicDecrypt, contracts), std::nullopt);
}

TEST(HostileRlp, WhatIsNotCanonicalIsRefused)
{
    for (const std::string_view text : {"0x",
                                        "0x8100",
                                        "0x817f",
                                        "0xb800",
                                        "0xb837" /* 55 bytes have a short length */,
                                        "0xb90038",
                                        "0xf800",
                                        "0xf90038",
                                        "0x83aabb",
                                        "0xc2aa",
                                        "0x0000",
                                        "0xc0c0",
                                        "0xc18080",
                                        "0xbfffffffffffffffff",
                                        "0xffffffffffffffffff",
                                        "0xbf8000000000000000",
                                        "0xff7fffffffffffffff",
                                        "0xb8",
                                        "0xf8",
                                        "0xbf00"})
    {
        EXPECT_FALSE(rlp::decode(fromText(text))) << text;
    }
    EXPECT_TRUE(rlp::decode(fromText("0x8180")));
    EXPECT_TRUE(rlp::decode(fromText("0xc0")));
}

TEST(HostileRlp, ListsNestUpToTheLimit)
{
    core::Bytes nested = rlp::list({});
    for (std::size_t depth = 1; depth < rlp::kDepthMax; ++depth)
    {
        nested = rlp::list(nested);
    }
    EXPECT_TRUE(rlp::decode(nested));
    EXPECT_FALSE(rlp::decode(rlp::list(nested)));
    EXPECT_FALSE(rlp::decode(core::Bytes(1'000'000, 0xC1)));
}

SignedTransaction sample(bool type2)
{
    SignedTransaction made;
    made.transaction.chainId = 654321;
    made.transaction.nonce = 7;
    made.transaction.gasLimit = 21000;
    made.transaction.maxFeePerGas = 1000;
    if (type2)
    {
        made.transaction.maxPriorityFeePerGas = 1;
    }
    made.transaction.data = {1, 2, 3};
    core::Hash32 key{};
    key.back() = 1;
    signerWithKey(key)->sign(signingDigest(made.transaction), [&made](const Signer::Signed &done) {
        made.signature = std::get<Signature>(done);
    });
    return made;
}

TEST(HostileTransactions, NoPrefixAndNoTailIsTaken)
{
    for (const bool type2 : {true, false})
    {
        const SignedTransaction made = sample(type2);
        core::Bytes raw = encode(made.transaction, made.signature);
        ASSERT_TRUE(decodeTransaction(raw));
        for (std::size_t size = 0; size < raw.size(); ++size)
        {
            EXPECT_FALSE(decodeTransaction(core::ByteView(raw).first(size))) << size;
        }
        raw.push_back(0);
        EXPECT_FALSE(decodeTransaction(raw));
    }
}

TEST(HostileTransactions, TheLargestNumbersComeBackAndLargerOnesDoNot)
{
    for (const bool type2 : {true, false})
    {
        SignedTransaction made = sample(type2);
        made.transaction.chainId = UINT64_MAX;
        made.transaction.nonce = UINT64_MAX;
        made.transaction.gasLimit = UINT64_MAX;
        made.transaction.maxFeePerGas = std::numeric_limits<Uint256>::max();
        made.transaction.value = std::numeric_limits<Uint256>::max();
        const auto back = decodeTransaction(encode(made.transaction, made.signature));
        ASSERT_TRUE(back);
        EXPECT_EQ(back->transaction, made.transaction);
        EXPECT_EQ(back->signature, made.signature);
    }
}

TEST(HostileTransactions, AHighSOrNoneAtAllHasNoSender)
{
    SignedTransaction made = sample(true);
    ASSERT_TRUE(senderOf(made));
    const SignedTransaction good = made;
    const Uint256 order("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    const Uint256 high = order - fromBigEndian(made.signature.s).value();
    made.signature.s = bigEndian(high);
    made.signature.recoveryId ^= 1U;
    EXPECT_FALSE(senderOf(made));
    // Elsewhere than in transactions both halves are taken.
    EXPECT_EQ(recoverAddress(signingDigest(made.transaction), made.signature), senderOf(good));
    EXPECT_EQ(withLowS(made.signature), good.signature);
    made.signature.s = {};
    EXPECT_FALSE(senderOf(made));
    made = good;
    made.signature.r = {};
    EXPECT_FALSE(senderOf(made));
    made.signature.r = bigEndian(order);
    EXPECT_FALSE(senderOf(made));
    made = good;
    for (const std::uint8_t id : core::Bytes{2, 3, 4, 27, 255})
    {
        made.signature.recoveryId = id;
        EXPECT_FALSE(senderOf(made)) << static_cast<int>(id);
    }
}

TEST(HalfOfTheOrder, IsTheLargestLowS)
{
    Signature signature;
    const Uint256 half("0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");
    signature.s = bigEndian(half);
    EXPECT_TRUE(hasLowS(signature));
    signature.s = bigEndian(half + 1);
    EXPECT_FALSE(hasLowS(signature));
}

TEST(HostileDer, SignaturesAndKeysThatAreCutOffOrOfOtherCurvesAreRefused)
{
    const std::string point =
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
        "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";
    const std::string start = "0x3056301006072a8648ce3d020106052b8104000a03420004";
    const core::Bytes key = fromText(start + point);
    ASSERT_TRUE(publicKeyFromDer(key));
    EXPECT_EQ(checksummed(addressOf(*publicKeyFromDer(key))),
              "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf");
    EXPECT_EQ(publicKeyFromDer(fromText("0x3036301006072a8648ce3d020106052b8104000a03220002" +
                                        point.substr(0, 64))),
              publicKeyFromDer(key));
    for (std::size_t size = 0; size < key.size(); ++size)
    {
        EXPECT_FALSE(publicKeyFromDer(core::ByteView(key).first(size))) << size;
    }
    for (std::size_t at = 0; at < key.size(); ++at)
    {
        core::Bytes changed = key;
        changed[at] ^= 1U;
        EXPECT_FALSE(publicKeyFromDer(changed)) << at;
    }
    const core::Bytes empty;
    EXPECT_FALSE(signatureFromDer(empty, {}, {}));
    EXPECT_FALSE(signatureFromDer(fromText("0x3006020100020100"), {}, {}));
}
}  // namespace
}  // namespace relayer::chain
