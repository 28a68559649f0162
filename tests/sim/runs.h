// Many runs, on as many threads as there are processors; each run is its seed's alone.
#pragma once

#include "sim/faults.h"

#include <cstdint>
#include <optional>
#include <string>

namespace relayer::sim
{
struct Plan
{
    std::uint64_t firstSeed = 1;
    std::uint64_t runs = 1;
    Mutation mutation = Mutation::None;
    unsigned threads = 0;  // 0: one for each processor
};

struct Failure
{
    std::uint64_t seed = 0;
    std::uint64_t step = 0;
    std::string what;
    std::string story;
};

struct Outcome
{
    Coverage coverage;
    std::optional<Failure> failure;  // of the smallest seed that failed
};

[[nodiscard]] Outcome runAll(const Plan &plan);

// Lines that begin with "# ": how often each edge was taken, and each fault happened.
[[nodiscard]] std::string summaryOf(const Coverage &coverage);
// Edges and faults that should have happened and have not; nothing: none.
[[nodiscard]] std::string whatNeverHappened(const Coverage &coverage);
}  // namespace relayer::sim
