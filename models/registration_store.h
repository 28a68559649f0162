// Validators who want to join, until somebody takes them up or their time is over. Callable from
// any thread as a coroutine; throws StoreError. Times are seconds since 1970; the database's clock.
#pragma once

#include "models/connections.h"

#include <drogon/utils/coroutine.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayer::models
{
struct Registration
{
    std::string operatorAddress;
    std::string url;
    std::string moniker;
    std::int64_t signedAt = 0;
    std::int64_t requestedAt = 0;  // the first time
    std::int64_t expiresAt = 0;
};

class RegistrationStore
{
  public:
    explicit RegistrationStore(ConnectionsPtr writer) : writer_(std::move(writer)) {}

    // When it will expire. What was signed before what is there changes nothing, so an old request
    // can not be played again; nothing: there are as many as may be.
    drogon::Task<std::optional<std::int64_t>> put(Registration registration,
                                                  std::chrono::seconds keep, std::size_t most);
    // Those that have not expired, the oldest first.
    drogon::Task<std::vector<Registration>> all(std::size_t limit);
    // Who became a validator waits no more.
    drogon::Task<> forget(std::string operatorAddress);
    // By an operator, which the audit keeps. Whether it was there.
    drogon::Task<bool> remove(std::string operatorAddress, std::string actor);
    // How many are gone.
    drogon::Task<std::size_t> sweep(std::size_t limit);

  private:
    const ConnectionsPtr writer_;
};
}  // namespace relayer::models
