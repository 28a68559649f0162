// Health and numbers of one endpoint.
#include "chain/rpc/endpoint.h"

#include <algorithm>

namespace relayer::chain::rpc
{
void Endpoint::started()
{
    ++calls_;
    health.started();
}

void Endpoint::count(RpcError::Kind failure)
{
    ++failures_;
    lastError_ = static_cast<int>(failure);
}

void Endpoint::ended(std::optional<RpcError::Kind> failure)
{
    if (failure)
    {
        count(*failure);
        health.failed(EndpointHealth::Clock::now());
    }
    else
    {
        health.succeeded();
    }
    out_ = !health.healthy();
}

void Endpoint::endedInconclusive(RpcError::Kind failure)
{
    count(failure);
    health.inconclusive();
}

EndpointSnapshot Endpoint::snapshot() const
{
    const HttpEndpoint::Stats &stats = http->stats();
    EndpointSnapshot snapshot;
    snapshot.name = name;
    snapshot.calls = calls_;
    snapshot.failures = failures_;
    snapshot.inFlight = stats.inFlight;
    snapshot.waiting = stats.waiting;
    snapshot.connections = stats.connections;
    snapshot.out = out_;
    if (const int kind = lastError_; kind >= 0)
    {
        snapshot.lastError = static_cast<RpcError::Kind>(kind);
    }
    return snapshot;
}

EndpointPtr chooseEndpoint(const Endpoints &endpoints, const Endpoints &tried,
                           EndpointHealth::Clock::time_point now)
{
    EndpointPtr soonest;
    for (const EndpointPtr &endpoint : endpoints)
    {
        if (std::ranges::find(tried, endpoint) != tried.end())
        {
            continue;
        }
        if (endpoint->health.admits(now))
        {
            return endpoint;
        }
        if (!soonest || endpoint->health.outUntil() < soonest->health.outUntil())
        {
            soonest = endpoint;
        }
    }
    return tried.empty() ? soonest : nullptr;
}
}  // namespace relayer::chain::rpc
