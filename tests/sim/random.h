// Randomness that is the same for the same seed, on every machine.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace relayer::sim
{
using Time = std::chrono::nanoseconds;

class Random
{
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}

    // splitmix64
    std::uint64_t next()
    {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    // From 0 to n - 1.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
    // With so many chances in a thousand.
    bool chance(std::size_t inAThousand) { return below(1000) < inAThousand; }
    Time between(Time least, Time most)
    {
        const auto range = static_cast<std::size_t>((most - least).count()) + 1;
        return least + Time(static_cast<std::int64_t>(below(range)));
    }

  private:
    std::uint64_t state_;
};
}  // namespace relayer::sim
