#include "controllers/console_login_controller.h"

#include "controllers/console_page.h"
#include "filters/admin_access.h"
#include "filters/client.h"
#include "views/assets.h"
#include "wire/admin.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using filters::AdminAccess;
using filters::ConsoleSession;

namespace
{
HttpResponsePtr letIn(const HttpRequestPtr &request, const std::string &name)
{
    auto response = seeOther(ConsoleSession::pathAfterLogin(request->getParameter("next")));
    ConsoleSession::begin(request, response, wire::isSaneAdminName(name) ? name : "admin");
    return response;
}

HttpResponsePtr loginPage(const HttpRequestPtr &request, bool wrong)
{
    return consolePage("login", frameFor(request, "Log in"),
                       views::LoginPage{request->getParameter("next"), wrong},
                       wrong ? drogon::k403Forbidden : drogon::k200OK);
}

HttpResponsePtr asset(const HttpRequestPtr &request, std::string_view type, std::string_view body)
{
    auto closed = AdminAccess::closed(request);
    return closed ? closed : consoleAsset(type, body);
}
}  // namespace

Task<HttpResponsePtr> ConsoleLoginController::form(HttpRequestPtr request)
{
    if (auto closed = AdminAccess::closed(request))
    {
        co_return closed;
    }
    co_return AdminAccess::needsToken() ? loginPage(request, false) : letIn(request, "");
}

Task<HttpResponsePtr> ConsoleLoginController::logIn(HttpRequestPtr request)
{
    if (auto closed = AdminAccess::closed(request))
    {
        co_return closed;
    }
    if (ConsoleSession::isOfAnotherSite(request) ||
        !AdminAccess::allows(request->getParameter("token")))
    {
        LOG_WARN << "step=console_login_refused client=" << filters::clientOf(request, "");
        co_return loginPage(request, true);
    }
    LOG_INFO << "step=console_login client=" << filters::clientOf(request, "");
    co_return letIn(request, request->getParameter("name"));
}

Task<HttpResponsePtr> ConsoleLoginController::logOut(HttpRequestPtr)
{
    auto response = seeOther("/console/login");
    ConsoleSession::end(response);
    co_return response;
}

Task<HttpResponsePtr> ConsoleLoginController::style(HttpRequestPtr request)
{
    co_return asset(request, "text/css; charset=utf-8", views::consoleStyle());
}

Task<HttpResponsePtr> ConsoleLoginController::script(HttpRequestPtr request)
{
    co_return asset(request, "text/javascript; charset=utf-8", views::consoleScript());
}

Task<HttpResponsePtr> ConsoleLoginController::icon(HttpRequestPtr request)
{
    co_return asset(request, "image/svg+xml", views::consoleIcon());
}
}  // namespace relayer::controllers
