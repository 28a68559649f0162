#include "controllers/admin_operations_controller.h"

#include "controllers/admin_answers.h"
#include "controllers/operations.h"

#include <limits>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using Response = AdminOperationsController::Response;

namespace
{
constexpr std::int64_t kEntries = 100;
constexpr std::int64_t kMostEntries = 1000;
}  // namespace

Response AdminOperationsController::queues(HttpRequestPtr request)
{
    co_return adminAnswer(request, queueLevels());
}

Response AdminOperationsController::lanes(HttpRequestPtr request)
{
    co_return co_await adminGuarded(request, listLanes(request));
}

Response AdminOperationsController::pauseLane(HttpRequestPtr request, std::string name)
{
    auto read = wire::readPausePost(request->body());
    if (const auto *refused = std::get_if<wire::Refused>(&read))
    {
        co_return adminRefusal(request, refused->status, refused->text);
    }
    co_return co_await adminGuarded(
        request, setLanePause(request, std::move(name), std::get<wire::PausePost>(read)));
}

Response AdminOperationsController::resumeLane(HttpRequestPtr request, std::string name)
{
    co_return co_await adminGuarded(request, setLanePause(request, std::move(name), std::nullopt));
}

Response AdminOperationsController::intake(HttpRequestPtr request)
{
    co_return adminAnswer(request, wire::intakeState(viewOf(runtimeValues().state()->intake)));
}

Response AdminOperationsController::pauseIntake(HttpRequestPtr request)
{
    auto read = wire::readPausePost(request->body());
    if (const auto *refused = std::get_if<wire::Refused>(&read))
    {
        co_return adminRefusal(request, refused->status, refused->text);
    }
    co_return co_await adminGuarded(request,
                                    setIntakePause(request, std::get<wire::PausePost>(read)));
}

Response AdminOperationsController::resumeIntake(HttpRequestPtr request)
{
    co_return co_await adminGuarded(request, setIntakePause(request, std::nullopt));
}

Response AdminOperationsController::instances(HttpRequestPtr request)
{
    co_return co_await adminGuarded(request, listInstances(request));
}

Response AdminOperationsController::drain(HttpRequestPtr request)
{
    auto read = wire::readInstancePost(request->body());
    if (const auto *refused = std::get_if<wire::Refused>(&read))
    {
        co_return adminRefusal(request, refused->status, refused->text);
    }
    co_return co_await adminGuarded(request,
                                    beginDrain(request, std::get<std::string>(std::move(read))));
}

Response AdminOperationsController::audit(HttpRequestPtr request)
{
    const auto before = numberIn(request, "before", 0, std::numeric_limits<std::int64_t>::max());
    const auto limit = numberIn(request, "limit", kEntries, kMostEntries);
    if (!before || !limit)
    {
        co_return adminRefusal(request, drogon::k400BadRequest,
                               "before and limit are whole numbers; limit is at most 1000");
    }
    co_return co_await adminGuarded(request, listAudit(request, *before, *limit));
}
}  // namespace relayer::controllers
