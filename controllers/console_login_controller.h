// The way into the console and out of it, and what even the login needs: style, script, icon.
// Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"
#include "filters/console_session.h"

namespace relayer::controllers
{
class ConsoleLoginController : public Mounted<ConsoleLoginController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(ConsoleLoginController::form, "/console/login", drogon::Get);
    ADD_METHOD_TO(ConsoleLoginController::logIn, "/console/login", drogon::Post);
    ADD_METHOD_TO(ConsoleLoginController::logOut, "/console/logout", drogon::Post,
                  filters::kConsoleOnly);
    ADD_METHOD_TO(ConsoleLoginController::style, "/console/console.css", drogon::Get);
    ADD_METHOD_TO(ConsoleLoginController::script, "/console/console.js", drogon::Get);
    ADD_METHOD_TO(ConsoleLoginController::icon, "/console/icon.svg", drogon::Get);
    METHOD_LIST_END

    using Answer = drogon::Task<drogon::HttpResponsePtr>;
    Answer form(drogon::HttpRequestPtr request);
    Answer logIn(drogon::HttpRequestPtr request);
    Answer logOut(drogon::HttpRequestPtr request);
    Answer style(drogon::HttpRequestPtr request);
    Answer script(drogon::HttpRequestPtr request);
    Answer icon(drogon::HttpRequestPtr request);
};
}  // namespace relayer::controllers
