#include "filters/admin_access.h"

#include "core/same_secret.h"
#include "filters/client.h"
#include "filters/json_response.h"
#include "filters/mount_point.h"
#include "filters/request_id.h"
#include "plugins/settings.h"
#include "wire/admin.h"
#include "wire/envelope.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <cctype>
#include <chrono>

namespace relayer::filters
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
const std::string kAtItsListener = "relayer.adminListener";

const auto &settings()
{
    return plugins::Settings::lastStarted().admin;
}

std::string lowerCase(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

HttpResponsePtr answer(const HttpRequestPtr &request, int status, std::string body)
{
    auto response = jsonResponse(status, std::move(body));
    response->addHeader("X-Request-ID", requestIdOf(request));
    return response;
}

// `127.0.0.1:8088`, `[::1]:8088`, `localhost`: what a page of this machine is asked for by. Another
// name that leads here is one that somebody else's name server chose.
bool namesThisMachine(const std::string &host)
{
    const std::string name =
        host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
    const bool numeric = name.find_first_not_of("0123456789.") == std::string::npos;
    return (numeric && name.starts_with("127.")) || name == "localhost" || name == "[::1]";
}

// trantor's own isLoopbackIp() says no to 127.0.0.1.
bool isLoopback(const trantor::InetAddress &address)
{
    const std::string ip = address.toIp();
    return ip.starts_with("127.") || ip == "::1";
}

// Nobody is asked for a token, so that a page of somebody else in a browser of this machine must
// not be able to ask either.
bool isOfThisMachine(const HttpRequestPtr &request)
{
    const std::string &host = request->getHeader("host");
    const std::string &origin = request->getHeader("origin");
    return isLoopback(request->localAddr()) && isLoopback(request->peerAddr()) &&
           namesThisMachine(lowerCase(host)) &&
           (origin.empty() || origin == "http://" + host || origin == "https://" + host);
}

std::string bearerOf(const HttpRequestPtr &request)
{
    constexpr std::string_view kScheme = "bearer ";
    const std::string &header = request->getHeader("authorization");
    if (header.size() <= kScheme.size() || lowerCase(header.substr(0, kScheme.size())) != kScheme)
    {
        return "";
    }
    const std::size_t begin = header.find_first_not_of(' ', kScheme.size());
    return begin == std::string::npos ? "" : header.substr(begin);
}

// Who tries many is told of once a second for each thread.
void logRefusal(const HttpRequestPtr &request)
{
    using Clock = std::chrono::steady_clock;
    thread_local Clock::time_point quietUntil{};
    const auto now = Clock::now();
    if (now >= quietUntil)
    {
        quietUntil = now + std::chrono::seconds(1);
        LOG_WARN << "step=admin_refused why=wrong_token client=" << clientOf(request, "")
                 << " request_id=" << requestIdOf(request);
    }
}
}  // namespace

HttpResponsePtr AdminAccess::closed(const HttpRequestPtr &request)
{
    if (settings().hasOwnListener() && !request->attributes()->find(kAtItsListener))
    {
        const auto nothing = wire::failed(requestIdOf(request), wire::nothingAtThisPath());
        return answer(request, nothing.status, nothing.body);
    }
    if (settings().access == "off")
    {
        return answer(request, drogon::k403Forbidden,
                      wire::adminError("Admin endpoints are not enabled"));
    }
    if (!needsToken() && !isOfThisMachine(request))
    {
        return answer(request, drogon::k403Forbidden,
                      wire::adminError("Admin endpoints are only for this machine"));
    }
    return nullptr;
}

bool AdminAccess::needsToken()
{
    return settings().access != "none";
}

bool AdminAccess::allows(std::string_view token)
{
    return !needsToken() || (settings().access == "token" && !settings().token.empty() &&
                             core::sameSecret(token, settings().token.reveal()));
}

HttpResponsePtr AdminAccess::refusal(const HttpRequestPtr &request)
{
    if (auto response = closed(request))
    {
        return response;
    }
    const std::string token = bearerOf(request);
    if (allows(token))
    {
        return nullptr;
    }
    if (!token.empty())
    {
        logRefusal(request);
    }
    auto response = answer(request, drogon::k401Unauthorized,
                           wire::adminError(token.empty() ? "An admin token is needed"
                                                          : "This is not the admin token"));
    response->addHeader("WWW-Authenticate", "Bearer");
    return response;
}

std::string AdminAccess::actorOf(const HttpRequestPtr &request)
{
    return actorOf(request, request->getHeader("x-admin-name"));
}

std::string AdminAccess::actorOf(const HttpRequestPtr &request, const std::string &name)
{
    return (wire::isSaneAdminName(name) ? name : "admin") + "@" + addressOf(request);
}

void AdminAccess::cameInAtItsListener(const HttpRequestPtr &request)
{
    request->attributes()->insert(kAtItsListener, true);
}

bool AdminAccess::isItsPath(std::string_view path)
{
    path = unmounted(path);
    const std::string lower = lowerCase(path.substr(0, path.find('/', 1)));
    return lower == "/admin" || lower == "/console";
}

void AdminOnly::doFilter(const HttpRequestPtr &request, drogon::FilterCallback &&refuse,
                         drogon::FilterChainCallback &&go)
{
    if (const auto response = AdminAccess::refusal(request))
    {
        refuse(response);
        return;
    }
    go();
}
}  // namespace relayer::filters
