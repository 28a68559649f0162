#include "controllers/input_proof_controller.h"

#include "controllers/idempotency.h"
#include "controllers/jobs.h"
#include "controllers/polls.h"
#include "controllers/responses.h"
#include "core/input_proof.h"
#include "wire/input_proof_request.h"

#include <utility>
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
}  // namespace

Task<HttpResponsePtr> InputProofController::post(HttpRequestPtr request)
{
    if (const auto problem = bodyProblem(request))
    {
        co_return respond(request, *problem);
    }
    auto read = wire::readInputProof(request->body(), requestLimits());
    if (const auto *problem = std::get_if<wire::Problem>(&read))
    {
        co_return respond(request, *problem);
    }
    co_return co_await guarded(request,
                               admit(request, std::get<core::InputProof>(std::move(read))));
}

Task<HttpResponsePtr> InputProofController::poll(HttpRequestPtr request, std::string jobId)
{
    co_return co_await pollJob(std::move(request), std::move(jobId), core::Kind::InputProof);
}
}  // namespace relayer::controllers
