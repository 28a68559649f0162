#include "core/token_bucket.h"

#include <algorithm>

namespace relayer::core
{
using std::chrono::nanoseconds;

namespace
{
// In one nanosecond a rate of r per second earns r of these, and so does one that n share, whose
// token is n times as many. A full burst of the fastest rate, and the token of the most sharers, is
// 10^12, and the product of two such bursts is not formed.
constexpr std::uint64_t kPartsOfAToken = 1'000'000'000;
}  // namespace

TokenBucket::TokenBucket(std::uint64_t perSecond, nanoseconds now)
    : perSecond_(std::clamp(perSecond, kSlowest, kFastest)), credit_(burst()), last_(now)
{}

std::uint64_t TokenBucket::token() const
{
    return sharers_ * kPartsOfAToken;
}

std::uint64_t TokenBucket::burst() const
{
    return std::max(perSecond_ * kPartsOfAToken, token());
}

std::uint64_t TokenBucket::creditAt(nanoseconds now) const
{
    // A clock that goes back earns nothing, and what it repeats is not earned twice.
    const nanoseconds fillsUpIn(burst() / perSecond_ + 1);
    const nanoseconds passed = std::clamp(now - last_, nanoseconds::zero(), fillsUpIn);
    return std::min(credit_ + static_cast<std::uint64_t>(passed.count()) * perSecond_, burst());
}

void TokenBucket::settle(nanoseconds now)
{
    credit_ = creditAt(now);
    last_ = std::max(last_, now);
}

std::uint64_t TokenBucket::available(nanoseconds now) const
{
    return creditAt(now) / token();
}

bool TokenBucket::take(std::uint64_t tokens, nanoseconds now)
{
    if (tokens > available(now))
    {
        return false;
    }
    settle(now);
    credit_ -= tokens * token();
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
    const std::uint64_t most = burst() / token() + 1;
    credit_ = std::min(credit_ + std::min(tokens, most) * token(), burst());
}

std::optional<nanoseconds> TokenBucket::timeUntil(std::uint64_t tokens, nanoseconds now) const
{
    if (tokens > burst() / token())
    {
        return std::nullopt;
    }
    const std::uint64_t needed = tokens * token();
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
    become(std::clamp(perSecond, kSlowest, kFastest), sharers_, now);
}

void TokenBucket::setSharers(std::uint64_t sharers, nanoseconds now)
{
    become(perSecond_, std::clamp<std::uint64_t>(sharers, 1, kMostSharers), now);
}

void TokenBucket::become(std::uint64_t perSecond, std::uint64_t sharers, nanoseconds now)
{
    settle(now);
    const std::uint64_t before = burst() / kPartsOfAToken;
    perSecond_ = perSecond;
    sharers_ = sharers;
    // Rounded down: changing back and forth never makes a token.
    credit_ = credit_ * (burst() / kPartsOfAToken) / before;
}
}  // namespace relayer::core
