// The codecs against numbers that were published by others: the EIPs, and the contracts' own list
// of selectors, topics and type hashes.
#include "chain/address.h"
#include "chain/contract_views.h"
#include "chain/ecdsa.h"
#include "chain/eip712.h"
#include "chain/gateway.h"
#include "chain/hex.h"
#include "chain/keccak.h"
#include "chain/private_key_signer.h"
#include "chain/transaction.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace relayer::chain
{
namespace
{
core::Bytes bytesOf(std::string_view text)
{
    return {text.begin(), text.end()};
}

core::Bytes fromText(std::string_view hex)
{
    auto bytes = fromHexData(hex);
    EXPECT_TRUE(bytes) << hex;
    return bytes.value_or(core::Bytes());
}

core::Hash32 hashText(std::string_view hex)
{
    const auto hash = fixedFromHexData<32>(hex);
    EXPECT_TRUE(hash) << hex;
    return hash.value_or(core::Hash32());
}

std::string selectorOf(const core::Bytes &call)
{
    return toHexData(core::ByteView(call).first(4));
}

std::string selectorOf(std::string_view signature)
{
    return toHexData(core::ByteView(keccak256(bytesOf(signature))).first(4));
}

Signature signedWith(std::string_view key, const core::Hash32 &digest)
{
    const auto signer = signerWithKey(parsePrivateKey(key).value());
    Signature made;
    signer->sign(digest,
                 [&made](const Signer::Signed &result) { made = std::get<Signature>(result); });
    return made;
}

TEST(Keccak, ItIsTheOneOfTheChain)
{
    EXPECT_EQ(toHexData(keccak256({})),
              "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    EXPECT_EQ(toHexData(keccak256(bytesOf("Transfer(address,address,uint256)"))),
              "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
}

TEST(Address, TheExamplesOfEip55AreWrittenAsTheyStandThere)
{
    for (const std::string_view example : {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                                           "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
                                           "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
                                           "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
                                           "0x52908400098527886E0F7030069857D2E4169EE7",
                                           "0xde709f2102306220921060314715629080e2fb77"})
    {
        const auto address = parseCheckedAddress(example);
        ASSERT_TRUE(address) << example;
        EXPECT_EQ(checksummed(*address), example);
    }
}

TEST(Address, MixedCaseHasToBeTheChecksum)
{
    constexpr std::string_view kWrong = "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    EXPECT_FALSE(parseCheckedAddress(kWrong));
    EXPECT_TRUE(parseAddress(kWrong));
    EXPECT_TRUE(parseCheckedAddress("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"));
    EXPECT_TRUE(parseCheckedAddress("0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"));
}

TEST(Address, OtherTextsAreNone)
{
    for (const std::string_view text :
         {"", "0x", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
          "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae",
          "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed0",
          "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg", " x5aaeb6053f3e94c9b9a09f33669435e7ef1bea"})
    {
        EXPECT_FALSE(parseAddress(text)) << text;
        EXPECT_FALSE(parseCheckedAddress(text)) << text;
    }
}

TEST(Transaction, TheExampleOfEip155)
{
    Transaction transaction;
    transaction.chainId = 1;
    transaction.nonce = 9;
    transaction.maxFeePerGas = 20'000'000'000;
    transaction.gasLimit = 21000;
    transaction.to.fill(0x35);
    transaction.value = Uint256("1000000000000000000");
    const core::Hash32 digest = signingDigest(transaction);
    EXPECT_EQ(toHexData(digest),
              "0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53");
    const Signature signature =
        signedWith("0x4646464646464646464646464646464646464646464646464646464646464646", digest);
    EXPECT_EQ(
        toHexData(encode(transaction, signature)),
        "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a7640000"
        "8025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f76"
        "1aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83");
}

TEST(TypedData, TheTypeHashesAreThoseOfTheContracts)
{
    const auto hash = [](std::string_view type) { return toHexData(typed::typeHash(type)); };
    EXPECT_EQ(hash(typed::kDomain),
              "0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f");
    EXPECT_EQ(hash(typed::kDirectUserDecrypt),
              "0x9bf1f2b06a0ed501e5fa5a12ba3f9fbc1343c988847fb585c29c59ada4b71ab5");
    EXPECT_EQ(hash(typed::kDelegatedUserDecrypt),
              "0xc93bc1d3fd0d779bf2a605403200af965b7571bbaf3401ffb5174398fbddac45");
    EXPECT_EQ(hash(typed::kUnifiedUserDecrypt),
              "0x4ee965201c2f6fd39bb37401a5de0ea2362ef4db8199c112ec67d694006e114e");
    EXPECT_EQ(hash(typed::kPublicDecryptAnswer),
              "0x89bac15e5ba205584832145601e359431e80fb9fb331ba5a22058132d525c794");
    EXPECT_EQ(hash(typed::kUserDecryptShare),
              "0x2c4b1a55fe4090104eb889f0e48d4cf11c7cc4b95cf47117b9f0008cbcc10f5f");
    EXPECT_EQ(hash(typed::kVerifiedInput),
              "0x7572bd9d6960146795387efc75c1f9d948f0c5aa786c2bb453b4b150e49801b4");
}

TEST(GatewayCalls, TheSelectorsAreTheHashesOfTheSignatures)
{
    EXPECT_EQ(selectorOf(calldata(core::InputProof())),
              selectorOf("verifyProofRequest(uint256,address,address,bytes,bytes)"));
    EXPECT_EQ(selectorOf(calldata(core::PublicDecrypt())),
              selectorOf("publicDecryptionRequest(bytes32[],bytes)"));
    EXPECT_EQ(selectorOf(calldata(core::UserDecrypt(core::DirectUserDecrypt()))),
              selectorOf("userDecryptionRequest((bytes32,address)[],(uint256,uint256),"
                         "(uint256,address[]),address,bytes,bytes,bytes)"));
    EXPECT_EQ(selectorOf(calldata(core::UserDecrypt(core::DelegatedUserDecrypt()))),
              selectorOf("delegatedUserDecryptionRequest((bytes32,address)[],(uint256,uint256),"
                         "(address,address),(uint256,address[]),bytes,bytes,bytes)"));
    EXPECT_EQ(selectorOf(calldata(core::UserDecrypt(core::UnifiedUserDecrypt()))),
              selectorOf("userDecryptionRequest((bytes32,address,address)[],address,bytes,"
                         "address[],(uint256,uint256),bytes,bytes)"));
    EXPECT_EQ(selectorOf(isPublicDecryptionReady({}, {})),
              selectorOf("isPublicDecryptionReady(bytes32[],bytes)"));
    EXPECT_EQ(selectorOf(isUserDecryptionReady({}, {})),
              selectorOf("isUserDecryptionReady((bytes32,address)[],bytes)"));
    EXPECT_EQ(selectorOf(userDecryptionThresholdFor({})),
              selectorOf("getUserDecryptionThresholdForContext(uint256)"));
}

TEST(GatewayEvents, TheTopicsAreTheHashesOfTheEvents)
{
    constexpr std::string_view kMaterial = "(bytes32,uint256,bytes32,address[])[]";
    constexpr std::string_view kPayload =
        "(bytes32,address,address)[],(address,bytes,address[],(uint256,uint256),bytes,bytes))";
    const std::array<std::string, 12> events = {
        "VerifyProofRequest(uint256,uint256,address,address,bytes,bytes)",
        "VerifyProofResponse(uint256,bytes32[],bytes[])",
        "RejectProofResponse(uint256)",
        "PublicDecryptionRequest(uint256," + std::string(kMaterial) + ",bytes)",
        "PublicDecryptionRequest(uint256,bytes32[],bytes)",
        "PublicDecryptionResponse(uint256,bytes,bytes[],bytes)",
        "UserDecryptionRequest(uint256," + std::string(kMaterial) + ",address,bytes,bytes)",
        "UserDecryptionRequest(uint256,bytes32[],address,bytes,bytes)",
        "UserDecryptionRequest(uint256," + std::string(kMaterial) + "," + std::string(kPayload),
        "UserDecryptionRequest(uint256," + std::string(kPayload),
        "UserDecryptionResponse(uint256,uint256,bytes,bytes,bytes)",
        "UserDecryptionResponseThresholdReached(uint256)"};
    const auto &topics = gatewayTopics();
    EXPECT_EQ(topics.size(), events.size());
    for (const std::string &event : events)
    {
        EXPECT_EQ(std::count(topics.begin(), topics.end(), keccak256(bytesOf(event))), 1) << event;
    }
}

TEST(PrivateKey, OfNumbersOutsideTheGroupThereIsNone)
{
    const std::string order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    EXPECT_FALSE(parsePrivateKey(order));
    EXPECT_FALSE(parsePrivateKey(std::string(64, 'f')));
    EXPECT_FALSE(parsePrivateKey(std::string(64, '0')));
    EXPECT_EQ(signerWithKey({}), nullptr);
    EXPECT_EQ(signerWithKey(hashText("0x" + order)), nullptr);
    const auto last =
        parsePrivateKey("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140");
    ASSERT_TRUE(last);
    EXPECT_NE(signerWithKey(*last), nullptr);
}

TEST(PrivateKey, TheTextIs64DigitsWithOrWithoutPrefix)
{
    const std::string digits(64, '4');
    EXPECT_TRUE(parsePrivateKey(digits));
    EXPECT_EQ(parsePrivateKey(digits), parsePrivateKey("0x" + digits));
    for (const std::string &text :
         {std::string(), std::string("0x"), std::string(63, '4'), std::string(65, '4'),
          "0X" + digits, std::string(63, '4') + "g", digits + "\n", " " + digits})
    {
        EXPECT_FALSE(parsePrivateKey(text)) << text;
    }
}

TEST(PrivateKey, BlindingChangesNoSignature)
{
    const core::Hash32 key = parsePrivateKey(std::string(64, '4')).value();
    const core::Hash32 digest = keccak256(bytesOf("a digest"));
    core::Hash32 seed{};
    seed.fill(0x77);
    const auto plain = signerWithKey(key);
    const auto blinded = signerWithKey(key, seed);
    std::vector<Signature> made;
    for (const auto &signer : {plain, blinded})
    {
        signer->sign(digest, [&made](const Signer::Signed &result) {
            made.push_back(std::get<Signature>(result));
        });
    }
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0], made[1]);
    EXPECT_EQ(recoverAddress(digest, made[0]), plain->address());
    EXPECT_EQ(plain->address(), blinded->address());
}

TEST(ContextOfExtraData, VersionsAndLengths)
{
    const core::Hash32 seven = hashText("0x07" + std::string(62, '1'));
    const std::string context = "07" + std::string(62, '1');
    EXPECT_EQ(contextIn({}), core::Hash32());
    EXPECT_EQ(contextIn(fromText("0x00")), core::Hash32());
    EXPECT_EQ(contextIn(fromText("0x00ffff")), core::Hash32());
    EXPECT_EQ(contextIn(fromText("0x01" + context)), seven);
    EXPECT_EQ(contextIn(fromText("0x01" + context + "99")), seven);
    EXPECT_EQ(contextIn(fromText("0x01" + std::string(62, '1'))), std::nullopt);
    EXPECT_EQ(contextIn(fromText("0x02" + context)), std::nullopt);
    EXPECT_EQ(contextIn(fromText("0x02" + context + std::string(64, '2'))), seven);
    EXPECT_EQ(contextIn(fromText("0x02" + context + std::string(62, '2'))), std::nullopt);
    EXPECT_EQ(contextIn(fromText("0x03" + context + context)), std::nullopt);
}
}  // namespace
}  // namespace relayer::chain
