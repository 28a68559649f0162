#include "filters/console_session.h"

#include "core/bytes.h"
#include "core/same_secret.h"
#include "core/signed_session.h"
#include "filters/admin_access.h"
#include "filters/json_response.h"
#include "filters/mount_point.h"
#include "plugins/settings.h"
#include "wire/admin.h"

#include <drogon/utils/Utilities.h>
#include <trantor/utils/Date.h>

#include <array>
#include <chrono>
#include <stdexcept>

namespace relayer::filters
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
constexpr const char *kCookie = "relayer_console";
constexpr std::chrono::hours kLasts{8};
constexpr std::string_view kConsole = "/console";
constexpr std::string_view kLogin = "/console/login";

std::string randomHex()
{
    std::array<std::uint8_t, 16> random{};
    if (!drogon::utils::secureRandomBytes(random.data(), random.size()))
    {
        throw std::runtime_error("the system has no random bytes");
    }
    return core::toHex(random);
}

const core::SessionKey &key()
{
    static const core::SessionKey made = core::sessionKeyOf(
        AdminAccess::needsToken() ? plugins::Settings::lastStarted().admin.token.reveal()
                                  : randomHex() + randomHex());
    return made;
}

std::chrono::seconds now()
{
    return std::chrono::seconds(trantor::Date::now().secondsSinceEpoch());
}

bool isEncrypted(const HttpRequestPtr &request)
{
    return request->isOnSecureConnection() || request->getHeader("x-forwarded-proto") == "https";
}

drogon::Cookie cookieOf(const std::string &value)
{
    drogon::Cookie cookie(kCookie, value);
    cookie.setHttpOnly(true);
    cookie.setPath(mounted(kConsole));
    cookie.setSameSite(drogon::Cookie::SameSite::kStrict);
    return cookie;
}
}  // namespace

std::optional<ConsoleSession::LoggedIn> ConsoleSession::of(const HttpRequestPtr &request)
{
    const auto session = core::readSession(key(), request->getCookie(kCookie), now());
    return session ? std::optional(LoggedIn{session->name, core::formTokenOf(key(), *session)})
                   : std::nullopt;
}

void ConsoleSession::begin(const HttpRequestPtr &request, const HttpResponsePtr &response,
                           const std::string &name)
{
    drogon::Cookie cookie = cookieOf(core::signSession(key(), {name, now() + kLasts, randomHex()}));
    cookie.setSecure(isEncrypted(request));
    cookie.setMaxAge(static_cast<int>(std::chrono::seconds(kLasts).count()));
    response->addCookie(std::move(cookie));
}

void ConsoleSession::end(const HttpResponsePtr &response)
{
    drogon::Cookie cookie = cookieOf("");
    cookie.setMaxAge(0);
    response->addCookie(std::move(cookie));
}

HttpResponsePtr ConsoleSession::toLogin(const HttpRequestPtr &request)
{
    const bool plain = unmounted(request->path()) == kConsole || request->method() == drogon::Post;
    const std::string wanted = std::string(unmounted(request->path())) +
                               (request->query().empty() ? "" : "?" + request->query());
    return drogon::HttpResponse::newRedirectionResponse(
        mounted(kLogin) + (plain ? "" : "?next=" + drogon::utils::urlEncodeComponent(wanted)),
        drogon::k303SeeOther);
}

std::string ConsoleSession::pathAfterLogin(const std::string &wanted)
{
    const bool ours =
        wanted == kConsole || wanted.starts_with("/console/") || wanted.starts_with("/console?");
    const bool clean = wanted.find_first_of("\\\r\n") == std::string::npos &&
                       wanted.find("//") == std::string::npos && wanted.size() < 2048;
    return ours && clean && !wanted.starts_with(kLogin) ? wanted : std::string(kConsole);
}

bool ConsoleSession::isOfAnotherSite(const HttpRequestPtr &request)
{
    const std::string &site = request->getHeader("sec-fetch-site");
    return !site.empty() && site != "same-origin" && site != "none";
}

void ConsoleOnly::doFilter(const HttpRequestPtr &request, drogon::FilterCallback &&refuse,
                           drogon::FilterChainCallback &&go)
{
    if (const auto response = AdminAccess::closed(request))
    {
        refuse(response);
        return;
    }
    const auto loggedIn = ConsoleSession::of(request);
    if (!loggedIn)
    {
        refuse(ConsoleSession::toLogin(request));
        return;
    }
    if (request->method() == drogon::Post &&
        (ConsoleSession::isOfAnotherSite(request) ||
         !core::sameSecret(request->getParameter("csrf"), loggedIn->formToken)))
    {
        refuse(jsonResponse(drogon::k403Forbidden,
                            wire::adminError("This form is not of this session; load the page "
                                             "again")));
        return;
    }
    go();
}
}  // namespace relayer::filters
