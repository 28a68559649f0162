// How long something lasts lately: a histogram of durations in which the old ones fade.
//
// Bounded, and total for any input. What lasts longer than an hour counts as an hour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace relayer::core
{
class FadingQuantiles
{
  public:
    void add(std::uint64_t ms);

    // Of those that lasted longer than `beyondMs`, this part lasted no longer than what is
    // returned. Nothing: too few did.
    [[nodiscard]] std::optional<std::uint64_t> quantile(double part, std::uint64_t beyondMs) const;

    // So many have to be there. After as many again as kHalfLife, one counts half.
    static constexpr double kEnough = 20;
    static constexpr double kHalfLife = 250;

  private:
    static constexpr std::size_t kBuckets = 288;

    std::array<double, kBuckets> weights_{};
    double next_ = 1;  // what the next one weighs: instead of making all others lighter
};
}  // namespace relayer::core
