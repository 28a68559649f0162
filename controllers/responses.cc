#include "controllers/responses.h"

#include "filters/request_id.h"

#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

HttpResponsePtr respond(const HttpRequestPtr &request, wire::Answer answer)
{
    auto response = jsonResponse(answer.status, std::move(answer.body));
    response->addHeader("X-Request-ID", filters::requestIdOf(request));
    if (answer.retryAfterSeconds)
    {
        response->addHeader("Retry-After", std::to_string(*answer.retryAfterSeconds));
    }
    return response;
}

HttpResponsePtr respond(const HttpRequestPtr &request, const wire::Problem &problem)
{
    return respond(request, wire::failed(filters::requestIdOf(request), problem));
}
}  // namespace relayer::controllers
