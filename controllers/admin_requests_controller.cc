#include "controllers/admin_requests_controller.h"

#include "controllers/operator_actions.h"
#include "controllers/responses.h"
#include "wire/admin_requests.h"

#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
HttpResponsePtr refuse(const wire::AdminProblem &problem)
{
    return jsonResponse(problem.status, wire::adminError(problem));
}

Task<HttpResponsePtr> find(core::RequestSearch search)
{
    const auto operators = operatorStore();
    const core::RequestPage page = co_await operators->find(search);
    co_return jsonResponse(drogon::k200OK, wire::requestPage(page));
}

Task<HttpResponsePtr> history(core::JobId job)
{
    const auto operators = operatorStore();
    const auto found = co_await operators->history(job);
    co_return found ? jsonResponse(drogon::k200OK, wire::requestHistory(*found))
                    : refuse(wire::problemOf(core::OperatorOutcome::NoSuchRequest));
}

Task<HttpResponsePtr> act(HttpRequestPtr request, std::string jobId, OperatorAction action)
{
    const auto job = core::JobId::parse(jobId);
    auto reason = wire::readReason(request->body());
    if (!job)
    {
        co_return refuse(wire::malformedJob());
    }
    if (const auto *problem = std::get_if<wire::AdminProblem>(&reason))
    {
        co_return refuse(*problem);
    }
    const std::string actor = filters::AdminAccess::actorOf(request);
    const Acted acted =
        co_await perform(action, *job, std::get<std::string>(std::move(reason)), actor);
    if (acted.outcome != core::OperatorOutcome::Done)
    {
        co_return refuse(wire::problemOf(acted.outcome));
    }
    if (acted.fresh)
    {
        co_return jsonResponse(drogon::k201Created, wire::submittedAnew(*job, *acted.fresh));
    }
    co_return co_await history(*job);
}
}  // namespace

Task<HttpResponsePtr> AdminRequestsController::list(HttpRequestPtr request)
{
    const auto read = wire::readRequestSearch(
        [&request](const std::string &name) { return request->getParameter(name); });
    if (const auto *problem = std::get_if<wire::AdminProblem>(&read))
    {
        co_return refuse(*problem);
    }
    co_return co_await guarded(request, find(std::get<core::RequestSearch>(read)));
}

Task<HttpResponsePtr> AdminRequestsController::show(HttpRequestPtr request, std::string jobId)
{
    const auto job = core::JobId::parse(jobId);
    if (!job)
    {
        co_return refuse(wire::malformedJob());
    }
    co_return co_await guarded(request, history(*job));
}

Task<HttpResponsePtr> AdminRequestsController::fail(HttpRequestPtr request, std::string jobId)
{
    co_return co_await guarded(request, act(request, jobId, OperatorAction::Fail));
}

Task<HttpResponsePtr> AdminRequestsController::dispatchAgain(HttpRequestPtr request,
                                                             std::string jobId)
{
    co_return co_await guarded(request, act(request, jobId, OperatorAction::DispatchAgain));
}

Task<HttpResponsePtr> AdminRequestsController::submitAnew(HttpRequestPtr request, std::string jobId)
{
    co_return co_await guarded(request, act(request, jobId, OperatorAction::SubmitAnew));
}
}  // namespace relayer::controllers
