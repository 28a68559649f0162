// The answers of the event streams that are not events. Functions without state; any thread.
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

namespace relayer::controllers
{
// With what makes proxies and browsers take it for a stream.
[[nodiscard]] drogon::HttpResponsePtr asEvents(const drogon::HttpRequestPtr &http,
                                               drogon::HttpResponsePtr response);
// 204: there is nothing more, do not come back.
[[nodiscard]] drogon::HttpResponsePtr noMoreEvents(const drogon::HttpRequestPtr &http);
// 503.
[[nodiscard]] drogon::HttpResponsePtr tooManyStreams(const drogon::HttpRequestPtr &http);

// Whether Drogon will close the connection behind the answer: then it has no stream to give.
[[nodiscard]] bool closesBehindAnswer(const drogon::HttpRequestPtr &http);
}  // namespace relayer::controllers
