// The id under which a request is spoken of: the client's X-Request-ID when it is a sane token,
// else one of our own. It stays the same for the life of the request, so that header, body and log
// agree.
//
// Kept in the attributes of the request. To be asked on the request's own loop first; after that
// any thread may.
#pragma once

#include <drogon/HttpRequest.h>

#include <string>

namespace relayer::filters
{
[[nodiscard]] const std::string &requestIdOf(const drogon::HttpRequestPtr &request);
}  // namespace relayer::filters
