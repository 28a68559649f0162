#include "core/lane_lease.h"

namespace relayer::core
{
namespace
{
constexpr std::chrono::seconds kTryAgain{1};
constexpr int kRenewalsInALease = 3;
}  // namespace

LaneLease::Due LaneLease::due(Time now) const
{
    if (state_ == State::Held && heldUntil_ <= now)
    {
        return Due::RunOut;
    }
    if (askAt_ > now)
    {
        return Due::Nothing;
    }
    return state_ == State::Held ? Due::Renew : Due::Acquire;
}

void LaneLease::acquiring(Time now)
{
    askAt_ = now + kTryAgain;
}

void LaneLease::taken(Time asked)
{
    state_ = State::Held;
    renewed(asked);
}

// From the moment of asking: the database's clock may have started then.
void LaneLease::renewed(Time asked)
{
    heldUntil_ = asked + length_;
    askAt_ = asked + length_ / kRenewalsInALease;
}

void LaneLease::notRenewed(Time now)
{
    askAt_ = now + kTryAgain;
}

bool LaneLease::lost(Time now)
{
    if (state_ == State::Free)
    {
        return false;
    }
    state_ = State::Free;
    askAt_ = now + length_;
    return true;
}

void LaneLease::doubt(Time now)
{
    state_ = State::InDoubt;
    askAt_ = now;
}
}  // namespace relayer::core
