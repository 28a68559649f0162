#include "controllers/metrics_listener.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/metrics.h"

#include <drogon/HttpAppFramework.h>
#include <drogon/utils/coroutine.h>

#include <string>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
HttpResponsePtr plain(std::string body)
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setContentTypeString("text/plain; version=0.0.4; charset=utf-8");
    response->setBody(std::move(body));
    return response;
}

// Nothing: the numbers are wanted.
HttpResponsePtr answerTo(const HttpRequestPtr &request)
{
    const bool metrics = request->path() == "/metrics";
    if (!metrics && request->path() != "/health")
    {
        return respond(request, wire::nothingAtThisPath());
    }
    if (request->method() != drogon::Get && request->method() != drogon::Head)
    {
        wire::Answer answer =
            wire::failed(filters::requestIdOf(request),
                         {wire::Label::RequestError, "This path takes GET, HEAD", {}});
        answer.status = drogon::k405MethodNotAllowed;
        auto response = respond(request, std::move(answer));
        response->addHeader("Allow", "GET, HEAD");
        return response;
    }
    return metrics ? nullptr : plain(std::string());
}

drogon::Task<HttpResponsePtr> numbers()
{
    co_return plain(co_await pluginFor<plugins::Metrics>().collect());
}

drogon::AsyncTask tellNumbers(HttpRequestPtr request, drogon::AdviceCallback answer)
{
    const HttpResponsePtr response = co_await guarded(request, numbers());
    answer(response);
}

void answerHere(const HttpRequestPtr &request, drogon::AdviceCallback &&answer)
{
    if (const auto response = answerTo(request))
    {
        answer(response);
        return;
    }
    tellNumbers(request, std::move(answer));
}
}  // namespace

void installMetricsListener(std::uint16_t port)
{
    drogon::app().registerPreRoutingAdvice([port](const HttpRequestPtr &request,
                                                  drogon::AdviceCallback &&answer,
                                                  drogon::AdviceChainCallback &&go) {
        request->localAddr().toPort() == port ? answerHere(request, std::move(answer)) : go();
    });
}
}  // namespace relayer::controllers
