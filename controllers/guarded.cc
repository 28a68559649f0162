// What happens around the work of a handler. A part of responses.h.
#include "controllers/plugin_for.h"
#include "controllers/responses.h"
#include "filters/request_id.h"
#include "filters/trace.h"
#include "models/store_error.h"
#include "plugins/drain.h"
#include "plugins/retry_after.h"

#include <trantor/net/TcpConnection.h>
#include <trantor/utils/Logger.h>

#include <exception>
#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using models::StoreError;

namespace
{
wire::Answer answerTo(const StoreError &error, const std::string &requestId)
{
    // What the database refuses, for example while its disk is full or it is read-only, will be
    // taken later: to a client that is no different from a database that is away.
    const wire::Problem problem = error.code() == StoreError::Code::Overloaded
                                      ? wire::tooManyWaiting()
                                      : wire::storeUnreachable();
    wire::Answer answer = wire::failed(requestId, problem);
    answer.retryAfterSeconds = plugins::RetryAfter::secondsUntilAnybodyKnows();
    return answer;
}

wire::Answer answerTo(const std::exception &error, const HttpRequestPtr &request)
{
    const std::string &requestId = filters::requestIdOf(request);
    LOG_WARN << "step=exchange_failed " << filters::exchangeFields(request)
             << " route=" << request->matchedPathPattern() << " why=" << error.what();
    const auto *ofStore = dynamic_cast<const StoreError *>(&error);
    return ofStore != nullptr ? answerTo(*ofStore, requestId)
                              : wire::failed(requestId, wire::internalError());
}

// Of a request that came in while the program was quitting. A proxy in front asks another instance
// when a connection breaks, but not when it is told 503.
void cutOff(const HttpRequestPtr &request)
{
    if (const auto connection = request->getConnectionPtr().lock())
    {
        connection->forceClose();
    }
}
}  // namespace

drogon::Task<HttpResponsePtr> guarded(HttpRequestPtr request, drogon::Task<HttpResponsePtr> work)
{
    auto *const loop = trantor::EventLoop::getEventLoopOfCurrentThread();
    const auto &drain = pluginFor<plugins::Drain>();
    const plugins::Counted underWay = drain.request();
    HttpResponsePtr response;
    try
    {
        response = co_await std::move(work);
    }
    catch (const std::exception &error)
    {
        response = respond(request, answerTo(error, request));
        if (drain.over())
        {
            cutOff(request);
        }
    }
    if (loop != nullptr)
    {
        co_await drogon::switchThreadCoro(loop);
    }
    co_return response;
}
}  // namespace relayer::controllers
