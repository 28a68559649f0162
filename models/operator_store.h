// What an operator sees of requests, and does to single ones. What is found is bounded: a page of a
// list looks at so many requests and no more, however many there are.
//
// Callable from any thread as a coroutine; throws StoreError. What is returned has been committed.
#pragma once

#include "core/deployment.h"
#include "core/request_history.h"
#include "models/connections.h"
#include "models/request_types.h"
#include "models/status_news.h"

#include <drogon/utils/coroutine.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayer::models
{
class OperatorStore
{
  public:
    OperatorStore(ConnectionsPtr writer, ConnectionsPtr reader, StatusNewsPtr news)
        : writer_(std::move(writer)), reader_(std::move(reader)), news_(std::move(news))
    {}

    drogon::Task<core::RequestPage> find(core::RequestSearch search);
    // Nothing when there is no such request.
    drogon::Task<std::optional<core::RequestHistory>> history(core::JobId job);

    // How many ended badly within this time, by kind and code, the most first.
    struct ErrorCount
    {
        core::Kind kind = core::Kind::InputProof;
        std::string code;
        std::int64_t count = 0;
    };
    drogon::Task<std::vector<ErrorCount>> errors(std::chrono::milliseconds within);

    // By name. Instances that have not been forgotten yet; keys that have ever sent.
    drogon::Task<std::vector<core::InstanceRecord>> instances();
    drogon::Task<std::vector<core::LaneRecord>> lanes();

    // The share scheduler's, in numbers.
    struct Shares
    {
        std::vector<std::pair<std::string, std::int64_t>> states;
        std::int64_t rounds = 0;
        std::int64_t due = 0;
        std::optional<std::chrono::milliseconds> oldestDueFor;
    };
    drogon::Task<Shares> shares();

    drogon::Task<core::OperatorOutcome> fail(core::JobId job, std::string reason,
                                             std::string actor);
    drogon::Task<core::OperatorOutcome> dispatchAgain(core::JobId job, std::string actor);
    // `fresh` is the job id of the new one.
    drogon::Task<core::OperatorOutcome> submitAnew(core::JobId job, core::JobId fresh,
                                                   std::string actor);

  private:
    drogon::Task<std::optional<std::int64_t>> firstSince(std::chrono::milliseconds age);

    const ConnectionsPtr writer_;
    const ConnectionsPtr reader_;
    const StatusNewsPtr news_;
};
}  // namespace relayer::models
