#include "controllers/key_url_controller.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/key_url.h"
#include "plugins/retry_after.h"

#include <string>
#include <utility>

namespace relayer::controllers
{
drogon::Task<drogon::HttpResponsePtr> KeyUrlController::get(drogon::HttpRequestPtr request)
{
    auto told = pluginFor<plugins::KeyUrl>().told();
    if (!told)
    {
        co_return respond(request,
                          wire::failedUntil(filters::requestIdOf(request), wire::keysUnknown(),
                                            plugins::RetryAfter::secondsUntilAnybodyKnows()));
    }
    auto response = jsonResponse(drogon::k200OK, std::move(told->body));
    response->addHeader("X-Request-ID", filters::requestIdOf(request));
    response->addHeader("Age", std::to_string(told->age.count()));
    co_return response;
}
}  // namespace relayer::controllers
