// Requests that come, wait, are checked, sent, mined and answered, and clients that ask when they
// are told to: what an estimator of Retry-After is worth, in simulated time. One seed, one result.
#pragma once

#include "core/measured_retry_after.h"
#include "core/retry_after.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace relayer::test
{
struct Workload
{
    struct Times
    {
        double readiness = 0;
        std::array<double, core::kKinds> processing{};
        double confirmation = 0;
    };
    struct Phase
    {
        std::size_t requests = 0;
        double load = 0;
    };
    std::uint64_t seed = 0;
    double sigma = 0;
    Times nominal;
    Times real;
    std::uint64_t rate = 0;
    std::uint64_t concurrency = 0;
    std::vector<Phase> phases;
};

// Of bench/retry_after_workload.txt. Throws when it can not be read.
[[nodiscard]] Workload committedWorkload();

enum class Estimator : std::uint8_t
{
    Reference,  // as the reference relayer computes it (docs/decisions.md)
    Nominal,
    Measured,
};

struct Figures
{
    std::size_t requests = 0;
    double medianError = 0;   // of what was told first, as a part of what it took
    double polls = 0;         // for each request
    double meanLateness = 0;  // seconds from the result to its client
    double medianLateness = 0;
};
[[nodiscard]] Figures simulate(const Workload &workload, Estimator estimator);
}  // namespace relayer::test
