#include "core/bytes.h"

#include <gtest/gtest.h>

#include <cctype>

namespace relayer::core
{
namespace
{
TEST(Hex, EveryByteGoesOutAndBackInEitherCase)
{
    for (int value = 0; value < 256; ++value)
    {
        const Bytes byte = {static_cast<std::uint8_t>(value)};
        std::string text = toHex(byte);
        ASSERT_EQ(text.size(), 2U);
        EXPECT_EQ(fromHex(text), byte);
        for (char &c : text)
        {
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
        EXPECT_EQ(fromHex(text), byte);
    }
}

TEST(Hex, ItIsWrittenInLowerCaseWithoutPrefix)
{
    EXPECT_EQ(toHex(Bytes{0x00, 0xAB, 0xFF}), "00abff");
    EXPECT_EQ(toHex(Bytes{}), "");
}

TEST(Hex, NothingIsReadFromWhatIsNotHex)
{
    EXPECT_EQ(fromHex(""), Bytes{});
    for (const std::string_view text : {"a", "abc", "0x00", "zz", "a ", " a", "-1"})
    {
        EXPECT_FALSE(fromHex(text)) << text;
    }
    EXPECT_FALSE(fromHex(std::string(2, '\0')));
}

TEST(Hex, OnlySixteenDigitsInTwoCasesAreDigits)
{
    int digits = 0;
    for (int c = -128; c < 128; ++c)
    {
        digits += hexDigit(static_cast<char>(c)).has_value() ? 1 : 0;
    }
    EXPECT_EQ(digits, 22);
    EXPECT_EQ(hexDigit('f'), 15);
    EXPECT_EQ(hexDigit('F'), 15);
    EXPECT_FALSE(hexDigit('g'));
}
}  // namespace
}  // namespace relayer::core
