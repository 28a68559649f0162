#include "wire/strict_json.h"

#include <gtest/gtest.h>

#include <random>

namespace relayer::wire
{
namespace
{
std::string nested(std::size_t depth)
{
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(StrictJson, WhatIsJsonIsTaken)
{
    for (const std::string_view text : {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-0",
                                        "10",
                                        "1.5",
                                        "-1e3",
                                        "1E+2",
                                        "2e-1",
                                        R"("")",
                                        R"("a")",
                                        "[]",
                                        "{}",
                                        " [ 1 , 2 ] ",
                                        "\t{\"a\"\n:\r1}",
                                        R"({"a":{"b":[{}]}})",
                                        R"("\u00e4\n\"\\\/")",
                                        R"("\ud83d\ude00")",
                                        "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
                                        R"({"":1})"})
    {
        EXPECT_TRUE(readJson(text).root) << text << ": " << readJson(text).problem;
    }
}

TEST(StrictJson, WhatIsNotJsonIsRefused)
{
    for (const std::string_view text : {"",
                                        " ",
                                        "nul",
                                        "True",
                                        "nullx",
                                        "01",
                                        "-",
                                        "+1",
                                        ".5",
                                        "1.",
                                        "1e",
                                        "1e+",
                                        "0x10",
                                        "NaN",
                                        "Infinity",
                                        "-Infinity",
                                        "'a'",
                                        R"("a)",
                                        R"("\x")",
                                        R"("\u12")",
                                        R"("\u12g4")",
                                        "[",
                                        "]",
                                        "[1",
                                        "[1,",
                                        "[1,]",
                                        "[,1]",
                                        "[1 2]",
                                        "{",
                                        "}",
                                        "{a:1}",
                                        R"({"a"})",
                                        R"({"a":})",
                                        R"({"a":1,})",
                                        R"({"a":1 "b":2})",
                                        R"({,})",
                                        "1 2",
                                        "{} {}",
                                        "[]]",
                                        "//c\n1",
                                        "/*c*/1",
                                        "1//c",
                                        "\xef\xbb\xbf{}",
                                        "\"a\nb\"",
                                        "\"a\tb\""})
    {
        const JsonDocument document = readJson(text);
        EXPECT_FALSE(document.root) << text;
        EXPECT_NE(document.problem.find("at byte"), std::string::npos) << text;
    }
}

TEST(StrictJson, AKeyThatStandsThereTwiceIsRefusedHoweverItIsWritten)
{
    EXPECT_FALSE(readJson(R"({"a":1,"a":1})").root);
    EXPECT_FALSE(readJson(R"({"a":1,"b":2,"\u0061":3})").root);
    EXPECT_FALSE(readJson(R"([{"x":{"a":1,"a":2}}])").root);
    EXPECT_TRUE(readJson(R"({"a":{"a":1},"b":{"a":1},"A":1})").root);
}

TEST(StrictJson, NulAndOtherControlCharactersAreRefusedWhenRaw)
{
    for (char c = 0; c < 0x20; ++c)
    {
        EXPECT_FALSE(readJson(std::string("\"a") + c + "b\"").root) << int{c};
        EXPECT_FALSE(readJson(std::string("\"\\n") + c + "\"").root) << int{c};
        EXPECT_FALSE(readJson(std::string("{\"a") + c + "\":1}").root) << int{c};
    }
    EXPECT_FALSE(readJson(std::string_view("{}\0", 3)).root);
    EXPECT_FALSE(readJson(std::string_view("\0", 1)).root);
}

TEST(StrictJson, InvalidUtf8IsRefused)
{
    for (const std::string_view bytes :
         {"\x80", "\xff", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80",
          "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82",
          "\xf0\x9f\x98", "a\xc3(b"})
    {
        EXPECT_FALSE(readJson("\"" + std::string(bytes) + "\"").root);
        EXPECT_FALSE(readJson("{\"" + std::string(bytes) + "\":1}").root);
    }
}

TEST(StrictJson, LoneSurrogatesAreRefused)
{
    for (const std::string_view text : {R"("\ud83d")", R"("\ude00")", R"("\ud83dx")",
                                        R"("\ud83d\n")", R"("\ud83d\ud83d")", R"("\ude00\ud83d")"})
    {
        EXPECT_FALSE(readJson(text).root) << text;
    }
}

TEST(StrictJson, TextsAreUnescapedAndNumbersStayAsTheyWereWritten)
{
    const std::string_view text =
        R"({"a":"x\u00e4\ud83d\ude00\/\t","b":8009.0,"c":1e3,"d":"plain"})";
    const auto root = readJson(text).root.value();
    EXPECT_EQ(root.find("a")->text(), "x\xc3\xa4\xf0\x9f\x98\x80/\t");
    EXPECT_EQ(root.find("b")->text(), "8009.0");
    EXPECT_EQ(root.find("c")->text(), "1e3");
    EXPECT_EQ(root.find("e"), nullptr);
    // Without escapes it is a view into the text, not a copy.
    EXPECT_GE(root.find("d")->text().data(), text.data());
    EXPECT_LT(root.find("d")->text().data(), text.data() + text.size());
}

TEST(StrictJson, MembersKeepTheOrderOfTheDocument)
{
    const auto root = readJson(R"({"z":1,"a":2,"m":3})").root.value();
    std::string names;
    for (const JsonMember &member : root.members())
    {
        names += member.name;
    }
    EXPECT_EQ(names, "zam");
}

TEST(StrictJson, DepthAndNumberOfValuesHaveLimits)
{
    EXPECT_TRUE(readJson(nested(129)).root);
    EXPECT_FALSE(readJson(nested(130)).root);
    EXPECT_FALSE(readJson(nested(1000000)).root);
    EXPECT_TRUE(readJson("[1,2]", {.depth = 1, .values = 3}).root);
    EXPECT_FALSE(readJson("[1,2,3]", {.depth = 1, .values = 3}).root);
    EXPECT_FALSE(readJson("[[1]]", {.depth = 1, .values = 9}).root);
}

TEST(StrictJson, NoPrefixOfADocumentIsADocument)
{
    const std::string text = R"({"a":[1,-2.5e3,"x\u00e4"],"b":{"c":null,"d":true}})";
    ASSERT_TRUE(readJson(text).root);
    for (std::size_t length = 0; length < text.size(); ++length)
    {
        EXPECT_FALSE(readJson(std::string_view(text).substr(0, length)).root) << length;
    }
}

TEST(StrictJson, MutatedDocumentsAreReadOrRefusedButDoNoHarm)
{
    std::mt19937 random(7);
    const std::string original = R"({"a":[1,-2.5e3,"x\u00e4\ud83d\ude00"],"b":{"c":null}})";
    int taken = 0;
    for (int round = 0; round < 20000; ++round)
    {
        std::string text = original;
        for (unsigned i = 0; i < 1 + random() % 3; ++i)
        {
            text[random() % text.size()] = static_cast<char>(random());
        }
        const JsonDocument document = readJson(text);
        taken += document.root ? 1 : 0;
        EXPECT_NE(document.root.has_value(), !document.problem.empty());
    }
    EXPECT_GT(taken, 100);
    EXPECT_LT(taken, 20000);
}
}  // namespace
}  // namespace relayer::wire
