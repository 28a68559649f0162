#include "core/drain_rate.h"

#include <algorithm>
#include <cmath>

namespace relayer::core
{
namespace
{
constexpr double kHalfLifeSeconds = 30;
constexpr double kEnoughSeconds = 3;
}  // namespace

void DrainRate::look(Time now, std::size_t ahead)
{
    if (!watched_)
    {
        return;
    }
    const double seconds = std::chrono::duration<double>(now - since_).count();
    if (ahead == 0)
    {
        // The queue may have been empty for a part of this time.
        watched_.reset();
        return;
    }
    if (seconds <= 0)
    {
        return;
    }
    const double fade = std::exp2(-seconds / kHalfLifeSeconds);
    gone_ = gone_ * fade + static_cast<double>(ahead_ - std::min(ahead_, ahead));
    seconds_ = seconds_ * fade + seconds;
    ahead_ = ahead;
    since_ = now;
}

void DrainRate::offer(Ticket ticket, std::size_t ahead, Time now)
{
    constexpr std::size_t worthWatching = 2;
    if (!watched_ && ahead >= worthWatching)
    {
        watched_ = ticket;
        ahead_ = ahead;
        since_ = now;
    }
}

std::optional<double> DrainRate::perSecond() const
{
    return seconds_ < kEnoughSeconds ? std::nullopt : std::optional(gone_ / seconds_);
}
}  // namespace relayer::core
