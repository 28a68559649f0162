// A response with a body of JSON, as all of ours are. A function without state; any thread.
#pragma once

#include <drogon/HttpResponse.h>

#include <string>

namespace relayer::filters
{
[[nodiscard]] drogon::HttpResponsePtr jsonResponse(int status, std::string body);
}  // namespace relayer::filters
