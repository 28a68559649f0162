// Who works on this database. An instance is a stable name; each of its starts takes a new epoch,
// and claims name the epoch. A process that was thought dead can not move what its successor took
// over: the epoch in its guards no longer matches. All times are the database's.
#pragma once

#include "models/connections.h"
#include "models/request_types.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace relayer::models
{
struct Enrolment
{
    Claimer epoch = 0;
    // The epoch of this name's last start, if it had one, and how many rows it still held: they are
    // ours with the same commit.
    std::optional<Claimer> previous = std::nullopt;
    std::int64_t takenBack = 0;
};

class InstanceRegistry
{
  public:
    explicit InstanceRegistry(ConnectionsPtr client) : client_(std::move(client)) {}

    drogon::Task<Enrolment> enrol(std::string name, std::string version);
    // Of the last start under this name.
    drogon::Task<std::optional<Claimer>> lastEpochOf(std::string name);

    struct Beat
    {
        // False: this name has been enrolled anew since, so another process is the instance now.
        bool enrolled = false;
        std::int64_t others = 0;  // instances that have been heard of within kAlive
    };
    drogon::Task<Beat> beat(Claimer epoch);
    static constexpr std::chrono::seconds kAlive{30};

    // Whether whoever has enrolled last under this name has not been heard of for the lease, or has
    // left.
    drogon::Task<bool> isSilent(std::string name, std::chrono::milliseconds lease);

    struct Instance
    {
        std::string name;
        Claimer epoch = 0;
        std::int64_t startedAtMs = 0;  // since 1970
        std::int64_t heartbeatAgeMs = 0;
        std::string version;
    };
    // All whose heartbeat is known, those that died included.
    drogon::Task<std::vector<Instance>> all();

    // Whether the database takes writes at all. A question of its own: why a statement was refused
    // is not told.
    drogon::Task<bool> canBeWritten();

    // Epochs whose last heartbeat is older than the lease.
    drogon::Task<std::vector<Claimer>> expired(std::chrono::milliseconds lease);

    // The instance stops for good: its lanes and duties are anybody's, and nobody waits for its
    // lease. One commit. Its requests are freed before (SweepStore::freeAbandoned).
    drogon::Task<> leave(Claimer epoch);

  private:
    const ConnectionsPtr client_;
};
}  // namespace relayer::models
