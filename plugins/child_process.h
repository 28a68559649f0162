// Another program, given its input and read to its end: what it may take of time, of memory and of
// our patience for its output is bounded. Blocks, so it is for a thread that has nothing else to
// do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace relayer::plugins
{
struct ChildLimits
{
    std::chrono::milliseconds deadline{60'000};
    std::uint64_t memory = 2UL << 30U;  // of addresses, in bytes
    std::size_t output = 1UL << 20U;
};

struct ChildResult
{
    enum class End
    {
        Exited,
        Crashed,     // by a signal of its own
        TooSlow,     // killed at the deadline
        TooMuch,     // killed for what it wrote
        Stopped,     // killed because we stop
        NotStarted,  // there is no such program, or no room for it
    };
    End end = End::NotStarted;
    int code = 0;  // of one that exited
    std::string output;
};

// `command` is a path and its arguments; no shell looks at it, and it inherits nothing but a few
// variables (PATH, HOME, LANG). What it writes to its error stream is thrown away: nobody knows
// what it holds.
[[nodiscard]] ChildResult runChild(const std::vector<std::string> &command,
                                   const std::string &input, const ChildLimits &limits,
                                   const std::atomic<bool> &stopping);
}  // namespace relayer::plugins
