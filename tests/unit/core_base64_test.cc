#include "core/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace relayer::core
{
namespace
{
Bytes bytesOf(std::string_view text)
{
    return {text.begin(), text.end()};
}

TEST(Base64, TheVectorsOfItsDocument)
{
    const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                     {"f", "Zg=="},
                                                                     {"fo", "Zm8="},
                                                                     {"foo", "Zm9v"},
                                                                     {"foob", "Zm9vYg=="},
                                                                     {"fooba", "Zm9vYmE="},
                                                                     {"foobar", "Zm9vYmFy"},
                                                                     {"\xFB\xFF", "+/8="}};
    for (const auto &[plain, text] : vectors)
    {
        EXPECT_EQ(toBase64(bytesOf(plain)), text);
        EXPECT_EQ(fromBase64(text), bytesOf(plain));
    }
}

TEST(Base64, WhatGoesOutComesBack)
{
    std::mt19937 random(7);
    for (std::size_t size = 0; size < 100; ++size)
    {
        Bytes bytes(size);
        for (auto &byte : bytes)
        {
            byte = static_cast<std::uint8_t>(random());
        }
        EXPECT_EQ(fromBase64(toBase64(bytes)), bytes);
    }
}

TEST(Base64, OnlyTheOneSpellingIsTaken)
{
    for (const std::string_view text :
         {"Zg", "Zg=", "Zh==", "Zg==\n", "Zm8", "Zm9=", "Zm9v\n", "Zm 9",
          "Zg==Zg==", "====", "Z===", "-_8=", "=m9v", "Zm=v", "Zm\n9v123"})
    {
        EXPECT_FALSE(fromBase64(text)) << text;
    }
}

TEST(Base64, ThirtyTwoBytesHaveOneOfFourSpellings)
{
    std::string text = toBase64(Bytes(32, 0xAB));
    ASSERT_EQ(text.size(), 44U);
    int taken = 0;
    for (const char last : std::string_view("qrst"))  // the last but the padding
    {
        text[42] = last;
        taken += fromBase64(text).has_value() ? 1 : 0;
    }
    EXPECT_EQ(taken, 1);
}
}  // namespace
}  // namespace relayer::core
