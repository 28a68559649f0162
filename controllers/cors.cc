#include "controllers/cors.h"

#include "controllers/routes.h"

#include <drogon/HttpAppFramework.h>

#include <algorithm>
#include <memory>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
// What the SDKs send, and what we understand.
constexpr const char *kRequestHeaders =
    "content-type, authorization, x-api-key, zama-sdk-name, zama-sdk-version, x-request-id, "
    "idempotency-key, prefer, last-event-id";
// Without this a script reads Retry-After as missing, and polls blindly.
constexpr const char *kExposed =
    "Retry-After, X-Request-ID, Location, Age, Preference-Applied, RateLimit-Limit, "
    "RateLimit-Remaining, RateLimit-Reset";
constexpr const char *kPreflightMayBeKept = "600";

using Origins = std::shared_ptr<const std::vector<std::string>>;

// What Access-Control-Allow-Origin says to this request; empty: nothing.
std::string allowedOrigin(const Origins &origins, const HttpRequestPtr &request)
{
    const std::string &origin = request->getHeader("origin");
    if (origin.empty())
    {
        return "";
    }
    if (origins->front() == "*")
    {
        return "*";
    }
    const bool known = std::find(origins->begin(), origins->end(), origin) != origins->end();
    return known ? origin : "";
}

bool isPreflight(const HttpRequestPtr &request)
{
    return request->method() == drogon::Options && !request->getHeader("origin").empty() &&
           !request->getHeader("access-control-request-method").empty();
}

void allow(const Origins &origins, const HttpRequestPtr &request, const HttpResponsePtr &response)
{
    if (origins->front() != "*")
    {
        response->addHeader("Vary", "Origin");
    }
    if (const std::string origin = allowedOrigin(origins, request); !origin.empty())
    {
        response->addHeader("Access-Control-Allow-Origin", origin);
        response->addHeader("Access-Control-Expose-Headers", kExposed);
    }
}

// To an origin that is not allowed the same without the permission: the browser says why.
HttpResponsePtr preflightAnswer(const std::string &methods)
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setStatusCode(drogon::k204NoContent);
    response->setContentTypeCode(drogon::CT_NONE);
    response->addHeader("Access-Control-Allow-Methods", methods);
    response->addHeader("Access-Control-Allow-Headers", kRequestHeaders);
    response->addHeader("Access-Control-Max-Age", kPreflightMayBeKept);
    return response;
}
}  // namespace

void installCors(std::vector<std::string> allowedOrigins)
{
    if (allowedOrigins.empty())
    {
        return;
    }
    const auto origins =
        std::make_shared<const std::vector<std::string>>(std::move(allowedOrigins));
    drogon::app()
        .registerPreRoutingAdvice([](const HttpRequestPtr &request, drogon::AdviceCallback &&answer,
                                     drogon::AdviceChainCallback &&go) {
            const std::string methods =
                isPreflight(request) ? methodsOf(request->path()) : std::string();
            methods.empty() ? go() : answer(preflightAnswer(methods));
        })
        .registerPreSendingAdvice(
            [origins](const HttpRequestPtr &request, const HttpResponsePtr &response) {
                allow(origins, request, response);
            });
}
}  // namespace relayer::controllers
