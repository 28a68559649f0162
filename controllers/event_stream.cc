#include "controllers/event_stream.h"

#include "controllers/event_responses.h"
#include "controllers/job_events.h"
#include "controllers/job_rows.h"
#include "controllers/plugin_for.h"
#include "controllers/polls.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "plugins/resumed_on.h"
#include "plugins/status_watch.h"

#include <memory>
#include <utility>

namespace relayer::controllers
{
using core::Kind;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
drogon::AsyncTask writeAll(JobEvents::Self events, drogon::ResponseStreamPtr stream)
{
    bool there = stream->send(events->first());
    while (there && !events->over())
    {
        // An empty chunk would end the answer.
        const std::string text = co_await JobEvents::next(events);
        there = !text.empty() && stream->send(text);
    }
    stream->close();
}

Task<std::string> writeOne(JobEvents::Self events)
{
    const bool news = events->hasNews();
    std::string text = events->first();
    if (!news)
    {
        text += co_await JobEvents::next(events);
    }
    co_return text;
}
}  // namespace

Task<HttpResponsePtr> streamEvents(HttpRequestPtr http, core::JobId jobId, Kind kind)
{
    auto *const loop = trantor::EventLoop::getEventLoopOfCurrentThread();
    auto place = pluginFor<plugins::StatusWatch>().placeForStream();
    if (!place)
    {
        co_return tooManyStreams(http);
    }
    auto events = std::make_shared<JobEvents>(http, std::move(*place));
    auto view = co_await plugins::resumedOn(loop, lookAt(jobId, kind));
    if (!view)
    {
        co_return respond(http, shown(filters::requestIdOf(http), view));
    }
    if (!events->begin(std::move(view)))
    {
        co_return noMoreEvents(http);
    }
    if (http->isHead())
    {
        co_return asEvents(http, drogon::HttpResponse::newHttpResponse());
    }
    if (closesBehindAnswer(http))
    {
        auto response = drogon::HttpResponse::newHttpResponse();
        response->setBody(co_await writeOne(events));
        co_return asEvents(http, std::move(response));
    }
    // An idle connection is not ended under a stream, which has deadlines of its own.
    constexpr bool neverIdle = true;
    co_return asEvents(http, drogon::HttpResponse::newAsyncStreamResponse(
                                 [events](drogon::ResponseStreamPtr stream) {
                                     writeAll(events, std::move(stream));
                                 },
                                 neverIdle));
}
}  // namespace relayer::controllers
