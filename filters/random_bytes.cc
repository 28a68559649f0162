#include "filters/random_bytes.h"

#include <drogon/utils/Utilities.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace relayer::filters
{
namespace
{
struct Page
{
    std::array<std::uint8_t, 1024> bytes{};
    std::size_t left = 0;
};
}  // namespace

void takeRandomBytes(std::uint8_t *into, std::size_t count)
{
    thread_local Page page;
    if (count > page.bytes.size())
    {
        throw std::invalid_argument("more random bytes than a page has");
    }
    if (count > page.left)
    {
        if (!drogon::utils::secureRandomBytes(page.bytes.data(), page.bytes.size()))
        {
            throw std::runtime_error("the system has no random bytes");
        }
        page.left = page.bytes.size();
    }
    page.left -= count;
    const auto taken = std::span(page.bytes).subspan(page.left, count);
    std::ranges::copy(taken, into);
    std::ranges::fill(taken, std::uint8_t{0});
}
}  // namespace relayer::filters
