#include "controllers/polls.h"

#include "controllers/error_pages.h"
#include "controllers/job_rows.h"
#include "controllers/jobs.h"
#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "models/request_store.h"
#include "plugins/store.h"
#include "wire/stencil.h"

#include <utility>

namespace relayer::controllers
{
using core::Kind;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

Task<Look> lookAt(core::JobId jobId, Kind kind, std::string requestId)
{
    Look look;
    const auto poll = co_await requests().poll(jobId);
    if (!poll || core::parseKind(poll->row.getValueOfKind()) != kind)
    {
        look.answer = wire::failed(requestId, wire::unknownRequest());
        co_return look;
    }
    const wire::Job job = jobOf(*poll);
    look.status = job.status;
    switch (kind)
    {
        case Kind::InputProof: look.answer = wire::pollOfInputProof(requestId, job); break;
        case Kind::PublicDecrypt: look.answer = wire::pollOfPublicDecrypt(requestId, job); break;
        case Kind::UserDecrypt:
            wire::Shares shares = co_await sharesOf(poll->row, job.status);
            look.answer = wire::pollOfUserDecrypt(requestId, job, std::move(shares));
            break;
    }
    co_return look;
}

namespace
{
plugins::EndedJobs &endedJobs()
{
    return pluginFor<plugins::Store>().endedJobs();
}

// What a job came to does not change any more; that some of its answer can not be read may.
bool isFinal(const Look &look)
{
    return look.status &&
           (look.answer.status == drogon::k200OK ||
            (core::isTerminal(*look.status) && *look.status != core::Status::Completed));
}

Task<HttpResponsePtr> show(HttpRequestPtr http, core::JobId job, Kind kind)
{
    const std::string &requestId = filters::requestIdOf(http);
    Look look = co_await lookAt(job, kind, requestId);
    if (auto stencil = isFinal(look) ? wire::stencilOf(look.answer, requestId) : std::nullopt)
    {
        endedJobs().keep(job, kind, std::move(*stencil));
    }
    co_return respond(http, std::move(look.answer));
}
}  // namespace

Task<HttpResponsePtr> pollJob(HttpRequestPtr http, std::string jobId, Kind kind)
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
    if (const auto ended = endedJobs().find(*id, kind))
    {
        co_return respond(http, wire::answerFrom(*ended, filters::requestIdOf(http)));
    }
    co_return co_await guarded(http, show(http, *id, kind));
}
}  // namespace relayer::controllers
