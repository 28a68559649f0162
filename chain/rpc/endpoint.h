// An endpoint as the node sees it: its name, its connections, its health, its numbers; and the
// choice between several. Of one loop, but for the numbers.
#pragma once

#include "chain/rpc/endpoint_health.h"
#include "chain/rpc/http_endpoint.h"
#include "chain/rpc/node.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relayer::chain::rpc
{
struct Endpoint
{
    Endpoint(std::string itsName, std::shared_ptr<HttpEndpoint> connections)
        : name(std::move(itsName)), http(std::move(connections))
    {}

    void started();
    // Nothing: the node answered, be it with its own "no".
    void ended(std::optional<RpcError::Kind> failure);
    void endedInconclusive(RpcError::Kind failure);
    [[nodiscard]] EndpointSnapshot snapshot() const;

    const std::string name;
    const std::shared_ptr<HttpEndpoint> http;
    EndpointHealth health;
    // One that refused a batch is not sent another for a while: perhaps it was only the size.
    EndpointHealth::Clock::time_point batchesAgainAt;

  private:
    void count(RpcError::Kind failure);

    std::atomic<std::size_t> calls_{0};
    std::atomic<std::size_t> failures_{0};
    std::atomic<bool> out_{false};
    std::atomic<int> lastError_{-1};
};

using EndpointPtr = std::shared_ptr<Endpoint>;
using Endpoints = std::vector<EndpointPtr>;

// The first that is well and was not tried. When all are out, and none was tried, the one whose
// pause ends first: better a slow answer than none.
[[nodiscard]] EndpointPtr chooseEndpoint(const Endpoints &endpoints, const Endpoints &tried,
                                         EndpointHealth::Clock::time_point now);
}  // namespace relayer::chain::rpc
