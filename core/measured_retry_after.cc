#include "core/measured_retry_after.h"

#include <algorithm>
#include <cmath>

namespace relayer::core
{
namespace
{
constexpr double kMsPerSecond = 1000;
// How many of those who come when they are told find their result. More would make the others wait
// longer than they need to; fewer would make them come once more.
constexpr double kFindTheirs = 0.95;
// Beyond every bound.
constexpr double kStandsStill = 1e12;
// What one is told apart from another: a part of what it is told, and never more than this.
constexpr double kJitter = 0.1;
constexpr double kMostJitterMs = 1000;

bool waitsInLine(Stage stage)
{
    return stage == Stage::InReadiness || stage == Stage::BetweenQueues ||
           stage == Stage::InTxQueue;
}

template <typename Each>
auto &at(Each &each, Kind kind)
{
    return each.at(static_cast<std::size_t>(kind));
}

double waitMs(std::uint64_t ahead, double perSecond)
{
    if (ahead == 0)
    {
        return 0;
    }
    return perSecond > 0 ? static_cast<double>(ahead) / perSecond * kMsPerSecond : kStandsStill;
}

// From -0.5 to 0.5, by bytes that were drawn at random.
double shareOf(const JobId &job)
{
    const JobId::Raw &raw = job.raw();
    const std::size_t last = raw.size() - 1;
    const unsigned drawn = (unsigned{raw.at(last - 1)} << 8U) | unsigned{raw.at(last)};
    return static_cast<double>(drawn) / 65535.0 - 0.5;
}
}  // namespace

double MeasuredRetryAfter::queueMs(const Standing &standing) const
{
    const auto chainRate = at(chain_, standing.kind).perSecond();
    const double toChain = chainRate.value_or(static_cast<double>(standing.txPerSecond));
    switch (standing.stage)
    {
        case Stage::InReadiness:
        {
            // As many as may be checked at a time, each as long as a check takes.
            const double nominal =
                static_cast<double>(standing.readinessConcurrency) /
                static_cast<double>(std::max<std::uint64_t>(settings_.readinessCheckMs, 1)) *
                kMsPerSecond;
            const double rate = at(readiness_, standing.kind).perSecond().value_or(nominal);
            return waitMs(standing.position, rate) + waitMs(standing.txQueueLength, toChain);
        }
        case Stage::BetweenQueues: return waitMs(standing.txQueueLength, toChain);
        case Stage::InTxQueue: return waitMs(standing.position, toChain);
        default: return 0;
    }
}

std::optional<std::uint64_t> MeasuredRetryAfter::estimateMs(const Standing &standing) const
{
    if (standing.stage == Stage::Over)
    {
        return 0;
    }
    const FadingQuantiles &durations =
        at(durations_, standing.kind).at(static_cast<std::size_t>(standing.stage));
    const bool inLine = waitsInLine(standing.stage);
    const auto elapsed =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, standing.inState.count()));
    const auto rest = durations.quantile(kFindTheirs, inLine ? 0 : elapsed);
    if (!rest)
    {
        return std::nullopt;
    }
    const double ms = queueMs(standing) + static_cast<double>(inLine ? *rest : *rest - elapsed);
    return static_cast<std::uint64_t>(std::llround(std::min(ms, kStandsStill)));
}

std::uint64_t MeasuredRetryAfter::seconds(const Standing &standing, const JobId &job) const
{
    const auto estimate = standing.stage == Stage::Over ? std::nullopt : estimateMs(standing);
    if (!estimate)
    {
        return retryAfterSeconds(settings_, standing);
    }
    const auto ms = static_cast<double>(*estimate);
    const double told = ms + std::min(ms * kJitter, kMostJitterMs) * shareOf(job);
    const double seconds = std::ceil(told / kMsPerSecond);
    const auto least = static_cast<double>(std::max<std::uint64_t>(settings_.minSeconds, 1));
    const double bounded =
        std::max(least, std::min(static_cast<double>(settings_.maxSeconds), seconds));
    return static_cast<std::uint64_t>(bounded);
}

void MeasuredRetryAfter::learn(const Standing &standing, std::chrono::milliseconds later)
{
    if (standing.stage == Stage::Over)
    {
        return;
    }
    const std::chrono::milliseconds inState =
        waitsInLine(standing.stage) ? std::chrono::milliseconds(0) : standing.inState;
    const double lasted = static_cast<double>((later + inState).count()) - queueMs(standing);
    at(durations_, standing.kind)
        .at(static_cast<std::size_t>(standing.stage))
        .add(static_cast<std::uint64_t>(std::max(0.0, std::min(lasted, kStandsStill))));
}
}  // namespace relayer::core
