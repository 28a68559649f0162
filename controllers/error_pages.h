// What a client gets that meets no route of ours: our JSON envelope for every path, method and
// malformed request that Drogon turns away by itself. Installed by our own program; an application
// that embeds the module keeps its own pages.
//
// What Drogon answers before it has a request can not be caught and has no body: text that is not
// HTTP (400), an unknown method token (405), a body of more than twice http.max_body (413).
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

namespace relayer::controllers
{
// Before app().run(). Also takes files off the air: Drogon would serve those of the folder that the
// program was started in.
void installErrorPages();

[[nodiscard]] drogon::HttpResponsePtr errorPage(drogon::HttpStatusCode code,
                                                const drogon::HttpRequestPtr &request);
}  // namespace relayer::controllers
