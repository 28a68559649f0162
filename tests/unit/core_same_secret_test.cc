#include "core/same_secret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace relayer::core
{
namespace
{
TEST(SameSecret, IsTheSameOrNot)
{
    EXPECT_TRUE(sameSecret("a token", "a token"));
    EXPECT_TRUE(sameSecret("", ""));
    for (const std::string other : {"", "a toke", "a token ", "A token", "b token", "a tokeN"})
    {
        EXPECT_FALSE(sameSecret(other, "a token")) << other;
        EXPECT_FALSE(sameSecret("a token", other)) << other;
    }
    EXPECT_FALSE(sameSecret(std::string("a token\0", 8), "a token"));
}

// A comparison that stops at the first difference is a thousand times quicker at an early one.
TEST(SameSecret, TakesAsLongForOneThatIsWrongAtItsBeginning)
{
    const std::string right(1 << 20, 'x');
    const auto medianOf = [&right](std::size_t wrongAt) {
        std::string shown = right;
        shown[wrongAt] = 'y';
        std::vector<std::chrono::nanoseconds> times;
        for (int i = 0; i < 9; ++i)
        {
            const auto begin = std::chrono::steady_clock::now();
            EXPECT_FALSE(sameSecret(shown, right));
            times.push_back(std::chrono::steady_clock::now() - begin);
        }
        std::nth_element(times.begin(), times.begin() + 4, times.end());
        return times[4];
    };
    const auto early = medianOf(0);
    const auto late = medianOf(right.size() - 1);
    EXPECT_LT(late, 5 * early);
    EXPECT_LT(early, 5 * late);
}
}  // namespace
}  // namespace relayer::core
