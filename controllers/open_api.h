// Routes that pages of any origin may use. Functions without state; any thread.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <string>
#include <string_view>

namespace relayer::controllers
{
[[nodiscard]] bool isOpen(std::string_view path);
// Access-Control-*, as browsers ask for it.
drogon::HttpResponsePtr openToAll(drogon::HttpResponsePtr response);
// 204, to OPTIONS.
[[nodiscard]] drogon::HttpResponsePtr openPreflight();
[[nodiscard]] drogon::HttpResponsePtr openAnswer(int status, std::string body);
[[nodiscard]] drogon::HttpResponsePtr openProblem(int status, std::string_view text);
// Of what `voting_admin` has to be on for.
[[nodiscard]] drogon::HttpResponsePtr votingUnavailable();
// Runs the work of a route, and answers 500 for what it throws.
drogon::Task<drogon::HttpResponsePtr> guardedOpen(drogon::HttpRequestPtr request,
                                                  drogon::Task<drogon::HttpResponsePtr> work);
}  // namespace relayer::controllers
