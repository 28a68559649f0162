// Who asks, as far as limits and idempotency keys tell clients apart: by the key that they show, if
// the operator names a header that the proxy in front has checked, else by their address. Behind
// proxies that are trusted, the address is the one that they tell (Drogon's RealIpResolver, which
// `http.trusted_proxies` lists).
#pragma once

#include <drogon/HttpRequest.h>

#include <string>

namespace relayer::filters
{
// Where the request comes from, as text.
[[nodiscard]] std::string addressOf(const drogon::HttpRequestPtr &request);

// A name for the client. Not its key, which nobody but the proxy needs to know.
[[nodiscard]] std::string clientOf(const drogon::HttpRequestPtr &request,
                                   const std::string &keyHeader);
}  // namespace relayer::filters
