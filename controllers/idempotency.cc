#include "controllers/idempotency.h"

#include "controllers/admission.h"
#include "controllers/job_rows.h"
#include "controllers/jobs.h"
#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/client.h"
#include "plugins/client_limits.h"
#include "plugins/resumed_on.h"
#include "plugins/store.h"

#include <algorithm>
#include <string>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using models::IdempotencyStore;

namespace
{
constexpr std::size_t kLongest = 255;

bool isSane(const std::string &key)
{
    return key.size() <= kLongest &&
           std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
}

Task<HttpResponsePtr> admitClaimed(HttpRequestPtr http, models::NewRequest request,
                                   IdempotencyStore::Key key)
{
    const auto keys = pluginFor<plugins::Store>().idempotency();
    const core::ContentHash content = request.contentHash;
    auto *const loop = trantor::EventLoop::getEventLoopOfCurrentThread();
    // Back on our own loop: what waits in the store is resumed where it waited, and a loop of the
    // database ends with its connections when they are replaced.
    const IdempotencyStore::Claim claim =
        co_await plugins::resumedOn(loop, keys->claim(key, content));
    if (claim.otherContent)
    {
        co_return respond(http, wire::idempotencyKeyReused());
    }
    if (claim.job)
    {
        const auto poll = co_await requests().poll(*claim.job);
        plugins::RetryAfter::Job job;
        job.jobId = *claim.job;
        co_return acceptedResponse(http, poll ? waitedFor({*poll}) : job);
    }
    const AdmissionResponse admitted = co_await admitOrJoin(http, std::move(request));
    // When this fails, the answer is 503 and the client comes again: its content joins the job.
    if (admitted.job)
    {
        co_await keys->bind(std::move(key), content, *admitted.job);
    }
    else
    {
        co_await keys->release(std::move(key), content);
    }
    co_return admitted.response;
}
}  // namespace

Task<HttpResponsePtr> admitUnderItsKey(HttpRequestPtr http, models::NewRequest request)
{
    const std::string &given = http->getHeader("idempotency-key");
    if (given.empty())
    {
        const AdmissionResponse admitted = co_await admitOrJoin(http, std::move(request));
        co_return admitted.response;
    }
    if (!isSane(given))
    {
        co_return respond(http, wire::malformedIdempotencyKey());
    }
    IdempotencyStore::Key key;
    key.client = filters::clientOf(http, pluginFor<plugins::ClientLimits>().keyHeader());
    key.key = given;
    co_return co_await admitClaimed(http, std::move(request), std::move(key));
}
}  // namespace relayer::controllers
