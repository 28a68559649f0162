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

TEST(ConnectionInfo, AServerElsewhereProvesItsNameUnlessTheOperatorSaysOtherwise)
{
    for (const char *url : {"postgresql://u@db.example/x", "host=10.0.0.1", "hostaddr=10.0.0.1",
                            "host=127.0.0.1,10.0.0.1", "host=/run/postgresql hostaddr=10.0.0.1"})
    {
        ConnectionSettings settings = at(url);
        EXPECT_TRUE(says(connectionString(settings).value(), "sslmode='verify-full'")) << url;
        EXPECT_FALSE(says(connectionString(settings).value(), "sslrootcert")) << url;
        settings.tls.rootCertificates = "/etc/bundle";
        EXPECT_TRUE(says(connectionString(settings).value(), "sslrootcert='/etc/bundle'")) << url;
        settings.tls.saidElsewhere = true;
        EXPECT_FALSE(says(connectionString(settings).value(), "ssl")) << url;
    }
    ConnectionSettings own = at("postgresql://u@db.example/x?sslrootcert=/mine");
    own.tls.rootCertificates = "/etc/bundle";
    EXPECT_TRUE(says(connectionString(own).value(), "sslrootcert='/mine'"));
    EXPECT_FALSE(says(connectionString(own).value(), "/etc/bundle"));
    for (const char *url :
         {"postgresql://u@db.example/x?sslmode=disable", "host=db.example sslmode=require"})
    {
        EXPECT_FALSE(says(connectionString(at(url)).value(), "verify-full")) << url;
    }
}

TEST(ConnectionInfo, OnThisMachineNobodyListensIn)
{
    for (const char *url :
         {"", "postgresql://u@127.0.0.1:5433/x", "postgresql://u@localhost,[::1]/x",
          "host=/run/postgresql", "host=@abstract", "service=mine"})
    {
        EXPECT_FALSE(says(connectionString(at(url)).value(), "ssl")) << url;
    }
}

TEST(ConnectionInfo, OfSeveralHostsEachIsJudgedByItself)
{
    const auto strings = connectionStrings(at("host=127.0.0.1,10.0.0.1 dbname=x"));
    ASSERT_EQ(strings.size(), 2U);
    EXPECT_FALSE(says(strings[0], "sslmode")) << strings[0];
    EXPECT_TRUE(says(strings[1], "sslmode='verify-full'")) << strings[1];
}

TEST(ConnectionInfo, WhatIsNoUrlGivesNothing)
{
    EXPECT_TRUE(connectionStrings(at("postgresql://[")).empty());
    EXPECT_EQ(connectionString(at("postgresql://[")), std::nullopt);
}
}  // namespace relayer::models
