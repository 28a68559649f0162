#include "controllers/admin_answers.h"

#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/runtime_settings.h"
#include "wire/admin.h"

#include <charconv>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

plugins::RuntimeValues &runtimeValues()
{
    return *pluginFor<plugins::RuntimeSettings>().values();
}

HttpResponsePtr adminAnswer(const HttpRequestPtr &request, std::string body)
{
    auto response = jsonResponse(drogon::k200OK, std::move(body));
    response->addHeader("X-Request-ID", filters::requestIdOf(request));
    response->addHeader("Cache-Control", "no-store");
    return response;
}

HttpResponsePtr adminRefusal(const HttpRequestPtr &request, int status, std::string_view why)
{
    auto response = jsonResponse(status, wire::adminError(why));
    response->addHeader("X-Request-ID", filters::requestIdOf(request));
    return response;
}

HttpResponsePtr notChanged(const HttpRequestPtr &request,
                           const plugins::RuntimeValues::Outcome &outcome)
{
    if (outcome.stale)
    {
        return adminRefusal(request, drogon::k412PreconditionFailed,
                            "Somebody else has changed something: the revision is " +
                                std::to_string(outcome.revision) + " by now");
    }
    std::string why;
    for (const std::string &each : outcome.wrong)
    {
        why += (why.empty() ? "" : "; ") + each;
    }
    return adminRefusal(request, drogon::k400BadRequest, why);
}

std::optional<wire::PauseView> viewOf(const std::optional<plugins::RuntimeValues::Pause> &pause)
{
    return pause ? std::optional(wire::PauseView{pause->reason, pause->retryAfterSeconds,
                                                 pause->change.by, pause->change.atMs})
                 : std::nullopt;
}

std::optional<std::int64_t> numberIn(const HttpRequestPtr &request, const std::string &name,
                                     std::int64_t absent, std::int64_t most)
{
    const std::string &text = request->getParameter(name);
    if (text.empty())
    {
        return absent;
    }
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return whole && number >= 1 && number <= most ? std::optional(number) : std::nullopt;
}
}  // namespace relayer::controllers
