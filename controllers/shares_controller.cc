#include "controllers/shares_controller.h"

#include "controllers/plugin_for.h"
#include "controllers/shares.h"
#include "wire/share_answers.h"
#include "wire/share_request.h"

#include <utility>
#include <variant>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using plugins::ShareService;
using Post = plugins::ShareMetrics::Post;
using Service = std::shared_ptr<ShareService>;

namespace
{
Task<HttpResponsePtr> takeIn(Service service, wire::ShareRequest share)
{
    auto &metrics = pluginFor<plugins::ShareScheduler>().metrics();
    if (!share.namesItsTime)
    {
        metrics.postedWithoutTime();
    }
    try
    {
        const auto outcome = co_await service->take(share);
        co_return shareOutcome(outcome, metrics);
    }
    catch (...)
    {
        metrics.posted(Post::Failed);
        throw;
    }
}

Task<HttpResponsePtr> lookForNullifier(Service service, core::Hash32 round, core::Hash32 nullifier)
{
    const bool there = co_await service->confirmed(round, nullifier);
    co_return shareAnswer(drogon::k200OK, wire::shareStatus(there ? "confirmed" : "pending"));
}
}  // namespace

SharesController::Response SharesController::post(HttpRequestPtr request)
{
    const ShareDoor door = shareDoor(request);
    if (door.closed)
    {
        co_return door.closed;
    }
    if (request->body().size() > wire::kMaxShareBody)
    {
        co_return shareError(drogon::k413RequestEntityTooLarge, wire::kShareTooLarge);
    }
    auto read = wire::readShareRequest(request->body());
    if (const auto *problem = std::get_if<wire::ShareProblem>(&read))
    {
        pluginFor<plugins::ShareScheduler>().metrics().posted(Post::Refused);
        co_return shareError(drogon::k400BadRequest, problem->text);
    }
    co_return co_await guardedShare(
        request, "enqueue", takeIn(door.service, std::get<wire::ShareRequest>(std::move(read))));
}

SharesController::Response SharesController::shareStatus(HttpRequestPtr request, std::string round,
                                                         std::string nullifier)
{
    const ShareDoor door = shareDoor(request);
    if (door.closed)
    {
        co_return door.closed;
    }
    core::Hash32 first{};
    core::Hash32 second{};
    if (const auto wrong =
            hexParts({{"roundId", round, &first}, {"nullifier", nullifier, &second}}))
    {
        co_return shareError(drogon::k400BadRequest, *wrong);
    }
    co_return co_await guardedShare(request, "nullifier_check",
                                    lookForNullifier(door.service, first, second));
}
}  // namespace relayer::controllers
