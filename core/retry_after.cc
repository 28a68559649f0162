#include "core/retry_after.h"

#include <algorithm>

namespace relayer::core
{
namespace
{
// __extension__ keeps -Wpedantic quiet about a type that every compiler of ours has.
__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMsPerSecond = 1000;
constexpr std::uint64_t kOne = 1'000'000;  // in millionths
// Above these an estimate is beyond every bound anyway; below, no product leaves 128 bits.
constexpr std::uint64_t kMostWaiting = 1'000'000'000'000;
constexpr std::uint64_t kMostPerSecond = 1'000'000;
constexpr std::uint64_t kMostMs = 1'000'000'000'000;

// A non-negative number that is not rounded.
struct Fraction
{
    Wide over = 0;
    Wide under = 1;
};

Wide ceilOf(Fraction value)
{
    return value.over / value.under + (value.over % value.under == 0 ? 0 : 1);
}

std::uint64_t narrowed(Wide value)
{
    constexpr Wide most = ~std::uint64_t{0};
    return static_cast<std::uint64_t>(std::min(value, most));
}

// What a queue of `waiting` takes, in milliseconds, when so many leave it in a second.
struct Draining
{
    std::uint64_t waiting = 0;
    std::uint64_t perSecond = 1;

    // A queue that stands still lets its first one go after the upper bound.
    Draining(std::uint64_t length, std::uint64_t rate)
        : waiting(std::min(length, kMostWaiting)), perSecond(std::min(rate, kMostPerSecond))
    {
        if (perSecond == 0)
        {
            waiting = kMostWaiting;
            perSecond = 1;
        }
    }
};

Fraction sum(Draining first, Draining second, std::uint64_t fixedMs)
{
    const Wide under = Wide{first.perSecond} * second.perSecond;
    const Wide queued =
        Wide{first.waiting} * second.perSecond + Wide{second.waiting} * first.perSecond;
    return {queued * kMsPerSecond + Wide{fixedMs} * under, under};
}

std::uint64_t processingMs(const RetryAfterSettings &settings, Kind kind)
{
    switch (kind)
    {
        case Kind::InputProof: return std::min(settings.inputProofMs, kMostMs);
        case Kind::PublicDecrypt: return std::min(settings.publicDecryptMs, kMostMs);
        case Kind::UserDecrypt: break;
    }
    return std::min(settings.userDecryptMs, kMostMs);
}

// The formulas of the requirement.
Fraction estimate(const RetryAfterSettings &settings, const Standing &standing)
{
    const Draining none(0, 1);
    const std::uint64_t processing = processingMs(settings, standing.kind);
    const std::uint64_t behindQueues = processing + std::min(settings.txConfirmationMs, kMostMs);
    switch (standing.stage)
    {
        case Stage::InReadiness:
            return sum({standing.position, standing.readinessConcurrency},
                       {standing.txQueueLength, standing.txPerSecond}, behindQueues);
        case Stage::BetweenQueues:
            return sum({standing.txQueueLength, standing.txPerSecond}, none,
                       behindQueues + std::min(settings.readinessCheckMs, kMostMs));
        case Stage::InTxQueue:
            return sum({standing.position, standing.txPerSecond}, none, behindQueues);
        case Stage::TxInFlight: return {processing, 1};
        case Stage::AwaitsAnswer:
        case Stage::Over: break;
    }
    return {};
}

std::uint64_t bounded(const RetryAfterSettings &settings, std::uint64_t seconds)
{
    const std::uint64_t least = std::max<std::uint64_t>(settings.minSeconds, 1);
    return std::max(least, std::min(settings.maxSeconds, seconds));
}

std::uint64_t secondsWithMargin(const RetryAfterSettings &settings, Fraction ms)
{
    const Wide factor = Wide{kOne} + std::min(settings.marginMillionths, kOne);
    return narrowed(ceilOf({ms.over * factor, ms.under * kOne * kMsPerSecond}));
}

std::uint64_t backoffSeconds(const RetryAfterSettings &settings, std::chrono::seconds inState)
{
    const auto step =
        std::find_if(settings.backoff.begin(), settings.backoff.end(),
                     [inState](const BackoffStep &each) { return inState < each.until; });
    if (settings.backoff.empty())
    {
        return settings.minSeconds;
    }
    const auto wait = step == settings.backoff.end() ? settings.backoff.back().wait : step->wait;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(wait.count(), 0));
}
}  // namespace

Backoff standardBackoff()
{
    using std::chrono::minutes;
    using std::chrono::seconds;
    return {{minutes(1), seconds(4)},
            {minutes(2), seconds(10)},
            {minutes(5), seconds(30)},
            {minutes(15), seconds(60)},
            {seconds::max(), seconds(300)}};
}

std::uint64_t estimateMs(const RetryAfterSettings &settings, const Standing &standing)
{
    return narrowed(ceilOf(estimate(settings, standing)));
}

std::uint64_t retryAfterSeconds(const RetryAfterSettings &settings, const Standing &standing)
{
    if (standing.stage == Stage::Over)
    {
        return 0;
    }
    if (standing.stage == Stage::AwaitsAnswer)
    {
        const auto inState = std::chrono::floor<std::chrono::seconds>(standing.inState);
        return bounded(settings, backoffSeconds(settings, inState));
    }
    return bounded(settings, secondsWithMargin(settings, estimate(settings, standing)));
}

std::uint64_t secondsUntilRoom(const RetryAfterSettings &settings, std::uint64_t excess,
                               std::uint64_t perSecond)
{
    const Fraction ms = sum({excess, perSecond}, {0, 1}, 0);
    return bounded(settings, secondsWithMargin(settings, ms));
}
}  // namespace relayer::core
