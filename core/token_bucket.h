// How many may go now, and when the next one may. Exact: credit is counted in parts of a token so
// small that a nanosecond earns a whole number of them, so nothing is rounded away however often it
// is asked. Time comes in as a duration since any fixed moment.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace relayer::core
{
class TokenBucket
{
  public:
    static constexpr std::uint64_t kSlowest = 1;
    static constexpr std::uint64_t kFastest = 1000;

    // Starts full; a burst is one second's worth. A rate beyond the limits is brought within them.
    TokenBucket(std::uint64_t perSecond, std::chrono::nanoseconds now);

    // All of them or none.
    bool take(std::uint64_t tokens, std::chrono::nanoseconds now);
    // As many as there are, up to `atMost`.
    std::uint64_t takeUpTo(std::uint64_t atMost, std::chrono::nanoseconds now);
    // Of tokens that were taken and not needed. Never more than a burst.
    void giveBack(std::uint64_t tokens, std::chrono::nanoseconds now);

    [[nodiscard]] std::uint64_t available(std::chrono::nanoseconds now) const;
    // Zero: now. Nothing: never, it is more than a burst.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> timeUntil(
        std::uint64_t tokens, std::chrono::nanoseconds now) const;

    // Keeps the share of a burst that is there: half full stays half full, and empty stays empty.
    void setRate(std::uint64_t perSecond, std::chrono::nanoseconds now);
    [[nodiscard]] std::uint64_t perSecond() const { return perSecond_; }
    // So many buckets have this rate together: each earns its part of it. A burst is one second's
    // worth of that part, and at least a token. The same share of a burst is kept.
    void setSharers(std::uint64_t sharers, std::chrono::nanoseconds now);
    static constexpr std::uint64_t kMostSharers = 1000;

  private:
    [[nodiscard]] std::uint64_t creditAt(std::chrono::nanoseconds now) const;
    void settle(std::chrono::nanoseconds now);
    [[nodiscard]] std::uint64_t token() const;
    [[nodiscard]] std::uint64_t burst() const;
    void become(std::uint64_t perSecond, std::uint64_t sharers, std::chrono::nanoseconds now);

    std::uint64_t perSecond_;
    std::uint64_t sharers_ = 1;
    std::uint64_t credit_;  // in parts of a token, at `last_`
    std::chrono::nanoseconds last_;
};
}  // namespace relayer::core
