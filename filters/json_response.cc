#include "filters/json_response.h"

#include <utility>

namespace relayer::filters
{
drogon::HttpResponsePtr jsonResponse(int status, std::string body)
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setStatusCode(static_cast<drogon::HttpStatusCode>(status));
    // As the reference has it; Drogon would add a charset, which JSON does not have.
    response->setContentTypeString("application/json");
    response->setBody(std::move(body));
    return response;
}
}  // namespace relayer::filters
