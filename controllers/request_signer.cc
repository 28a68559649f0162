#include "controllers/request_signer.h"

#include "controllers/jobs.h"
#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "filters/trace.h"
#include "plugins/retry_after.h"
#include "plugins/signature_check.h"

#include <string>
#include <utility>

namespace relayer::controllers
{
drogon::Task<SignerOrResponse> signerOf(drogon::HttpRequestPtr http, core::UserDecrypt decrypt)
{
    using Verdict = plugins::SignatureChecker::Verdict;
    auto &checker = pluginFor<plugins::SignatureCheck>().checker();
    const Verdict verdict = co_await checker.check(std::move(decrypt), nowSeconds(),
                                                   core::traceparent(filters::traceOf(http)));
    const std::string &requestId = filters::requestIdOf(http);
    switch (verdict)
    {
        case Verdict::Proven: co_return core::Signer::Proven;
        case Verdict::Unproven: co_return core::Signer::Unproven;
        case Verdict::Refused: co_return respond(http, wire::signatureRefused());
        case Verdict::Busy:
            co_return respond(http,
                              wire::failedUntil(requestId, wire::tooManyWaiting(),
                                                plugins::RetryAfter::secondsUntilAnybodyKnows()));
        case Verdict::Unknown: break;
    }
    co_return respond(http, wire::internalError());
}
}  // namespace relayer::controllers
