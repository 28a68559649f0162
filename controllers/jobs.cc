#include "controllers/jobs.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <drogon/utils/Utilities.h>

#include <stdexcept>

namespace relayer::controllers
{
namespace
{
const config::Settings &settings()
{
    return plugins::Settings::lastStarted();
}

}  // namespace

std::int64_t retryAfterSeconds()
{
    return static_cast<std::int64_t>(settings().http.retryAfterSeconds);
}

models::RequestStore &requests()
{
    return pluginFor<plugins::Store>().requests();
}

core::JobId newJobId()
{
    core::JobId::Raw random{};
    if (!drogon::utils::secureRandomBytes(random.data(), random.size()))
    {
        throw std::runtime_error("the system has no random bytes");
    }
    return core::JobId::fromRandom(random);
}

std::optional<wire::Problem> bodyProblem(const drogon::HttpRequestPtr &request)
{
    const std::uint64_t limit = settings().http.maxBody;
    return request->body().size() > limit ? std::optional(wire::bodyTooLarge(limit)) : std::nullopt;
}

void logAdmission(const drogon::HttpRequestPtr &request, core::Kind kind,
                  const models::Admission &admission)
{
    LOG_INFO << "step=" << (admission.fresh ? "admitted" : "joined") << " kind=" << core::name(kind)
             << " job_id=" << admission.jobId.text()
             << " request_id=" << filters::requestIdOf(request);
}

drogon::HttpResponsePtr acceptedResponse(const drogon::HttpRequestPtr &request,
                                         const core::JobId &jobId)
{
    const std::string &requestId = filters::requestIdOf(request);
    auto response = respond(request, wire::accepted(requestId, jobId, retryAfterSeconds()));
    response->addHeader("Location", request->path() + "/" + jobId.text());
    return response;
}

std::optional<core::Kind> kindOf(const models::RequestRow &row)
{
    return core::parseKind(row.getValueOfKind());
}

wire::Job jobOf(const models::Poll &poll)
{
    const models::RequestRow &row = poll.row;
    wire::Job job;
    job.id = core::JobId::parse(row.getValueOfJobId()).value_or(core::JobId());
    job.status = core::parseStatus(row.getValueOfStatus()).value_or(core::Status::Failure);
    job.etaSeconds = retryAfterSeconds();
    job.elapsedSeconds = poll.secondsInStatus;
    if (row.getAccepted())
    {
        job.accepted = row.getValueOfAccepted();
    }
    if (row.getErrorCode())
    {
        job.failure = core::parseFailureCode(row.getValueOfErrorCode());
    }
    if (poll.result)
    {
        job.result = *poll.result;
    }
    return job;
}
}  // namespace relayer::controllers
