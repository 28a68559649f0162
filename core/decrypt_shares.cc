#include "core/decrypt_shares.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace relayer::core
{
std::optional<std::vector<DecryptShare>> earliestShares(std::vector<DecryptShare> shares,
                                                        std::size_t threshold)
{
    if (threshold == 0 || shares.size() < threshold)
    {
        return std::nullopt;
    }
    const auto last = shares.begin() + static_cast<std::ptrdiff_t>(threshold);
    std::partial_sort(shares.begin(), last, shares.end(),
                      [](const DecryptShare &left, const DecryptShare &right) {
                          return std::tie(left.arrival, left.index) <
                                 std::tie(right.arrival, right.index);
                      });
    shares.erase(last, shares.end());
    std::sort(shares.begin(), shares.end(),
              [](const DecryptShare &left, const DecryptShare &right) {
                  return left.index < right.index;
              });
    return shares;
}
}  // namespace relayer::core
