#include "controllers/console_page.h"

#include "filters/admin_access.h"
#include "filters/console_session.h"
#include "filters/mount_point.h"
#include "plugins/settings.h"
#include "wire/build_info.h"

#include <drogon/DrTemplateBase.h>
#include <trantor/utils/Date.h>

#include <stdexcept>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
void keepToItself(const HttpResponsePtr &response)
{
    response->addHeader("Content-Security-Policy",
                        "default-src 'none'; style-src 'self'; script-src 'self'; "
                        "connect-src 'self'; img-src 'self'; form-action 'self'; "
                        "base-uri 'none'; frame-ancestors 'none'");
    response->addHeader("X-Content-Type-Options", "nosniff");
    response->addHeader("X-Frame-Options", "DENY");
    response->addHeader("Referrer-Policy", "same-origin");
    response->addHeader("Cross-Origin-Opener-Policy", "same-origin");
}
}  // namespace

views::Frame frameFor(const HttpRequestPtr &request, std::string title, std::string current)
{
    views::Frame frame;
    frame.title = std::move(title);
    frame.instance = plugins::Settings::lastStarted().instance.name;
    frame.version = wire::buildInfo().version;
    frame.needsToken = filters::AdminAccess::needsToken();
    frame.now = std::chrono::milliseconds(trantor::Date::now().microSecondsSinceEpoch() / 1000);
    if (const auto loggedIn = filters::ConsoleSession::of(request))
    {
        frame.current = std::move(current);
        frame.operatorName = loggedIn->name;
        frame.csrf = loggedIn->formToken;
    }
    return frame;
}

HttpResponsePtr consolePage(const std::string &view, views::Frame frame, std::any page, int status)
{
    drogon::HttpViewData data;
    data.insert("frame", std::any(std::move(frame)));
    data.insert("page", std::move(page));
    const auto made = drogon::DrTemplateBase::newTemplate("relayer::views::" + view);
    if (!made)
    {
        throw std::logic_error("there is no view " + view);
    }
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setStatusCode(static_cast<drogon::HttpStatusCode>(status));
    response->setContentTypeString("text/html; charset=utf-8");
    response->addHeader("Cache-Control", "no-store");
    keepToItself(response);
    response->setBody(filters::withMountedLinks(made->genText(data)));
    return response;
}

HttpResponsePtr consoleMessage(const HttpRequestPtr &request, int status, std::string title,
                               std::string text)
{
    return consolePage("message", frameFor(request, std::move(title), " "),
                       views::MessagePage{std::move(text)}, status);
}

HttpResponsePtr seeOther(const std::string &path)
{
    return drogon::HttpResponse::newRedirectionResponse(filters::mounted(path),
                                                        drogon::k303SeeOther);
}

HttpResponsePtr consoleAsset(std::string_view type, std::string_view body)
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setContentTypeString(std::string(type));
    response->addHeader("Cache-Control", "max-age=300");
    keepToItself(response);
    response->setBody(std::string(body));
    return response;
}
}  // namespace relayer::controllers
