// The transitions that a request has gone through, as its row keeps them (request.trail): nine
// bytes each, the number of the transition and the microseconds since 1970. Pure.
#pragma once

#include "core/bytes.h"
#include "core/lifecycle.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace relayer::core
{
inline constexpr std::size_t kTrailStepBytes = 9;
// The first so many are kept.
inline constexpr std::size_t kTrailSteps = 64;

struct TrailStep
{
    Transition transition = Transition::PassReadiness;
    std::chrono::microseconds at{0};  // since 1970, on the database's clock

    bool operator==(const TrailStep &) const = default;
};

// Up to the first step that this program does not know.
[[nodiscard]] std::vector<TrailStep> readTrail(ByteView trail);
}  // namespace relayer::core
