// The files of a single-page application (`voting_admin.ui_folder`), where no route is: what there
// is below the folder, and for any other page the application itself. Never for paths that belong
// to programs, so that those get no HTML. Part of our program.
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include <string>

namespace relayer::controllers
{
// Null: it is none of the application's business. `folder` empty: there is none.
[[nodiscard]] drogon::HttpResponsePtr uiFile(const drogon::HttpRequestPtr &request,
                                             const std::string &folder);
}  // namespace relayer::controllers
