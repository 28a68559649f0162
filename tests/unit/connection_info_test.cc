// What libpq is told, of the operator's URL and our own settings.
#include "models/connection_info.h"

#include <gtest/gtest.h>

namespace relayer::models
{
namespace
{
ConnectionSettings at(const std::string &url)
{
    ConnectionSettings settings;
    settings.url = url;
    return settings;
}

bool says(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}
}  // namespace

TEST(ConnectionInfo, OneHostIsOneStringWithoutAWordOnWhoTakesWrites)
{
    const auto strings = connectionStrings(at("postgresql://u:p@10.0.0.1:5433/db"));
    ASSERT_EQ(strings.size(), 1U);
    EXPECT_EQ(strings[0], connectionString(at("postgresql://u:p@10.0.0.1:5433/db")));
    EXPECT_TRUE(says(strings[0], "host='10.0.0.1'")) << strings[0];
    EXPECT_FALSE(says(strings[0], "target_session_attrs"));
}

TEST(ConnectionInfo, EachOfSeveralHostsHasItsOwnAndIsWantedIfItTakesWrites)
{
    const std::string url = "postgresql://u:p@10.0.0.1:5433,10.0.0.2,[::1]:5435/db";
    const auto strings = connectionStrings(at(url));
    ASSERT_EQ(strings.size(), 3U);
    EXPECT_TRUE(says(strings[0], "host='10.0.0.1' port='5433'")) << strings[0];
    EXPECT_TRUE(says(strings[1], "host='10.0.0.2'")) << strings[1];
    EXPECT_FALSE(says(strings[1], "port=")) << strings[1];
    EXPECT_TRUE(says(strings[2], "host='::1' port='5435'")) << strings[2];
    for (const std::string &string : strings)
    {
        EXPECT_TRUE(says(string, "target_session_attrs='read-write'")) << string;
        EXPECT_TRUE(says(string, "password='p'")) << string;
    }
    EXPECT_TRUE(says(connectionString(at(url)).value(), "target_session_attrs='read-write'"));
}

TEST(ConnectionInfo, OnePortIsForAllHostsAndTheOperatorsWordCounts)
{
    const auto strings = connectionStrings(at(
        "host=a,b port=6000 dbname=db target_session_attrs=any keepalives_idle=7 application_name=x"
        " options='-c statement_timeout=1'"));
    ASSERT_EQ(strings.size(), 2U);
    EXPECT_TRUE(says(strings[1], "host='b' port='6000'")) << strings[1];
    EXPECT_TRUE(says(strings[1], "target_session_attrs='any'")) << strings[1];
    EXPECT_FALSE(says(strings[1], "read-write")) << strings[1];
    EXPECT_FALSE(says(strings[1], "keepalives_idle='20'")) << strings[1];
    EXPECT_FALSE(says(strings[1], "drogon-relayer")) << strings[1];
    // The last one of two wins.
    EXPECT_TRUE(strings[1].ends_with(" -c statement_timeout=1'")) << strings[1];
}

TEST(ConnectionInfo, WhatIsNoUrlGivesNothing)
{
    EXPECT_TRUE(connectionStrings(at("postgresql://[")).empty());
    EXPECT_EQ(connectionString(at("postgresql://[")), std::nullopt);
}
}  // namespace relayer::models
