#include "controllers/health_controller.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "plugins/drain.h"
#include "plugins/health_checks.h"
#include "plugins/retry_after.h"
#include "wire/service.h"

#include <cstdlib>
#include <string>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
std::string serviceName()
{
    // Read before any thread of ours runs. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char *const given = std::getenv("APP_NAME");
    return given != nullptr && *given != '\0' ? given : "relayer-service";
}
}  // namespace

HealthController::HealthController() : name_(serviceName()) {}

Task<HttpResponsePtr> HealthController::liveness(HttpRequestPtr)
{
    co_return jsonResponse(drogon::k200OK, wire::liveness());
}

Task<HttpResponsePtr> HealthController::health(HttpRequestPtr)
{
    auto dependencies = pluginFor<plugins::HealthChecks>().dependencies();
    if (pluginFor<plugins::Drain>().draining())
    {
        // Who sends requests here is to send them elsewhere from now on.
        dependencies.push_back({"instance", false});
    }
    if (wire::allHealthy(dependencies))
    {
        co_return jsonResponse(drogon::k200OK, wire::health(dependencies));
    }
    auto response = jsonResponse(drogon::k503ServiceUnavailable, wire::health(dependencies));
    response->addHeader("Retry-After",
                        std::to_string(plugins::RetryAfter::secondsUntilAnybodyKnows()));
    co_return response;
}

Task<HttpResponsePtr> HealthController::version(HttpRequestPtr)
{
    co_return jsonResponse(drogon::k200OK, wire::version(name_, wire::buildInfo()));
}
}  // namespace relayer::controllers
