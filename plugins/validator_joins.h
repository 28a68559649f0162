// Validators who want to join a vote chain: what they sign is checked, and kept for who takes them
// up. Nobody is taken up here; who is a validator already, the chain says.
//
// Asks on one loop; callable from any thread.
#pragma once

#include "chain/rpc/http_endpoint.h"
#include "models/registration_store.h"
#include "wire/join_request.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relayer::plugins
{
class ValidatorJoins
{
  public:
    struct Surroundings
    {
        trantor::EventLoop *loop = nullptr;
        std::shared_ptr<models::RegistrationStore> store;
        std::optional<chain::rpc::Url> chain;  // none: nobody is a validator already
        std::chrono::milliseconds timeout{10'000};
        std::chrono::seconds keep{7 * 86'400};
        std::function<std::int64_t()> now;  // seconds since 1970
    };
    explicit ValidatorJoins(Surroundings surroundings);

    struct Answer
    {
        int status = 200;
        std::string body;
    };
    drogon::Task<Answer> put(wire::JoinRequest request);
    drogon::Task<std::vector<wire::PendingValidator>> pending();
    // By an operator. Whether it was waiting.
    drogon::Task<bool> remove(std::string operatorAddress, std::string actor);
    // What has expired goes.
    drogon::Task<> sweep();

  private:
    drogon::Task<bool> isValidator(std::string operatorAddress);

    const Surroundings around_;
    const std::shared_ptr<chain::rpc::HttpEndpoint> chain_;
};

// What is wrong with who signed it, or when; nothing: all is well.
[[nodiscard]] std::optional<wire::JoinProblem> joinProblem(const wire::JoinRequest &request,
                                                           std::int64_t now);
}  // namespace relayer::plugins
