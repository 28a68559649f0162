#include "controllers/intake.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "filters/trace.h"
#include "plugins/retry_after.h"
#include "plugins/runtime_settings.h"

#include <trantor/utils/Logger.h>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

HttpResponsePtr pausedIntake(const HttpRequestPtr &request)
{
    const auto values = pluginFor<plugins::RuntimeSettings>().values();
    const auto state = values->intakePaused() ? values->state() : nullptr;
    if (!state || !state->intake)
    {
        return nullptr;
    }
    const std::string &requestId = filters::requestIdOf(request);
    LOG_INFO << "step=bounced why=intake_paused " << filters::exchangeFields(request);
    const auto told = static_cast<std::int64_t>(state->intake->retryAfterSeconds);
    return respond(request, wire::failedUntil(
                                requestId, wire::intakePaused(),
                                told > 0 ? told : plugins::RetryAfter::secondsUntilAnybodyKnows()));
}
}  // namespace relayer::controllers
