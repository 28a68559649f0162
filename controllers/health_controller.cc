#include "controllers/health_controller.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "plugins/health_checks.h"
#include "wire/service.h"

#include <cstdlib>

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
    const auto dependencies = pluginFor<plugins::HealthChecks>().dependencies();
    co_return jsonResponse(
        wire::allHealthy(dependencies) ? drogon::k200OK : drogon::k503ServiceUnavailable,
        wire::health(dependencies));
}

Task<HttpResponsePtr> HealthController::version(HttpRequestPtr)
{
    co_return jsonResponse(drogon::k200OK, wire::version(name_, wire::buildInfo()));
}
}  // namespace relayer::controllers
