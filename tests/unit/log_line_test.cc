#include "core/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/reader.h>
#include <json/value.h>

#include <memory>
#include <random>

namespace relayer::core
{
namespace
{
using testing::HasSubstr;
using testing::Not;

std::string line(const std::string &said, const std::string &source = "jobs.cc:63")
{
    return "20261119 09:38:17.123456 UTC 42 INFO  " + said + " - " + source + "\n";
}

Json::Value parsed(const std::string &text)
{
    Json::CharReaderBuilder builder;
    builder["failIfExtra"] = true;
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value value;
    std::string errors;
    EXPECT_TRUE(reader->parse(text.data(), text.data() + text.size(), &value, &errors))
        << errors << text;
    return value;
}

Json::Value asJson(const std::string &written)
{
    return parsed(formatLogLine(written, LogFormat::Json));
}

TEST(LogLine, TextIsWhatWasWritten)
{
    const std::string written = line("step=admitted kind=input_proof");
    EXPECT_EQ(formatLogLine(written, LogFormat::Text), written);
    EXPECT_EQ(formatLogLine("no line of ours", LogFormat::Text), "no line of ours\n");
}

TEST(LogLine, JsonHasEachFieldUnderItsName)
{
    const Json::Value object =
        asJson(line("step=admitted kind=input_proof duration_ms=1200 request_id=123 alert=true"));
    EXPECT_EQ(object["time"].asString(), "2026-11-19T09:38:17.123456Z");
    EXPECT_EQ(object["level"].asString(), "info");
    EXPECT_EQ(object["thread"].asInt(), 42);
    EXPECT_EQ(object["source"].asString(), "jobs.cc:63");
    EXPECT_EQ(object["step"].asString(), "admitted");
    EXPECT_EQ(object["kind"].asString(), "input_proof");
    EXPECT_TRUE(object["duration_ms"].isInt());
    EXPECT_EQ(object["duration_ms"].asInt(), 1200);
    EXPECT_TRUE(object["request_id"].isString()) << "a client may choose digits only";
    EXPECT_FALSE(object.isMember("message"));
}

TEST(LogLine, WordsBehindTheFieldsAreTheMessage)
{
    const Json::Value object =
        asJson(line("step=instance_replaced alert=true: another process has a=b"));
    EXPECT_EQ(object["alert"].asString(), "true");
    EXPECT_EQ(object["message"].asString(), "another process has a=b");
    EXPECT_EQ(asJson(line("the database is not there"))["message"].asString(),
              "the database is not there");
    EXPECT_EQ(asJson(line("step=x why=a b=c; later"))["why"].asString(), "a b=c; later");
    EXPECT_EQ(asJson(line("level=high step=a"))["level"].asString(), "info")
        << "what is said does not replace what is known";
}

// As PostgreSQL says it, and Drogon hands it on.
TEST(LogLine, OfOthersOnlyTheErrorIsKept)
{
    const std::string said =
        "ERROR:  new row for relation \"request\" violates check constraint \"live_ends\"\n"
        "DETAIL:  Failing row contains (1, 0f31, s3cret).\n";
    for (const LogFormat format : {LogFormat::Text, LogFormat::Json})
    {
        const std::string shown = formatLogLine(line(said, "PgBatchConnection.cc:535"), format);
        EXPECT_THAT(shown, HasSubstr("violates check constraint"));
        EXPECT_THAT(shown, HasSubstr("live_ends"));
        EXPECT_THAT(shown, Not(HasSubstr("s3cret")));
        EXPECT_EQ(shown.find('\n'), shown.size() - 1);
    }
    const std::string value =
        formatLogLine(line("ERROR:  invalid input syntax for type uuid: \"s3\"cr\"et\" LINE",
                           "PgConnection.cc:1"),
                      LogFormat::Text);
    EXPECT_THAT(value, HasSubstr("for type uuid: \"...\" LINE - PgConnection.cc:1"));
    EXPECT_THAT(formatLogLine(line("ERROR:  bad json: \"s3cret\nmore\"", "PgConnection.cc:1"),
                              LogFormat::Text),
                HasSubstr("bad json: \"...\" - PgConnection.cc:1"));
    EXPECT_THAT(formatLogLine(line("step=x why=ERROR: a\nDETAIL: s3cret"), LogFormat::Text),
                Not(HasSubstr("s3cret")))
        << "nor is it kept in a line of ours";
}

TEST(LogLine, UrlsAndMoreHexThanAHashAreLeftOut)
{
    const std::string hash(64, 'a');
    const std::string shown =
        formatLogLine(line("step=x hash=0x" + hash + " why=postgresql://me:pass@host/db broke, 0x" +
                           hash + "b of https://rpc/v2/KEY"),
                      LogFormat::Text);
    EXPECT_THAT(shown, HasSubstr("hash=0x" + hash + " "));
    EXPECT_THAT(shown, HasSubstr("why=(a URL) broke, 0x(hex digits) of (a URL) - jobs.cc:63"));
    EXPECT_THAT(shown, Not(HasSubstr("pass")));
    EXPECT_THAT(shown, Not(HasSubstr("KEY")));
}

// Nobody makes a second line by what they send.
TEST(LogLine, WhateverIsLoggedIsOneLineOfValidJson)
{
    EXPECT_EQ(asJson(line("step=x why=\"quoted\\\" \x01 \xff\n20261119"))["step"].asString(), "x");
    std::mt19937 random(6);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
    std::uniform_int_distribution<int> byte(0, 255);
    std::uniform_int_distribution<std::size_t> length(0, 80);
    for (int i = 0; i < 2000; ++i)
    {
        std::string said(length(random), ' ');
        for (char &c : said)
        {
            c = static_cast<char>(byte(random));
        }
        const std::string written = i % 2 == 0 ? line(said) : said;
        const std::string shown = formatLogLine(written, LogFormat::Json);
        EXPECT_EQ(shown.find('\n'), shown.size() - 1);
        EXPECT_TRUE(parsed(shown).isObject());
        const std::string text = formatLogLine(written, LogFormat::Text);
        EXPECT_EQ(text.find('\n'), text.size() - 1);
    }
}
}  // namespace
}  // namespace relayer::core
