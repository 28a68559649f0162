// What happens around the work for a page. A part of console_page.h.
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <string>

namespace relayer::controllers
{
// Like guarded(), but what goes wrong is said as a page.
drogon::Task<drogon::HttpResponsePtr> shown(drogon::HttpRequestPtr request,
                                            drogon::Task<drogon::HttpResponsePtr> work);

// Who acts, for the audit.
[[nodiscard]] std::string actorAt(const drogon::HttpRequestPtr &request);

[[nodiscard]] drogon::HttpResponsePtr noSuchRequest(const drogon::HttpRequestPtr &request);
}  // namespace relayer::controllers
