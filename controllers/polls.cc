#include "controllers/polls.h"

#include "controllers/error_pages.h"
#include "controllers/held_poll.h"
#include "controllers/job_rows.h"
#include "controllers/plugin_for.h"
#include "controllers/poll_notes.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/store.h"
#include "wire/stencil.h"

#include <utility>

namespace relayer::controllers
{
using core::Kind;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using plugins::JobViewPtr;

namespace
{
plugins::EndedJobs &endedJobs()
{
    return pluginFor<plugins::Store>().endedJobs();
}

// What a job came to does not change any more; that some of its answer can not be read may.
bool isFinal(core::Status status, const wire::Answer &answer)
{
    return answer.status == drogon::k200OK ||
           (core::isTerminal(status) && status != core::Status::Completed);
}

Task<HttpResponsePtr> showNow(HttpRequestPtr http, core::JobId job, Kind kind)
{
    const std::string &requestId = filters::requestIdOf(http);
    const JobViewPtr view = co_await lookAt(job, kind);
    if (!view)
    {
        co_return respond(http, shown(requestId, view));
    }
    const plugins::WaitingRoom::Job known = waitedFor(*view);
    wire::Answer answer = shown(requestId, *view, known);
    note(known, answer);
    if (isFinal(known.status, answer))
    {
        if (auto stencil = wire::stencilOf(answer, requestId))
        {
            endedJobs().keep(job, kind, std::move(*stencil));
        }
    }
    co_return respond(http, std::move(answer));
}
}  // namespace

Task<JobViewPtr> lookAt(core::JobId jobId, Kind kind)
{
    JobViewPtr view = co_await plugins::readView(sharedPluginFor<plugins::Store>(), jobId);
    const bool here = view && core::parseKind(view->poll.row.getValueOfKind()) == kind;
    co_return here ? std::move(view) : nullptr;
}

Task<HttpResponsePtr> askOfJob(HttpRequestPtr http, std::string jobId, Kind kind, Show show)
{
    if (jobId.empty())
    {
        co_return errorPage(drogon::k404NotFound, http);
    }
    const auto id = core::JobId::parse(jobId);
    if (!id)
    {
        co_return respond(http, wire::malformedJobId());
    }
    co_return co_await guarded(http, show(http, *id, kind));
}

namespace
{
Task<HttpResponsePtr> showOrHold(HttpRequestPtr http, core::JobId job, Kind kind)
{
    if (const auto ended = endedJobs().find(job, kind))
    {
        co_return respond(http, wire::answerFrom(*ended, filters::requestIdOf(http)));
    }
    co_return co_await (wantedWait(http) ? showWhenChanged : showNow)(http, job, kind);
}
}  // namespace

Task<HttpResponsePtr> pollJob(HttpRequestPtr http, std::string jobId, Kind kind)
{
    return askOfJob(std::move(http), std::move(jobId), kind, showOrHold);
}
}  // namespace relayer::controllers
