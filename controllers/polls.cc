#include "controllers/polls.h"

#include "controllers/error_pages.h"
#include "controllers/jobs.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "models/request_store.h"
#include "plugins/settings.h"
#include "wire/job.h"

#include <algorithm>
#include <utility>

namespace relayer::controllers
{
using core::Kind;
using core::Status;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
// None before the end: they say nothing, and may be megabytes.
Task<wire::Shares> sharesOf(const models::RequestRow &row, Status status)
{
    wire::Shares shares;
    if (status != Status::Completed || !row.getGatewayId())
    {
        co_return shares;
    }
    const auto threshold = row.getResolvedThreshold();
    shares.threshold = threshold
                           ? static_cast<std::size_t>(std::max(*threshold, 0))
                           : plugins::Settings::lastStarted().gateway.userDecryptSharesThreshold;
    models::GatewayId id{};
    const auto &stored = *row.getGatewayId();
    std::copy_n(stored.begin(), std::min(stored.size(), id.size()), id.begin());
    shares.arrived = co_await requests().firstShares(id, shares.threshold);
    co_return shares;
}
}  // namespace

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
Task<HttpResponsePtr> show(HttpRequestPtr http, core::JobId job, Kind kind)
{
    Look look = co_await lookAt(job, kind, filters::requestIdOf(http));
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
    co_return co_await guarded(http, show(http, *id, kind));
}
}  // namespace relayer::controllers
