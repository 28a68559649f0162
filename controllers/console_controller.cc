#include "controllers/console_controller.h"

#include "controllers/console_overview.h"
#include "controllers/console_page.h"
#include "controllers/console_requests.h"
#include "controllers/console_work.h"
#include "controllers/operator_actions.h"
#include "views/notices.h"
#include "wire/admin_requests.h"

#include <utility>

namespace relayer::controllers
{
using core::OperatorOutcome;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
Task<HttpResponsePtr> showOverview(HttpRequestPtr request)
{
    auto page = co_await overviewPage();
    auto frame = frameFor(request, "Overview", "Overview");
    frame.live = true;
    co_return consolePage("overview", std::move(frame), std::move(page));
}

Task<HttpResponsePtr> showRequests(HttpRequestPtr request)
{
    auto page = co_await requestsPage(request);
    auto frame = frameFor(request, "Requests", "Requests");
    frame.live = page.first && page.wrong.empty();
    const int status = page.wrong.empty() ? drogon::k200OK : drogon::k400BadRequest;
    co_return consolePage("requests", std::move(frame), std::move(page), status);
}

Task<HttpResponsePtr> showRequest(HttpRequestPtr request, std::string jobId)
{
    const auto job = core::JobId::parse(jobId);
    std::optional<views::RequestPage> page;
    if (job)
    {
        page = co_await requestPage(*job);
    }
    if (!page)
    {
        co_return noSuchRequest(request);
    }
    auto frame = frameFor(request, "Request " + jobId.substr(0, 8), "Requests");
    frame.live = !core::isTerminal(page->history.line.status);
    views::setNotice(frame, request->getParameter("done"), request->getParameter("refused"));
    co_return consolePage("request", std::move(frame), *std::move(page));
}

Task<HttpResponsePtr> actOn(HttpRequestPtr request, std::string jobId, std::string action)
{
    const auto job = core::JobId::parse(jobId);
    const auto wanted = actionNamed(action);
    const std::string reason = request->getParameter("reason");
    if (!job || !wanted || !wire::isSaneReason(reason))
    {
        co_return noSuchRequest(request);
    }
    const Acted acted = co_await perform(*wanted, *job, reason, actorAt(request));
    const std::string path = "/console/requests/" + acted.fresh.value_or(*job).text();
    co_return acted.outcome == OperatorOutcome::Done
        ? seeOther(path + "?done=" + action)
        : seeOther(path + "?refused=" + wire::problemOf(acted.outcome).label);
}
}  // namespace

Task<HttpResponsePtr> ConsoleController::overview(HttpRequestPtr request)
{
    return shown(request, showOverview(request));
}

Task<HttpResponsePtr> ConsoleController::requests(HttpRequestPtr request)
{
    return shown(request, showRequests(request));
}

Task<HttpResponsePtr> ConsoleController::request(HttpRequestPtr request, std::string jobId)
{
    return shown(request, showRequest(request, std::move(jobId)));
}

Task<HttpResponsePtr> ConsoleController::act(HttpRequestPtr request, std::string jobId,
                                             std::string action)
{
    return shown(request, actOn(request, std::move(jobId), std::move(action)));
}

}  // namespace relayer::controllers
