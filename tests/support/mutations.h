// Bodies that were right once: cut, doubled, swapped and overwritten, with pieces in them that mean
// something to a parser.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace relayer::test
{
// The same seed, the same bodies.
class Mutations
{
  public:
    explicit Mutations(std::uint32_t seed) : random_(seed) {}

    [[nodiscard]] std::string of(std::string body);

  private:
    std::mt19937 random_;
};
}  // namespace relayer::test
