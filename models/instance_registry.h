// Who works on this database. An instance is a stable name; each of its starts takes a new epoch,
// and claims name the epoch. A process that was thought dead can not move what its successor took
// over: the epoch in its guards no longer matches. All times are the database's.
#pragma once

#include "models/request_types.h"

#include <drogon/orm/DbClient.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace relayer::models
{
struct Enrolment
{
    Claimer epoch = 0;
    // The epoch of this name's last start; what it holds may be taken over at once.
    std::optional<Claimer> previous = std::nullopt;
};

class InstanceRegistry
{
  public:
    explicit InstanceRegistry(drogon::orm::DbClientPtr client) : client_(std::move(client)) {}

    drogon::Task<Enrolment> enrol(std::string name, std::string version);

    // False: this name has been enrolled anew since, so another process is the instance now.
    drogon::Task<bool> beat(Claimer epoch);

    // Epochs whose last heartbeat is older than the lease.
    drogon::Task<std::vector<Claimer>> expired(std::chrono::milliseconds lease);

    // The instance stops for good: nobody waits for its lease.
    drogon::Task<> leave(Claimer epoch);

  private:
    const drogon::orm::DbClientPtr client_;
};
}  // namespace relayer::models
