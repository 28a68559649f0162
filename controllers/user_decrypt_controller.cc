#include "controllers/user_decrypt_controller.h"

#include "controllers/host_chains.h"
#include "controllers/idempotency.h"
#include "controllers/jobs.h"
#include "controllers/polls.h"
#include "controllers/request_signer.h"
#include "controllers/responses.h"
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
// In the order of the alternatives of core::UserDecrypt.
models::Variant variantOf(const core::UserDecrypt &decrypt)
{
    return static_cast<models::Variant>(decrypt.index());
}

Task<HttpResponsePtr> admit(HttpRequestPtr request, core::UserDecrypt decrypt)
{
    const SignerOrResponse signer = co_await signerOf(request, decrypt);
    if (const auto *refusal = std::get_if<HttpResponsePtr>(&signer))
    {
        co_return *refusal;
    }
    models::NewRequest row;
    row.kind = core::Kind::UserDecrypt;
    row.variant = variantOf(decrypt);
    row.jobId = newJobId();
    row.contentHash = core::contentHash(decrypt, std::get<core::Signer>(signer));
    row.payload = core::encodePayload(decrypt);
    co_return co_await admitUnderItsKey(std::move(request), std::move(row));
}

using Read = wire::UserDecryptRead (*)(std::string_view body, std::uint64_t now,
                                       const wire::RequestLimits &limits);

Task<HttpResponsePtr> post(HttpRequestPtr request, Read read)
{
    if (const auto problem = bodyProblem(request))
    {
        co_return respond(request, *problem);
    }
    auto outcome = read(request->body(), nowSeconds(), requestLimits());
    if (const auto *problem = std::get_if<wire::Problem>(&outcome))
    {
        co_return respond(request, *problem);
    }
    auto decrypt = std::get<core::UserDecrypt>(std::move(outcome));
    if (const auto problem = chainProblem(decrypt))
    {
        co_return respond(request, *problem);
    }
    co_return co_await guarded(request, admit(request, std::move(decrypt)));
}
}  // namespace

Task<HttpResponsePtr> UserDecryptController::direct(HttpRequestPtr request)
{
    return post(std::move(request), wire::readUserDecrypt);
}

Task<HttpResponsePtr> UserDecryptController::delegated(HttpRequestPtr request)
{
    return post(std::move(request), wire::readDelegatedUserDecrypt);
}

Task<HttpResponsePtr> UserDecryptController::unified(HttpRequestPtr request)
{
    return post(std::move(request), wire::readUnifiedUserDecrypt);
}

Task<HttpResponsePtr> UserDecryptController::poll(HttpRequestPtr request, std::string jobId)
{
    co_return co_await pollJob(std::move(request), std::move(jobId), core::Kind::UserDecrypt);
}
}  // namespace relayer::controllers
