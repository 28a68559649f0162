#include "controllers/public_decrypt_controller.h"

#include "controllers/host_chains.h"
#include "controllers/idempotency.h"
#include "controllers/jobs.h"
#include "controllers/polls.h"
#include "controllers/responses.h"
#include "core/decrypt.h"
#include "wire/decrypt_requests.h"

#include <utility>
#include <variant>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
Task<HttpResponsePtr> admit(HttpRequestPtr request, core::PublicDecrypt decrypt)
{
    models::NewRequest row;
    row.kind = core::Kind::PublicDecrypt;
    row.jobId = newJobId();
    row.contentHash = core::contentHash(decrypt);
    row.payload = core::encodePayload(decrypt);
    co_return co_await admitUnderItsKey(std::move(request), std::move(row));
}
}  // namespace

Task<HttpResponsePtr> PublicDecryptController::post(HttpRequestPtr request)
{
    if (const auto problem = bodyProblem(request))
    {
        co_return respond(request, *problem);
    }
    auto read = wire::readPublicDecrypt(request->body(), requestLimits());
    if (const auto *problem = std::get_if<wire::Problem>(&read))
    {
        co_return respond(request, *problem);
    }
    auto decrypt = std::get<core::PublicDecrypt>(std::move(read));
    if (const auto problem = chainProblem(decrypt))
    {
        co_return respond(request, *problem);
    }
    co_return co_await guarded(request, admit(request, std::move(decrypt)));
}

Task<HttpResponsePtr> PublicDecryptController::poll(HttpRequestPtr request, std::string jobId)
{
    co_return co_await pollJob(std::move(request), std::move(jobId), core::Kind::PublicDecrypt);
}
}  // namespace relayer::controllers
