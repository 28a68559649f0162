#include "controllers/open_api.h"

#include "controllers/responses.h"
#include "filters/json_response.h"
#include "filters/request_id.h"
#include "wire/join_request.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

#include <algorithm>
#include <array>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
constexpr std::array<std::string_view, 4> kOpen = {"/api/voting-config", "/api/register-validator",
                                                   "/api/pending-validators", "/api/ui-config"};

drogon::Task<HttpResponsePtr> caught(HttpRequestPtr request, drogon::Task<HttpResponsePtr> work)
{
    try
    {
        co_return co_await std::move(work);
    }
    catch (const std::exception &error)
    {
        LOG_ERROR << "step=request_failed route=" << request->matchedPathPattern()
                  << " request_id=" << filters::requestIdOf(request) << " why=" << error.what();
        co_return openProblem(drogon::k500InternalServerError, "internal error");
    }
}
}  // namespace

bool isOpen(std::string_view path)
{
    return std::find(kOpen.begin(), kOpen.end(), path) != kOpen.end();
}

HttpResponsePtr openToAll(HttpResponsePtr response)
{
    response->addHeader("Access-Control-Allow-Origin", "*");
    response->addHeader("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    response->addHeader("Access-Control-Allow-Headers", "Content-Type");
    return response;
}

HttpResponsePtr openPreflight()
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setStatusCode(drogon::k204NoContent);
    response->setContentTypeCode(drogon::CT_NONE);
    return openToAll(std::move(response));
}

HttpResponsePtr openAnswer(int status, std::string body)
{
    return openToAll(filters::jsonResponse(status, std::move(body)));
}

HttpResponsePtr openProblem(int status, std::string_view text)
{
    return openAnswer(status, wire::openError(text));
}

HttpResponsePtr votingUnavailable()
{
    return openProblem(drogon::k503ServiceUnavailable, "admin server not initialized");
}

drogon::Task<HttpResponsePtr> guardedOpen(HttpRequestPtr request,
                                          drogon::Task<HttpResponsePtr> work)
{
    return guarded(request, caught(request, std::move(work)));
}
}  // namespace relayer::controllers
