// From the data of a page to its response: the frame around it, and the headers that keep it to
// itself. Functions without state; any thread.
#pragma once

#include "views/pages.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include <any>
#include <string>

namespace relayer::controllers
{
// The frame of a page for who is logged in, or for nobody.
[[nodiscard]] views::Frame frameFor(const drogon::HttpRequestPtr &request, std::string title,
                                    std::string current = {});

// `view` is the name of a template in views/.
[[nodiscard]] drogon::HttpResponsePtr consolePage(const std::string &view, views::Frame frame,
                                                  std::any page, int status = drogon::k200OK);
[[nodiscard]] drogon::HttpResponsePtr consoleMessage(const drogon::HttpRequestPtr &request,
                                                     int status, std::string title,
                                                     std::string text);
// To a path of ours, said without the prefix. After a form: so that loading the page again does
// nothing again.
[[nodiscard]] drogon::HttpResponsePtr seeOther(const std::string &path);

// Of the one script and the one style that pages have.
[[nodiscard]] drogon::HttpResponsePtr consoleAsset(std::string_view type, std::string_view body);
}  // namespace relayer::controllers
