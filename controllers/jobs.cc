#include "controllers/jobs.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/random_bytes.h"
#include "filters/request_id.h"
#include "filters/trace.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <chrono>
#include <tuple>

namespace relayer::controllers
{
namespace
{
const config::Settings &settings()
{
    return plugins::Settings::lastStarted();
}
}  // namespace

models::RequestStore &requests()
{
    return pluginFor<plugins::Store>().requests();
}

core::JobId newJobId()
{
    return core::JobId::fromRandom(filters::randomBytes<std::tuple_size_v<core::JobId::Raw>>());
}

std::optional<wire::Problem> bodyProblem(const drogon::HttpRequestPtr &request)
{
    const std::uint64_t limit = settings().http.maxBody;
    return request->body().size() > limit ? std::optional(wire::bodyTooLarge(limit)) : std::nullopt;
}

wire::RequestLimits requestLimits()
{
    wire::RequestLimits limits;
    limits.handles = settings().http.maxHandles;
    limits.contracts = settings().http.maxContracts;
    return limits;
}

std::uint64_t nowSeconds()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

void noteAdmission(const drogon::HttpRequestPtr &request, core::Kind kind,
                   const models::Admission &admission)
{
    pluginFor<plugins::Store>().milestones()->admitted(
        admission, kind, filters::requestIdOf(request), filters::traceOf(request),
        filters::sinceItCame(request));
}

drogon::HttpResponsePtr acceptedResponse(const drogon::HttpRequestPtr &request,
                                         const plugins::RetryAfter::Job &job)
{
    const std::int64_t wait = pluginFor<plugins::RetryAfter>().tellPost(job);
    auto response =
        respond(request, wire::accepted(filters::requestIdOf(request), job.jobId, wait));
    response->addHeader("Location", request->path() + "/" + job.jobId.text());
    return response;
}
}  // namespace relayer::controllers
