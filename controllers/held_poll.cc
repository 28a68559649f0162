#include "controllers/held_poll.h"

#include "controllers/job_rows.h"
#include "controllers/plugin_for.h"
#include "controllers/polls.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/resumed_on.h"
#include "plugins/settings.h"
#include "plugins/status_watch.h"
#include "wire/prefer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace relayer::controllers
{
using core::Kind;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using plugins::JobViewPtr;
using plugins::WaitingRoom;
using std::chrono::seconds;

namespace
{
HttpResponsePtr held(const HttpRequestPtr &http, wire::Answer answer, seconds wait)
{
    auto response = respond(http, std::move(answer));
    response->addHeader("Preference-Applied", "wait=" + std::to_string(wait.count()));
    return response;
}
}  // namespace

std::optional<seconds> wantedWait(const HttpRequestPtr &http)
{
    auto wanted = wire::preferredWait(http->getHeader("prefer"));
    if (!wanted)
    {
        wanted = wire::secondsFrom(http->getParameter("wait"));
    }
    if (!wanted || *wanted == 0 || http->isHead())
    {
        return std::nullopt;
    }
    const auto most =
        std::chrono::floor<seconds>(plugins::Settings::lastStarted().http.longPoll.maxWait);
    return std::min(seconds(*wanted), most);
}

Task<HttpResponsePtr> showWhenChanged(HttpRequestPtr http, core::JobId jobId, Kind kind)
{
    const seconds wait = wantedWait(http).value_or(seconds(0));
    const std::string requestId = filters::requestIdOf(http);
    // The connection is asked whether it is still there on its own loop, so the wait begins on it.
    auto *const loop = trantor::EventLoop::getEventLoopOfCurrentThread();
    auto &watch = pluginFor<plugins::StatusWatch>();
    const std::shared_ptr<WaitingRoom> room = watch.room();
    const auto place = watch.placeForPoll();
    const auto asking = room->ask();
    auto job = place ? room->known(jobId) : std::nullopt;
    JobViewPtr view;
    if (!job || job->kind != kind)
    {
        view = co_await plugins::resumedOn(loop, lookAt(jobId, kind));
        if (!view || !place)
        {
            co_return respond(http, shown(requestId, view));
        }
        job = waitedFor(*view);
        if (core::isTerminal(job->status))
        {
            co_return held(http, shown(requestId, view), wait);
        }
    }
    auto change = room->wait(asking, *job, wait, [http] { return http->connected(); });
    const WaitingRoom::Wake wake = co_await change;
    if (wake.why != WaitingRoom::Wake::Why::NotHeld)
    {
        co_return held(http, shown(requestId, wake), wait);
    }
    if (!view)
    {
        view = co_await plugins::resumedOn(loop, lookAt(jobId, kind));
    }
    co_return respond(http, shown(requestId, view));
}
}  // namespace relayer::controllers
