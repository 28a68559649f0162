// Who is logged in at the console. The cookie holds a signed session (core/signed_session.h) and
// never the token: out of sight of scripts, and not sent by other sites. Its key is made of the
// token, so it is good at every instance, and another token ends all sessions. Where no token is
// asked for, the key is a random one of this process, and a session is given to whoever comes.
//
// Functions without state of their own; any thread.
#pragma once

#include <drogon/HttpFilter.h>
#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include <optional>
#include <string>

namespace relayer::filters
{
class ConsoleSession
{
  public:
    struct LoggedIn
    {
        std::string name;
        std::string formToken;  // what forms have to bring back
    };
    // Nothing: nobody is.
    [[nodiscard]] static std::optional<LoggedIn> of(const drogon::HttpRequestPtr &request);

    static void begin(const drogon::HttpRequestPtr &request,
                      const drogon::HttpResponsePtr &response, const std::string &name);
    static void end(const drogon::HttpResponsePtr &response);

    // To the login, and from there back to where somebody wanted to go.
    [[nodiscard]] static drogon::HttpResponsePtr toLogin(const drogon::HttpRequestPtr &request);
    // Where a login leads: a path of the console, whatever was asked for.
    [[nodiscard]] static std::string pathAfterLogin(const std::string &wanted);

    // Whether the browser says that another site sent this.
    [[nodiscard]] static bool isOfAnotherSite(const drogon::HttpRequestPtr &request);
};

inline constexpr const char *kConsoleOnly = "relayer::filters::ConsoleOnly";

// In front of each page but the login: who is not logged in is sent there, and a form without its
// token is refused. See AdminOnly on why doFilter stands out of line.
class ConsoleOnly : public drogon::HttpFilter<ConsoleOnly>
{
  public:
    void doFilter(const drogon::HttpRequestPtr &request, drogon::FilterCallback &&refuse,
                  drogon::FilterChainCallback &&go) override;
};
}  // namespace relayer::filters
