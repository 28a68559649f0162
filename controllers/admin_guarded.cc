// What happens around the work of an admin route. A part of admin_answers.h.
#include "controllers/admin_answers.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "models/store_error.h"
#include "plugins/retry_after.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
Task<HttpResponsePtr> withOurErrors(HttpRequestPtr request, Task<HttpResponsePtr> work)
{
    try
    {
        co_return co_await std::move(work);
    }
    catch (const models::StoreError &error)
    {
        LOG_WARN << "step=admin_request_failed request_id=" << filters::requestIdOf(request)
                 << " why=" << error.what();
    }
    auto response = adminRefusal(request, drogon::k503ServiceUnavailable,
                                 "The database can not be reached; whether anything was changed "
                                 "is not known: look, and try again");
    response->addHeader("Retry-After",
                        std::to_string(plugins::RetryAfter::secondsUntilAnybodyKnows()));
    co_return response;
}
}  // namespace

Task<HttpResponsePtr> adminGuarded(HttpRequestPtr request, Task<HttpResponsePtr> work)
{
    co_return co_await guarded(request, withOurErrors(request, std::move(work)));
}
}  // namespace relayer::controllers
