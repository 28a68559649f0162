// Many clients that post distinct contents at once, and remember each 202 that they saw.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace relayer::test
{
struct StormPlan
{
    std::uint16_t port = 0;
    std::size_t clients = 64;
    std::uint64_t contents = 5000;
    // When so many have been answered 202, `strike` runs once, on the thread that saw the last.
    std::size_t strikeAt = 1500;
    std::function<void()> strike;
    // Clients stop then, whatever is left to post.
    std::chrono::seconds atMost{60};
};

struct StormOutcome
{
    std::map<std::uint64_t, std::string> admitted;  // content to job id, of each 202
    std::size_t acceptedWhenStruck = 0;
    std::size_t refused = 0;     // answered, but not 202
    std::size_t unanswered = 0;  // the connection broke, or nothing came
    std::size_t untried = 0;     // their client had stopped before
    std::map<int, std::size_t> statuses;
};

// A client stops when it can not reach the server any more.
[[nodiscard]] StormOutcome storm(const StormPlan &plan);
}  // namespace relayer::test
