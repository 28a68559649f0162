#include "config/units.h"

#include <gtest/gtest.h>

#include <limits>

using namespace relayer::config;
using namespace std::chrono_literals;

TEST(ConfigUnits, DurationsAreReadAsHumantimeWritesThem)
{
    EXPECT_EQ(parseDuration("500ms"), 500ms);
    EXPECT_EQ(parseDuration("30m"), 30min);
    EXPECT_EQ(parseDuration("1h 30m"), 90min);
    EXPECT_EQ(parseDuration("1h30m"), 90min);
    EXPECT_EQ(parseDuration("7d"), 168h);
    EXPECT_EQ(parseDuration("365d"), 8760h);
    EXPECT_EQ(parseDuration("2weeks"), 336h);
    EXPECT_EQ(parseDuration("2 hours 5 minutes 1 second"), 2h + 5min + 1s);
    EXPECT_EQ(parseDuration(" 0s "), 0ms);
}

TEST(ConfigUnits, ADurationIsNotGuessedFromWhatIsMalformed)
{
    for (const auto *text : {"", " ", "30", "m", "30 parsecs", "-5s", "1.5h", "5s 3", "5 s,", "1M",
                             "1y", "5S", "0x5s", "+5s", "5s\n", "99999999999999999999s"})
    {
        EXPECT_EQ(parseDuration(text), std::nullopt) << '"' << text << '"';
    }
}

TEST(ConfigUnits, ADurationThatDoesNotFitIsRefusedAndNotWrapped)
{
    EXPECT_EQ(parseDuration("9223372036854775807ms"), std::chrono::milliseconds::max());
    EXPECT_EQ(parseDuration("9223372036854775808ms"), std::nullopt);
    EXPECT_EQ(parseDuration("9223372036854775807ms 1ms"), std::nullopt);
    EXPECT_EQ(parseDuration("18446744073709551615d"), std::nullopt);
}

TEST(ConfigUnits, ADurationIsPrintedInTheFormItIsReadIn)
{
    EXPECT_EQ(formatDuration(0ms), "0s");
    EXPECT_EQ(formatDuration(90s), "1m 30s");
    EXPECT_EQ(formatDuration(1500ms), "1s 500ms");
    EXPECT_EQ(formatDuration(168h), "7d");
    for (const auto duration :
         {std::chrono::milliseconds(1), std::chrono::milliseconds(90061001), 75000ms})
    {
        EXPECT_EQ(parseDuration(formatDuration(duration)), duration);
    }
}

TEST(ConfigUnits, SizesAreReadWithBinaryUnitsOrAsBytes)
{
    EXPECT_EQ(parseBytes("2MiB"), 2097152U);
    EXPECT_EQ(parseBytes("2 MiB"), 2097152U);
    EXPECT_EQ(parseBytes("512KiB"), 524288U);
    EXPECT_EQ(parseBytes("1GiB"), 1073741824U);
    EXPECT_EQ(parseBytes("100B"), 100U);
    EXPECT_EQ(parseBytes("4096"), 4096U);
}

TEST(ConfigUnits, ASizeIsNotGuessedFromWhatIsMalformed)
{
    // MB is refused: half of the world reads it as 1000000, the other half as 1048576.
    for (const auto *text :
         {"", "MiB", "2MB", "2mib", "2M", "-1", "1.5MiB", "2MiB 1KiB", "17179869184GiB"})
    {
        EXPECT_EQ(parseBytes(text), std::nullopt) << '"' << text << '"';
    }
}

TEST(ConfigUnits, ASizeIsPrintedInItsLargestWholeUnit)
{
    EXPECT_EQ(formatBytes(0), "0B");
    EXPECT_EQ(formatBytes(2097152), "2MiB");
    EXPECT_EQ(formatBytes(2097153), "2097153B");
    EXPECT_EQ(formatBytes(1536), "1536B");
    EXPECT_EQ(formatBytes(3072), "3KiB");
}

TEST(ConfigUnits, AnIntegerIsDigitsAndNothingElse)
{
    EXPECT_EQ(parseInteger("0"), 0U);
    EXPECT_EQ(parseInteger("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
    for (const auto *text : {"", " 1", "1 ", "+1", "-1", "1e3", "0x10", "18446744073709551616"})
    {
        EXPECT_EQ(parseInteger(text), std::nullopt) << '"' << text << '"';
    }
}
