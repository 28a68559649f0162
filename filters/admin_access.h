// Who may administer: the one place where that is decided (`admin` in the configuration).
//
// Routes for programs name the filter and need nothing else; its constant is below:
//
//     ADD_METHOD_TO(LaneController::list, "/admin/lanes", drogon::Get, filters::kAdminOnly);
//
// Pages, whose users show the token once, in a form, ask in two steps:
//
//     if (auto refused = filters::AdminAccess::closed(request)) ...   // before anything is shown
//     if (filters::AdminAccess::allows(tokenOfTheForm)) ...           // at the login
//
// and keep a session of their own. Where `needsToken()` is false there is no login.
//
// Functions over the settings, without state; any thread, also while Drogon quits. The token is
// compared in constant time, and is in no log and in no answer.
#pragma once

#include <drogon/HttpFilter.h>
#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include <string>
#include <string_view>

namespace relayer::filters
{
class AdminAccess
{
  public:
    // The answer to who can not be let in whatever it shows, as nothing is administered here: 403
    // while it is off; 404, as if the path did not exist, when it has a listener of its own and
    // this is another; 403 when no token is asked for and the request is not one of this machine.
    // Null: it depends on the token.
    [[nodiscard]] static drogon::HttpResponsePtr closed(const drogon::HttpRequestPtr &request);

    [[nodiscard]] static bool needsToken();
    // Whether this is the token. Without one that is needed: true.
    [[nodiscard]] static bool allows(std::string_view token);

    // The answer to who does not come in, by what its Authorization header says: that of closed(),
    // or 401. Null: it may go on.
    [[nodiscard]] static drogon::HttpResponsePtr refusal(const drogon::HttpRequestPtr &request);

    // Who it is, for the audit: `name@address`. There is one token, so the name is only what the
    // client says of itself (X-Admin-Name), `admin` if it does not.
    [[nodiscard]] static std::string actorOf(const drogon::HttpRequestPtr &request);
    [[nodiscard]] static std::string actorOf(const drogon::HttpRequestPtr &request,
                                             const std::string &name);

    // Said of each request that comes in at the listener that is only for this. Anywhere before
    // routing.
    static void cameInAtItsListener(const drogon::HttpRequestPtr &request);
    // Whether the path is one of these routes, existing or not: /admin and below, /console and
    // below.
    [[nodiscard]] static bool isItsPath(std::string_view path);
};

inline constexpr const char *kAdminOnly = "relayer::filters::AdminOnly";

// Drogon makes the one instance. A filter that it does not find it only logs, and serves the route
// unprotected; so doFilter is defined out of line, and a test asks each admin route without a
// token.
class AdminOnly : public drogon::HttpFilter<AdminOnly>
{
  public:
    void doFilter(const drogon::HttpRequestPtr &request, drogon::FilterCallback &&refuse,
                  drogon::FilterChainCallback &&go) override;
};
}  // namespace relayer::filters
