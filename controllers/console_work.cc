#include "controllers/console_work.h"

#include "controllers/console_page.h"
#include "controllers/responses.h"
#include "filters/admin_access.h"
#include "filters/console_session.h"
#include "models/store_error.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
Task<HttpResponsePtr> orSayThatTheDatabaseIsAway(HttpRequestPtr request, Task<HttpResponsePtr> work)
{
    try
    {
        co_return co_await std::move(work);
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=page_without_database why=" << error.what();
    }
    co_return consoleMessage(request, drogon::k503ServiceUnavailable,
                             "The database does not answer",
                             "Nothing can be read or changed without it. What was just wanted may "
                             "have been done: look again when it is back.");
}
}  // namespace

std::string actorAt(const HttpRequestPtr &request)
{
    const auto who = filters::ConsoleSession::of(request);
    return filters::AdminAccess::actorOf(request, who ? who->name : std::string());
}

HttpResponsePtr noSuchRequest(const HttpRequestPtr &request)
{
    return consoleMessage(request, drogon::k404NotFound, "No such request",
                          "There is none with this job id; old ones are removed in the end.");
}

Task<HttpResponsePtr> shown(HttpRequestPtr request, Task<HttpResponsePtr> work)
{
    return guarded(request, orSayThatTheDatabaseIsAway(request, std::move(work)));
}
}  // namespace relayer::controllers
