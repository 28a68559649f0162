#include "controllers/event_responses.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/drain.h"
#include "plugins/retry_after.h"

#include <string>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

HttpResponsePtr asEvents(const HttpRequestPtr &http, HttpResponsePtr response)
{
    response->setContentTypeString("text/event-stream");
    response->addHeader("Cache-Control", "no-store");
    // nginx would hold events back until it has a page full of them.
    response->addHeader("X-Accel-Buffering", "no");
    response->addHeader("X-Request-ID", filters::requestIdOf(http));
    return response;
}

HttpResponsePtr noMoreEvents(const HttpRequestPtr &http)
{
    auto response = drogon::HttpResponse::newHttpResponse(drogon::k204NoContent, drogon::CT_NONE);
    response->addHeader("X-Request-ID", filters::requestIdOf(http));
    return response;
}

HttpResponsePtr tooManyStreams(const HttpRequestPtr &http)
{
    wire::Answer answer = wire::failed(filters::requestIdOf(http), wire::tooManyStreams());
    answer.retryAfterSeconds = plugins::RetryAfter::secondsUntilAnybodyKnows();
    return respond(http, std::move(answer));
}

bool closesBehindAnswer(const HttpRequestPtr &http)
{
    return http->getVersion() != drogon::Version::kHttp11 ||
           pluginFor<plugins::Drain>().draining() ||
           http->getHeader("connection").find("close") != std::string::npos;
}
}  // namespace relayer::controllers
