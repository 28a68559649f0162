#include "controllers/input_proof_controller.h"

#include "controllers/error_pages.h"
#include "controllers/idempotency.h"
#include "controllers/jobs.h"
#include "controllers/responses.h"
#include "core/input_proof.h"
#include "filters/request_id.h"
#include "wire/input_proof_request.h"
#include "wire/job.h"

#include <variant>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
Task<HttpResponsePtr> admit(HttpRequestPtr request, core::InputProof proof)
{
    models::NewRequest row;
    row.kind = core::Kind::InputProof;
    row.jobId = newJobId();
    row.contentHash = core::contentHash(proof);
    row.payload = core::encodePayload(proof);
    co_return co_await admitUnderItsKey(std::move(request), std::move(row));
}

Task<HttpResponsePtr> show(HttpRequestPtr request, core::JobId jobId)
{
    const auto poll = co_await requests().poll(jobId);
    if (!poll || kindOf(poll->row) != core::Kind::InputProof)
    {
        co_return respond(request, wire::unknownRequest());
    }
    const wire::Job job = jobOf(*poll);
    co_return respond(request, wire::pollOfInputProof(filters::requestIdOf(request), job));
}
}  // namespace

Task<HttpResponsePtr> InputProofController::post(HttpRequestPtr request)
{
    if (const auto problem = bodyProblem(request))
    {
        co_return respond(request, *problem);
    }
    auto read = wire::readInputProof(request->body());
    if (const auto *problem = std::get_if<wire::Problem>(&read))
    {
        co_return respond(request, *problem);
    }
    co_return co_await guarded(request,
                               admit(request, std::get<core::InputProof>(std::move(read))));
}

Task<HttpResponsePtr> InputProofController::poll(HttpRequestPtr request, std::string jobId)
{
    if (jobId.empty())
    {
        co_return errorPage(drogon::k404NotFound, request);
    }
    const auto id = core::JobId::parse(jobId);
    if (!id)
    {
        co_return respond(request, wire::malformedJobId());
    }
    co_return co_await guarded(request, show(request, *id));
}
}  // namespace relayer::controllers
