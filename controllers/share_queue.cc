// What is told of the share scheduler itself. A part of shares_controller.h.
#include "controllers/plugin_for.h"
#include "controllers/shares.h"
#include "controllers/shares_controller.h"
#include "wire/share_answers.h"

#include <utility>

namespace relayer::controllers
{
using core::ShareState;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using Service = std::shared_ptr<plugins::ShareService>;

namespace
{
Task<HttpResponsePtr> tellTree(Service service)
{
    std::optional<wire::TreeNumbers> tree;
    if (const auto known = co_await service->tree())
    {
        tree = wire::TreeNumbers{known->leafCount, known->anchorHeight};
    }
    co_return shareAnswer(drogon::k200OK, wire::helperStatus(tree));
}

Task<HttpResponsePtr> tellQueue(Service service)
{
    const auto counts = co_await service->counts();
    std::vector<wire::RoundQueue> rounds;
    rounds.reserve(counts.size());
    for (const models::RoundShares &round : counts)
    {
        rounds.push_back({round.round,
                          round.of(ShareState::Received) + round.of(ShareState::Witnessed),
                          round.of(ShareState::Submitted), round.of(ShareState::Failed)});
    }
    co_return shareAnswer(drogon::k200OK, wire::queueStatus(rounds));
}
}  // namespace

SharesController::Response SharesController::status(HttpRequestPtr request)
{
    const ShareDoor door = shareDoor(request, TokenIs::NotAsked);
    if (door.closed)
    {
        co_return door.closed;
    }
    co_return co_await guardedShare(request, "tree_status", tellTree(door.service));
}

SharesController::Response SharesController::queueStatus(HttpRequestPtr request)
{
    if (!pluginFor<plugins::ShareScheduler>().settings().exposeQueueStatus)
    {
        co_return shareError(drogon::k404NotFound, "not found");
    }
    const ShareDoor door = shareDoor(request);
    if (door.closed)
    {
        co_return door.closed;
    }
    co_return co_await guardedShare(request, "queue_status", tellQueue(door.service));
}
}  // namespace relayer::controllers
