#include "controllers/admission.h"

#include "controllers/intake.h"
#include "controllers/job_rows.h"
#include "controllers/jobs.h"
#include "controllers/places.h"
#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/client.h"
#include "filters/request_id.h"
#include "filters/trace.h"
#include "plugins/client_limits.h"
#include "plugins/fail_point.h"
#include "plugins/retry_after.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
using Charge = plugins::ClientLimits::Charge;

std::string clientOf(const HttpRequestPtr &http)
{
    return filters::clientOf(http, pluginFor<plugins::ClientLimits>().keyHeader());
}

void tellLimit(const HttpResponsePtr &response, const Charge::Standing &standing,
               std::int64_t resetSeconds)
{
    response->addHeader("RateLimit-Limit", std::to_string(standing.limit));
    response->addHeader("RateLimit-Remaining", std::to_string(standing.remaining));
    response->addHeader("RateLimit-Reset", std::to_string(resetSeconds));
}

AdmissionResponse bounced(const HttpRequestPtr &http, core::Kind kind, const Charge &charge)
{
    const bool byClient = !charge.allowed();
    const auto standing = charge.standing();
    LOG_INFO << "step=bounced why=" << (byClient ? "client_limit" : "queue_full")
             << " kind=" << core::name(kind) << " " << filters::exchangeFields(http);
    wire::Answer answer = wire::failed(
        filters::requestIdOf(http), byClient ? wire::tooManyFromClient() : wire::tooManyWaiting());
    const std::int64_t wait = byClient ? std::max<std::int64_t>(1, standing->untilNext)
                                       : pluginFor<plugins::RetryAfter>().secondsUntilPlace(kind);
    answer.retryAfterSeconds = wait;
    auto response = respond(http, std::move(answer));
    if (standing)
    {
        tellLimit(response, *standing, wait);
    }
    return {std::move(response), std::nullopt};
}

AdmissionResponse accepted(const HttpRequestPtr &http, core::Kind kind,
                           const models::Admission &admission, const Charge &charge)
{
    noteAdmission(http, kind, admission);
    auto response = acceptedResponse(http, waitedFor(kind, admission));
    if (const auto standing = charge.standing())
    {
        tellLimit(response, *standing, standing->untilFull);
    }
    return {std::move(response), admission.jobId};
}
}  // namespace

Task<AdmissionResponse> admitOrJoin(HttpRequestPtr http, models::NewRequest request)
{
    const core::Kind kind = request.kind;
    if (auto paused = pausedIntake(http))
    {
        co_return AdmissionResponse{std::move(paused), std::nullopt};
    }
    Charge charge(pluginFor<plugins::ClientLimits>(), clientOf(http));
    auto places = charge.allowed() ? reservePlaces(kind) : std::nullopt;
    if (!places)
    {
        const auto standing = co_await requests().findStanding(kind, request.contentHash);
        co_return standing ? accepted(http, kind, *standing, charge) : bounced(http, kind, charge);
    }
    const models::Admission admission = co_await requests().admit(std::move(request));
    plugins::failPoint("admitted");
    if (admission.fresh)
    {
        charge.keep();
        goOn({admission.id, kind, admission.ticket}, std::move(*places));
    }
    co_return accepted(http, kind, admission, charge);
}
}  // namespace relayer::controllers
