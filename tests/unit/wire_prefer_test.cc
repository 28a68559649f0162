// How long a client would like to wait.
#include "wire/prefer.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace relayer::wire
{
TEST(PreferHeader, SaysHowLongToWait)
{
    using Case = std::pair<std::string_view, std::uint64_t>;
    for (const auto &[header, seconds] :
         {Case{"wait=10", 10}, Case{"Wait = 7", 7}, Case{"respond-async, wait=30", 30},
          Case{"wait=\"5\"", 5}, Case{"wait=5;x=y, wait=9", 5}, Case{"a=\"b, wait=3\", wait=4", 4},
          Case{"handling=lenient ,\twait=0", 0}, Case{"wait=99999999999999999999", 4294967295}})
    {
        EXPECT_EQ(preferredWait(header), seconds) << header;
    }
}

TEST(PreferHeader, SaysNothingWhenItCanNotBeRead)
{
    for (const std::string_view header :
         {"", "wait", "wait=", "wait=-1", "wait=1.5", "wait=10s", "waiting=10", "respond-async",
          "x=wait=3", ",;=,", "wait=\"", "\"wait=3\""})
    {
        EXPECT_EQ(preferredWait(header), std::nullopt) << header;
    }
}
}  // namespace relayer::wire
