#include "core/trace_context.h"

#include <gtest/gtest.h>

#include <string>

namespace relayer::core
{
namespace
{
const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kSpan = "b7ad6b7169203331";

TEST(TraceContext, IsTakenAsItStands)
{
    const auto context = parseTraceparent("00-" + kTrace + "-" + kSpan + "-01");
    ASSERT_TRUE(context);
    EXPECT_EQ(context->traceId, kTrace);
    EXPECT_EQ(context->spanId, kSpan);
    EXPECT_TRUE(context->sampled);
    EXPECT_EQ(traceparent(*context), "00-" + kTrace + "-" + kSpan + "-01");
    EXPECT_FALSE(parseTraceparent("00-" + kTrace + "-" + kSpan + "-02")->sampled);
    EXPECT_TRUE(parseTraceparent("cc-" + kTrace + "-" + kSpan + "-03-what-comes-later"));
}

TEST(TraceContext, WhatTheStandardCallsInvalidIsNothing)
{
    const std::string good = "00-" + kTrace + "-" + kSpan + "-01";
    for (const std::string &bad :
         {std::string(), std::string("00"), good + "-more", good + "0", good.substr(0, 54),
          "ff-" + kTrace + "-" + kSpan + "-01", "0x-" + kTrace + "-" + kSpan + "-01",
          "00-" + std::string(32, '0') + "-" + kSpan + "-01",
          "00-" + kTrace + "-" + std::string(16, '0') + "-01",
          "00-0AF7651916CD43DD8448EB211C80319C-" + kSpan + "-01",
          "00-" + kTrace + "-" + kSpan + "-0g", "00_" + kTrace + "-" + kSpan + "-01",
          "00-" + kTrace + "_" + kSpan + "-01", "cc-" + kTrace + "-" + kSpan + "-01.x",
          " " + good.substr(1)})
    {
        EXPECT_FALSE(parseTraceparent(bad)) << bad;
    }
}

TEST(TraceContext, OurSpanIsInTheCallersTraceOrInANewOne)
{
    TraceRandom random{};
    for (std::size_t i = 0; i < random.size(); ++i)
    {
        random[i] = static_cast<std::uint8_t>(i + 1);
    }
    const TraceContext mine = ownSpan(TraceContext{kTrace, kSpan, true}, random);
    EXPECT_EQ(traceparent(mine), "00-" + kTrace + "-1112131415161718-01");
    const TraceContext fresh = ownSpan(std::nullopt, random);
    EXPECT_EQ(traceparent(fresh), "00-0102030405060708090a0b0c0d0e0f10-1112131415161718-00");
    const TraceContext zeros = ownSpan(std::nullopt, TraceRandom{});
    EXPECT_TRUE(parseTraceparent(traceparent(zeros))) << "is valid whatever the bytes are";
}
}  // namespace
}  // namespace relayer::core
