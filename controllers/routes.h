// Which methods a path takes, asked of Drogon's own table of routes.
#pragma once

#include <drogon/HttpTypes.h>

#include <string>
#include <string_view>

namespace relayer::controllers
{
// As in an Allow header; empty when nothing is at this path. For use once the server runs: routes
// do not change then.
[[nodiscard]] std::string methodsOf(std::string_view path);

[[nodiscard]] bool takesMethod(std::string_view path, drogon::HttpMethod method);

// Whether a path is one of those that a pattern such as /v2/input-proof/{job_id} stands for.
// Parameters are not empty; upper and lower case are alike, as in Drogon's router.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view path);
}  // namespace relayer::controllers
