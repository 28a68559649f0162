#include "controllers/shares.h"

#include "controllers/responses.h"
#include "filters/json_response.h"
#include "filters/request_id.h"
#include "wire/share_answers.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

HttpResponsePtr shareAnswer(int status, std::string body)
{
    auto response = filters::jsonResponse(status, std::move(body));
    response->addHeader("Cache-Control", "no-store");
    return response;
}

HttpResponsePtr shareError(int status, std::string_view text)
{
    return shareAnswer(status, wire::shareError(text));
}

HttpResponsePtr shareOutcome(const plugins::ShareIntake::Outcome &outcome,
                             plugins::ShareMetrics &metrics)
{
    using models::Enqueued;
    using Post = plugins::ShareMetrics::Post;
    if (const auto *refused = std::get_if<plugins::ShareIntake::Refused>(&outcome))
    {
        metrics.posted(Post::Refused);
        return shareError(drogon::k400BadRequest, refused->text);
    }
    switch (std::get<Enqueued>(outcome))
    {
        case Enqueued::Queued:
            metrics.posted(Post::Queued);
            return shareAnswer(drogon::k200OK, wire::shareStatus("queued"));
        case Enqueued::Duplicate:
            metrics.posted(Post::Duplicate);
            return shareAnswer(drogon::k200OK, wire::shareStatus("duplicate"));
        case Enqueued::Conflict: break;
    }
    metrics.posted(Post::Conflict);
    return shareError(drogon::k409Conflict, wire::kShareConflict);
}

namespace
{
drogon::Task<HttpResponsePtr> caught(HttpRequestPtr request, std::string_view stage,
                                     drogon::Task<HttpResponsePtr> work)
{
    try
    {
        co_return co_await std::move(work);
    }
    catch (const std::exception &error)
    {
        LOG_ERROR << "step=" << stage << " route=" << request->matchedPathPattern()
                  << " request_id=" << filters::requestIdOf(request) << " why=" << error.what();
        co_return shareError(drogon::k500InternalServerError, "internal error");
    }
}

}  // namespace

drogon::Task<HttpResponsePtr> guardedShare(HttpRequestPtr request, std::string_view stage,
                                           drogon::Task<HttpResponsePtr> work)
{
    return guarded(request, caught(request, stage, std::move(work)));
}
}  // namespace relayer::controllers
