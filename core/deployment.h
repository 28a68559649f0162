// Who works on this database, and which keys send. Plain data; times as in request_history.h.
#pragma once

#include "core/address.h"
#include "core/request_history.h"

#include <cstdint>
#include <string>

namespace relayer::core
{
struct InstanceRecord
{
    std::string name;
    std::string version;
    MillisSince1970 startedAt{0};
    std::chrono::milliseconds silentFor{0};  // since its last heartbeat
    bool draining = false;
};

struct LaneRecord
{
    std::string name;
    Address address{};
    std::string heldBy;  // empty: nobody, or a lease that is over
    std::int64_t nextNonce = 0;
    std::int64_t open = 0;  // nonces that are not closed
};
}  // namespace relayer::core
