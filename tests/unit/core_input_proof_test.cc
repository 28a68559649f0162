// Content hash and payload of an input proof. The expected hashes were computed apart from this
// code, with sha256sum and Python's hashlib.
#include "core/input_proof.h"

#include <gtest/gtest.h>

#include <random>

namespace relayer::core
{
namespace
{
InputProof sample()
{
    InputProof proof;
    proof.contractChainId = 654321;
    proof.contractAddress.fill(0x11);
    proof.userAddress.fill(0x22);
    proof.ciphertextWithProof = {0xAA, 0xBB, 0xCC};
    proof.extraData = {0x00};
    return proof;
}

TEST(ContentHash, ItIsSha256)
{
    EXPECT_EQ(toHex(ContentHasher().finish()),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(toHex(ContentHasher().text("abc").finish()),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(toHex(ContentHasher().text("a").bytes(Bytes{'b', 'c'}).finish()),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ContentHash, NumbersAreEightOctetsTheLargestFirst)
{
    EXPECT_EQ(ContentHasher().bigEndian(0x0102030405060708).finish(),
              ContentHasher().bytes(Bytes{1, 2, 3, 4, 5, 6, 7, 8}).finish());
}

TEST(ContentHash, AnInputProofIsHashedOverTheLabelledFieldsInTheOrderOfTheReference)
{
    EXPECT_EQ(toHex(contentHash(sample())),
              "f6e55842d881ae96f06ac414964b32271270a81de3225e1e04f39cefd9bb4123");
    EXPECT_EQ(toHex(contentHash(InputProof{})),
              "a62eda5f35fc0e764e3460e36d527966f09e9be97d72a193a70c7345f65f1591");
    InputProof large;
    large.contractChainId = UINT64_MAX;
    for (std::uint8_t i = 0; i < 20; ++i)
    {
        large.contractAddress.at(i) = i;
        large.userAddress.at(i) = static_cast<std::uint8_t>(20 + i);
    }
    for (int i = 0; i < 1000; ++i)
    {
        large.ciphertextWithProof.push_back(static_cast<std::uint8_t>(i % 256));
    }
    large.extraData = {0x00};
    EXPECT_EQ(toHex(contentHash(large)),
              "1d12ff4e1523f6e7a7b3fb36cbbfe2b96af95ff0900958ffa048fe7bdef5679a");
}

TEST(ContentHash, EveryFieldCounts)
{
    const ContentHash before = contentHash(sample());
    InputProof changed = sample();
    changed.contractChainId += 1;
    EXPECT_NE(contentHash(changed), before);
    changed = sample();
    changed.contractAddress[19] ^= 1U;
    EXPECT_NE(contentHash(changed), before);
    changed = sample();
    changed.userAddress[0] ^= 1U;
    EXPECT_NE(contentHash(changed), before);
    changed = sample();
    changed.ciphertextWithProof.push_back(0);
    EXPECT_NE(contentHash(changed), before);
    changed = sample();
    changed.extraData.clear();
    EXPECT_NE(contentHash(changed), before);
    changed = sample();
    std::swap(changed.contractAddress, changed.userAddress);
    EXPECT_NE(contentHash(changed), before);
}

TEST(InputProofPayload, ItComesBackAsItWas)
{
    EXPECT_EQ(decodeInputProof(encodePayload(sample())), sample());
    EXPECT_EQ(decodeInputProof(encodePayload(InputProof{})), InputProof{});
    InputProof large = sample();
    large.contractChainId = UINT64_MAX;
    large.ciphertextWithProof.assign(1000000, 0x5A);
    EXPECT_EQ(decodeInputProof(encodePayload(large)), large);
}

TEST(InputProofPayload, NoPrefixAndNoTailIsTaken)
{
    Bytes bytes = encodePayload(sample());
    for (std::size_t length = 0; length < bytes.size(); ++length)
    {
        EXPECT_FALSE(decodeInputProof(ByteView(bytes).first(length))) << length;
    }
    bytes.push_back(0);
    EXPECT_FALSE(decodeInputProof(bytes));
}

TEST(InputProofPayload, AnotherFormatIsNotTaken)
{
    Bytes bytes = encodePayload(sample());
    for (int format = 0; format < 256; ++format)
    {
        bytes[0] = static_cast<std::uint8_t>(format);
        EXPECT_EQ(decodeInputProof(bytes).has_value(), format == 1) << format;
    }
}

TEST(InputProofPayload, AnyBytesGiveAValueOrNothingAndAValueIsWhatTheBytesSay)
{
    std::mt19937 random(20240607);
    const Bytes original = encodePayload(sample());
    int taken = 0;
    for (int round = 0; round < 10000; ++round)
    {
        Bytes bytes = original;
        const int changes = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < changes; ++i)
        {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        if (random() % 4 == 0)
        {
            bytes.resize(random() % (bytes.size() + 8));
        }
        if (const auto proof = decodeInputProof(bytes))
        {
            ++taken;
            ASSERT_EQ(encodePayload(*proof), bytes);
        }
    }
    EXPECT_GT(taken, 1000);
    EXPECT_LT(taken, 10000);
}
}  // namespace
}  // namespace relayer::core
