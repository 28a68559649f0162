#include "filters/random_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace relayer::filters
{
using Name = std::array<std::uint8_t, 16>;

TEST(RandomBytes, AreNeverHandedOutTwiceWhicheverThreadAsks)
{
    // Over several pages of each thread, and with sizes that no page is a multiple of.
    constexpr std::size_t kNames = 2000;
    std::vector<std::vector<Name>> drawn(4);
    {
        std::vector<std::jthread> threads;
        for (auto &names : drawn)
        {
            threads.emplace_back([&names] {
                for (std::size_t i = 0; i < kNames; ++i)
                {
                    names.push_back(randomBytes<16>());
                    static_cast<void>(randomBytes<24>());
                }
            });
        }
    }
    std::set<Name> all;
    std::set<std::uint8_t> values;
    for (const auto &names : drawn)
    {
        all.insert(names.begin(), names.end());
        for (const Name &name : names)
        {
            values.insert(name.begin(), name.end());
        }
    }
    EXPECT_EQ(all.size(), drawn.size() * kNames);
    EXPECT_EQ(values.size(), 256U) << "some bytes never come";
}

TEST(RandomBytes, FillAllThatIsAskedForUpToAPage)
{
    // 64 bytes that are all zero, by chance, do not come.
    for (const std::size_t count : {std::size_t{64}, std::size_t{1000}, std::size_t{1024}})
    {
        std::vector<std::uint8_t> bytes(count);
        takeRandomBytes(bytes.data(), count);
        EXPECT_FALSE(std::all_of(bytes.end() - 64, bytes.end(), [](auto b) { return b == 0; }));
        EXPECT_FALSE(std::all_of(bytes.begin(), bytes.begin() + 64, [](auto b) { return b == 0; }));
    }
    std::vector<std::uint8_t> more(1025);
    EXPECT_THROW(takeRandomBytes(more.data(), more.size()), std::invalid_argument);
}
}  // namespace relayer::filters
