#include "controllers/console_settings_controller.h"

#include "controllers/admin_answers.h"
#include "controllers/console_page.h"
#include "controllers/console_settings.h"
#include "controllers/console_work.h"
#include "filters/admin_access.h"
#include "views/notices.h"

#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
// What was typed, and why it was not taken, if it was not.
Task<HttpResponsePtr> settingsWith(HttpRequestPtr request, std::string name, std::string wrong)
{
    auto page = co_await settingsPage(request);
    for (views::SettingLine &line : page.settings)
    {
        if (!wrong.empty() && line.name == name)
        {
            line.wrong = wrong;
            line.value = request->getParameter("value");
        }
    }
    auto frame = frameFor(request, "Settings", "Settings");
    views::setNotice(frame, request->getParameter("done"), "");
    const int status = wrong.empty() ? drogon::k200OK : drogon::k400BadRequest;
    if (!wrong.empty())
    {
        frame.notice = "Nothing was changed: " + wrong;
        frame.noticeIsBad = true;
    }
    co_return consolePage("settings", std::move(frame), std::move(page), status);
}

Task<HttpResponsePtr> changeSetting(HttpRequestPtr request)
{
    const std::string name = request->getParameter("param");
    const bool reset = !request->getParameter("reset").empty();
    plugins::RuntimeValues::Changes changes;
    changes[name] = reset ? std::nullopt : std::optional(request->getParameter("value"));
    const auto who = filters::ConsoleSession::of(request);
    const std::string actor =
        filters::AdminAccess::actorOf(request, who ? who->name : std::string());
    const auto outcome = co_await runtimeValues().change(std::move(changes), actor);
    if (outcome.wrong.empty())
    {
        co_return seeOther("/console/settings?done=set#set-" + name);
    }
    co_return co_await settingsWith(request, name, outcome.wrong.front());
}
}  // namespace

Task<HttpResponsePtr> ConsoleSettingsController::show(HttpRequestPtr request)
{
    return shown(request, settingsWith(request, "", ""));
}

Task<HttpResponsePtr> ConsoleSettingsController::change(HttpRequestPtr request)
{
    return shown(request, changeSetting(request));
}
}  // namespace relayer::controllers
