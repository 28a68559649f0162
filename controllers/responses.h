// From the answers of wire/ to HTTP responses, and from the errors of the stores to answers.
// Functions without state; any thread.
#pragma once

#include "filters/json_response.h"
#include "wire/envelope.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <string>

namespace relayer::controllers
{
using filters::jsonResponse;

// With X-Request-ID, and Retry-After where the answer has one.
[[nodiscard]] drogon::HttpResponsePtr respond(const drogon::HttpRequestPtr &request,
                                              wire::Answer answer);
[[nodiscard]] drogon::HttpResponsePtr respond(const drogon::HttpRequestPtr &request,
                                              const wire::Problem &problem);

// Runs the work of a handler and turns what it throws into our envelope; what was thrown goes to
// the log only. A store may resume its caller on the database's loop, so the response is handed
// back on the loop of the connection.
drogon::Task<drogon::HttpResponsePtr> guarded(drogon::HttpRequestPtr request,
                                              drogon::Task<drogon::HttpResponsePtr> work);
}  // namespace relayer::controllers
