// Whether anything new is taken in: operators may pause that, for all instances at once. A function
// without state; any thread.
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

namespace relayer::controllers
{
// 503 and when to come again, while it is paused; else null.
[[nodiscard]] drogon::HttpResponsePtr pausedIntake(const drogon::HttpRequestPtr &request);
}  // namespace relayer::controllers
