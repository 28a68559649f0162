// Content hashes and payloads of decryptions. The expected hashes were computed apart from this
// code, with Python's hashlib.
#include "core/decrypt.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace relayer::core
{
namespace
{
template <typename Field>
Field filled(std::uint8_t byte)
{
    Field field{};
    field.fill(byte);
    return field;
}

Hash32 handle(std::uint8_t byte)
{
    return filled<Hash32>(byte);
}

Address address(std::uint8_t byte)
{
    return filled<Address>(byte);
}

PublicDecrypt publicSample()
{
    return {{handle(1), handle(2)}, {0x00}};
}

DirectUserDecrypt directSample()
{
    DirectUserDecrypt request;
    request.handles = {{handle(1), address(3)}, {handle(2), address(4)}};
    request.startTimestamp = 1700000000;
    request.durationDays = 7;
    request.contractsChainId = 8009;
    request.contracts = {address(3), address(4)};
    request.user = address(5);
    request.publicKey = {0xAA, 0xBB};
    request.signature = {0xCC};
    request.extraData = {0x00};
    return request;
}

DelegatedUserDecrypt delegatedSample()
{
    DelegatedUserDecrypt request;
    request.handles = directSample().handles;
    request.startTimestamp = 1700000000;
    request.durationDays = 7;
    request.delegator = address(6);
    request.delegate = address(7);
    request.contractsChainId = 8009;
    request.contracts = {address(3), address(4)};
    request.publicKey = {0xAA, 0xBB};
    request.signature = {0xCC};
    request.extraData = {0x00};
    return request;
}

UnifiedUserDecrypt unifiedSample()
{
    UnifiedUserDecrypt request;
    request.handles = {{handle(1), address(3), address(8)}, {handle(2), address(4), address(9)}};
    request.user = address(5);
    request.publicKey = {0xAA, 0xBB};
    request.allowedContracts = {address(3), address(4)};
    request.startTimestamp = 1700000000;
    request.durationSeconds = 3600;
    request.signature = {0xCC};
    request.extraData = {0x00};
    return request;
}

std::vector<UserDecrypt> userSamples()
{
    return {directSample(), delegatedSample(), unifiedSample()};
}

template <typename Request>
struct Change
{
    const char *what;
    std::function<void(Request &)> make;
};

// Whether each change gives another hash, and comes back out of the payload.
template <typename Request>
void expectAnotherHash(const Request &sample, const std::vector<Change<Request>> &changes)
{
    for (const auto &change : changes)
    {
        Request changed = sample;
        change.make(changed);
        ASSERT_NE(changed, sample) << change.what;
        EXPECT_NE(contentHash(changed), contentHash(sample)) << change.what;
    }
}

template <typename Request>
void expectSameHashInAnotherPayload(const Request &sample,
                                    const std::vector<Change<Request>> &changes)
{
    for (const auto &change : changes)
    {
        Request changed = sample;
        change.make(changed);
        EXPECT_EQ(contentHash(changed), contentHash(sample)) << change.what;
        EXPECT_NE(encodePayload(changed), encodePayload(sample)) << change.what;
        EXPECT_EQ(decodeUserDecrypt(encodePayload(changed)), UserDecrypt(changed)) << change.what;
    }
}

TEST(DecryptHash, AllSortsAreHashedOverTheLabelledFieldsInTheOrderOfTheReference)
{
    EXPECT_EQ(toHex(contentHash(publicSample())),
              "a1dcb32848ecf46db4faa03ccc915e61152d4460ce845d73323807231b7093ea");
    EXPECT_EQ(toHex(contentHash(directSample())),
              "62f90f0f4b4bd71112f3475b58bd4c4f24483b6505960588deb7de1fd9858504");
    EXPECT_EQ(toHex(contentHash(delegatedSample())),
              "cbbb32ff43c8496b613864c93e8d3a7e449645edf94edcd47e91d39d39e34ffd");
    EXPECT_EQ(toHex(contentHash(unifiedSample())),
              "887ceff9e31d0f506a735f2645ab923ab09a9461e6fc8e0879481c281a5f253d");
}

TEST(DecryptHash, EveryFieldCountsAndSoDoesTheOrder)
{
    expectAnotherHash<PublicDecrypt>(
        publicSample(), {{"handle", [](auto &request) { request.handles[1][31] ^= 1U; }},
                         {"order", [](auto &r) { std::swap(r.handles[0], r.handles[1]); }},
                         {"fewer", [](auto &request) { request.handles.pop_back(); }},
                         {"extra data", [](auto &request) { request.extraData = {1}; }}});
    expectAnotherHash<UserDecrypt>(
        directSample(),
        {{"handle", [](auto &r) { std::get<0>(r).handles[0].handle[0] ^= 1U; }},
         {"contract of handle", [](auto &r) { std::get<0>(r).handles[1].contract[19] ^= 1U; }},
         {"chain id", [](auto &r) { std::get<0>(r).contractsChainId ^= 1U; }},
         {"contract", [](auto &r) { std::get<0>(r).contracts[1][0] ^= 1U; }},
         {"order of contracts",
          [](auto &r) { std::swap(std::get<0>(r).contracts[0], std::get<0>(r).contracts[1]); }},
         {"user", [](auto &r) { std::get<0>(r).user[0] ^= 1U; }},
         {"public key", [](auto &r) { std::get<0>(r).publicKey.push_back(0); }},
         {"extra data", [](auto &r) { std::get<0>(r).extraData.clear(); }}});
    expectAnotherHash<UserDecrypt>(
        delegatedSample(),
        {{"delegator", [](auto &r) { std::get<1>(r).delegator[0] ^= 1U; }},
         {"delegate", [](auto &r) { std::get<1>(r).delegate[0] ^= 1U; }},
         {"each other's",
          [](auto &r) { std::swap(std::get<1>(r).delegator, std::get<1>(r).delegate); }},
         {"handles", [](auto &r) { std::get<1>(r).handles.pop_back(); }},
         {"chain id", [](auto &r) { std::get<1>(r).contractsChainId ^= 1U; }},
         {"contracts", [](auto &r) { std::get<1>(r).contracts.pop_back(); }},
         {"public key", [](auto &r) { std::get<1>(r).publicKey[0] ^= 1U; }},
         {"extra data", [](auto &r) { std::get<1>(r).extraData.push_back(0); }}});
    expectAnotherHash<UserDecrypt>(
        unifiedSample(),
        {{"owner", [](auto &r) { std::get<2>(r).handles[0].owner[0] ^= 1U; }},
         {"contract of handle", [](auto &r) { std::get<2>(r).handles[0].contract[0] ^= 1U; }},
         {"handle", [](auto &r) { std::get<2>(r).handles[1].handle[0] ^= 1U; }},
         {"allowed contracts", [](auto &r) { std::get<2>(r).allowedContracts.clear(); }},
         {"user", [](auto &r) { std::get<2>(r).user[0] ^= 1U; }},
         {"public key", [](auto &r) { std::get<2>(r).publicKey.clear(); }},
         {"extra data", [](auto &r) { std::get<2>(r).extraData = {2}; }}});
}

TEST(DecryptHash, TheSignatureAndTheValidityDoNotCountButAreKept)
{
    expectSameHashInAnotherPayload<UserDecrypt>(
        directSample(), {{"signature", [](auto &r) { std::get<0>(r).signature.clear(); }},
                         {"start", [](auto &r) { std::get<0>(r).startTimestamp = UINT64_MAX; }},
                         {"days", [](auto &r) { std::get<0>(r).durationDays = UINT32_MAX; }}});
    expectSameHashInAnotherPayload<UserDecrypt>(
        delegatedSample(), {{"signature", [](auto &r) { std::get<1>(r).signature[0] ^= 1U; }},
                            {"start", [](auto &r) { std::get<1>(r).startTimestamp = 0; }},
                            {"days", [](auto &r) { std::get<1>(r).durationDays = 1; }}});
    expectSameHashInAnotherPayload<UserDecrypt>(
        unifiedSample(), {{"signature", [](auto &r) { std::get<2>(r).signature[0] ^= 1U; }},
                          {"start", [](auto &r) { std::get<2>(r).startTimestamp = 0; }},
                          {"length", [](auto &r) { std::get<2>(r).durationSeconds = 1; }}});
}

TEST(DecryptPayload, EverySortComesBackAsItWas)
{
    EXPECT_EQ(decodePublicDecrypt(encodePayload(publicSample())), publicSample());
    EXPECT_EQ(decodePublicDecrypt(encodePayload(PublicDecrypt{})), PublicDecrypt{});
    for (const UserDecrypt &request : userSamples())
    {
        EXPECT_EQ(decodeUserDecrypt(encodePayload(request)), request);
    }
    const std::vector<UserDecrypt> empty = {DirectUserDecrypt{}, DelegatedUserDecrypt{},
                                            UnifiedUserDecrypt{}};
    for (const UserDecrypt &request : empty)
    {
        EXPECT_EQ(decodeUserDecrypt(encodePayload(request)), request);
    }
    DirectUserDecrypt large = directSample();
    large.handles.assign(5000, {handle(9), address(9)});
    large.publicKey.assign(1000000, 0x5A);
    EXPECT_EQ(decodeUserDecrypt(encodePayload(large)), UserDecrypt(large));
}

TEST(DecryptPayload, NoPrefixAndNoTailIsTaken)
{
    std::vector<Bytes> payloads = {encodePayload(publicSample())};
    for (const UserDecrypt &request : userSamples())
    {
        payloads.push_back(encodePayload(request));
    }
    for (Bytes &bytes : payloads)
    {
        for (std::size_t length = 0; length < bytes.size(); ++length)
        {
            const auto prefix = ByteView(bytes).first(length);
            EXPECT_FALSE(decodePublicDecrypt(prefix)) << length;
            EXPECT_FALSE(decodeUserDecrypt(prefix)) << length;
        }
        bytes.push_back(0);
        EXPECT_FALSE(decodePublicDecrypt(bytes));
        EXPECT_FALSE(decodeUserDecrypt(bytes));
    }
}

TEST(DecryptPayload, AnotherFormatAndAnotherSortAreNotTaken)
{
    for (int byte = 0; byte < 256; ++byte)
    {
        Bytes bytes = encodePayload(publicSample());
        bytes[0] = static_cast<std::uint8_t>(byte);
        EXPECT_EQ(decodePublicDecrypt(bytes).has_value(), byte == 1) << byte;
        bytes = encodePayload(unifiedSample());
        bytes[0] = static_cast<std::uint8_t>(byte);
        EXPECT_EQ(decodeUserDecrypt(bytes).has_value(), byte == 1) << byte;
        bytes[0] = 1;
        bytes[1] = static_cast<std::uint8_t>(byte);
        EXPECT_EQ(decodeUserDecrypt(bytes).has_value(), byte == 3) << byte;
    }
}

TEST(DecryptPayload, ACountThatTheBytesDoNotBearOutIsNotBelieved)
{
    // The count of handles stands after the format, in a user decryption after the sort.
    for (const std::uint32_t count : {3U, 1U, 0x10000000U, 0x7FFFFFFFU, 0xFFFFFFFFU})
    {
        Bytes bytes = encodePayload(publicSample());
        Bytes user = encodePayload(directSample());
        for (unsigned i = 0; i < 4; ++i)
        {
            bytes[1 + i] = static_cast<std::uint8_t>(count >> (24U - 8U * i));
            user[2 + i] = bytes[1 + i];
        }
        EXPECT_FALSE(decodePublicDecrypt(bytes)) << count;
        EXPECT_FALSE(decodeUserDecrypt(user)) << count;
    }
}

TEST(DecryptPayload, AnyBytesGiveAValueOrNothingAndAValueIsWhatTheBytesSay)
{
    std::mt19937 random(20240608);
    int taken = 0;
    const auto samples = userSamples();
    for (int round = 0; round < 12000; ++round)
    {
        Bytes bytes = encodePayload(samples[static_cast<std::size_t>(round) % samples.size()]);
        const int changes = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < changes; ++i)
        {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        if (random() % 4 == 0)
        {
            bytes.resize(random() % (bytes.size() + 8));
        }
        if (const auto request = decodeUserDecrypt(bytes))
        {
            ++taken;
            ASSERT_EQ(encodePayload(*request), bytes);
        }
        if (const auto request = decodePublicDecrypt(bytes))
        {
            ASSERT_EQ(encodePayload(*request), bytes);
        }
    }
    EXPECT_GT(taken, 1000);
    EXPECT_LT(taken, 12000);
}
}  // namespace
}  // namespace relayer::core
