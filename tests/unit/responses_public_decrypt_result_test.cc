// The kept answer to a public decryption: comes back as it went in, and takes any bytes.
#include "core/public_decrypt_result.h"

#include <gtest/gtest.h>

#include <random>

namespace relayer::core
{
namespace
{
PublicDecryptResult sample()
{
    PublicDecryptResult result;
    result.decrypted = Bytes(64, 0xD1);
    result.signatures = {Bytes(65, 0x51), {}, Bytes(3, 0x52)};
    result.extraData = {0x00};
    return result;
}
}  // namespace

TEST(PublicDecryptResults, ComeBackAsTheyWentIn)
{
    EXPECT_EQ(decodePublicDecryptResult(encodeResult(sample())), sample());
    EXPECT_EQ(decodePublicDecryptResult(encodeResult({})), PublicDecryptResult{});
}

TEST(PublicDecryptResults, HaveTheLayoutThatIsInTheDatabase)
{
    PublicDecryptResult result;
    result.decrypted = {0xAA, 0xBB};
    result.signatures = {{0xCC}};
    result.extraData = {0x01};
    EXPECT_EQ(toHex(encodeResult(result)), "0100000002aabb0000000100000001cc0000000101");
}

TEST(PublicDecryptResults, AreNothingWhenCutOrLonger)
{
    Bytes bytes = encodeResult(sample());
    for (std::size_t length = 0; length < bytes.size(); ++length)
    {
        EXPECT_FALSE(decodePublicDecryptResult(ByteView(bytes).first(length))) << length;
    }
    bytes.push_back(0);
    EXPECT_FALSE(decodePublicDecryptResult(bytes));
    bytes.pop_back();
    bytes.front() = 2;
    EXPECT_FALSE(decodePublicDecryptResult(bytes)) << "a format of the future";
}

TEST(PublicDecryptResults, AllocateNothingForCountsThatLie)
{
    const auto bytes = fromHex("0100000000ffffffff00000000").value();
    EXPECT_FALSE(decodePublicDecryptResult(bytes));
    const auto length = fromHex("01ffffffff").value();
    EXPECT_FALSE(decodePublicDecryptResult(length));
}

TEST(PublicDecryptResults, TakeAnyBytes)
{
    std::mt19937 random(20);
    int values = 0;
    for (int round = 0; round < 20000; ++round)
    {
        Bytes bytes = encodeResult(sample());
        for (int change = 0; change < 2; ++change)
        {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        if (const auto decoded = decodePublicDecryptResult(bytes))
        {
            ++values;
            EXPECT_EQ(encodeResult(*decoded), bytes) << "one value, one text";
        }
    }
    EXPECT_GT(values, 0);
}
}  // namespace relayer::core
