#include "core/token_bucket.h"

#include <algorithm>

namespace relayer::core
{
using std::chrono::nanoseconds;

namespace
{
// In one nanosecond a rate of r per second earns r of these. A full burst of the fastest rate is
// 10^12, so all products stay far below 2^64.
constexpr std::uint64_t kPartsOfAToken = 1'000'000'000;
constexpr nanoseconds kFillsUpIn = std::chrono::seconds(1);
}  // namespace

TokenBucket::TokenBucket(std::uint64_t perSecond, nanoseconds now)
    : perSecond_(std::clamp(perSecond, kSlowest, kFastest)),
      credit_(perSecond_ * kPartsOfAToken),
      last_(now)
{}

std::uint64_t TokenBucket::creditAt(nanoseconds now) const
{
    // A clock that goes back earns nothing, and what it repeats is not earned twice.
    const nanoseconds passed = std::clamp(now - last_, nanoseconds::zero(), kFillsUpIn);
    return std::min(credit_ + static_cast<std::uint64_t>(passed.count()) * perSecond_,
                    perSecond_ * kPartsOfAToken);
}

void TokenBucket::settle(nanoseconds now)
{
    credit_ = creditAt(now);
    last_ = std::max(last_, now);
}

std::uint64_t TokenBucket::available(nanoseconds now) const
{
    return creditAt(now) / kPartsOfAToken;
}

bool TokenBucket::take(std::uint64_t tokens, nanoseconds now)
{
    if (tokens > available(now))
    {
        return false;
    }
    settle(now);
    credit_ -= tokens * kPartsOfAToken;
    return true;
}

std::uint64_t TokenBucket::takeUpTo(std::uint64_t atMost, nanoseconds now)
{
    const std::uint64_t taken = std::min(atMost, available(now));
    take(taken, now);
    return taken;
}

void TokenBucket::giveBack(std::uint64_t tokens, nanoseconds now)
{
    settle(now);
    const std::uint64_t burst = perSecond_ * kPartsOfAToken;
    credit_ = std::min(credit_ + std::min(tokens, perSecond_) * kPartsOfAToken, burst);
}

std::optional<nanoseconds> TokenBucket::timeUntil(std::uint64_t tokens, nanoseconds now) const
{
    if (tokens > perSecond_)
    {
        return std::nullopt;
    }
    const std::uint64_t needed = tokens * kPartsOfAToken;
    const std::uint64_t there = creditAt(now);
    if (there >= needed)
    {
        return nanoseconds::zero();
    }
    // A clock that went back has to come back first.
    const nanoseconds behind = std::max(last_ - now, nanoseconds::zero());
    return behind + nanoseconds((needed - there + perSecond_ - 1) / perSecond_);
}

void TokenBucket::setRate(std::uint64_t perSecond, nanoseconds now)
{
    settle(now);
    const std::uint64_t rate = std::clamp(perSecond, kSlowest, kFastest);
    // Rounded down: changing back and forth never makes a token.
    credit_ = credit_ * rate / perSecond_;
    perSecond_ = rate;
}
}  // namespace relayer::core
