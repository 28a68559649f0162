#include "controllers/voting_controller.h"

#include "controllers/open_api.h"
#include "controllers/plugin_for.h"
#include "plugins/voting_admin.h"
#include "wire/json_writer.h"

#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
Task<HttpResponsePtr> tellConfig(HttpRequestPtr request,
                                 std::shared_ptr<plugins::VotingConfig> config)
{
    const auto copy = co_await config->get();
    if (!copy)
    {
        co_return openProblem(drogon::k502BadGateway, "the voting config is not to be had");
    }
    const bool same = request->getHeader("if-none-match") == copy->etag;
    auto response = openAnswer(same ? drogon::k304NotModified : drogon::k200OK,
                               same ? std::string() : *copy->body);
    response->addHeader("ETag", copy->etag);
    response->addHeader("Age", std::to_string(copy->age.count()));
    response->addHeader("Cache-Control", "no-cache");
    co_return response;
}

}  // namespace

VotingController::Response VotingController::votingConfig(HttpRequestPtr request)
{
    const auto config = pluginFor<plugins::VotingAdmin>().config();
    if (!config)
    {
        co_return votingUnavailable();
    }
    co_return co_await guardedOpen(request, tellConfig(request, config));
}

VotingController::Response VotingController::uiConfig(HttpRequestPtr)
{
    const auto &settings = pluginFor<plugins::VotingAdmin>().settings();
    wire::JsonWriter json;
    json.beginObject().key("mode").text(settings.uiMode);
    json.key("dev_pir_controls").boolean(settings.uiMode == "dev");
    json.key("precomputed_base_url").text(settings.precomputedBaseUrl).endObject();
    auto response = openAnswer(drogon::k200OK, std::move(json).take());
    response->addHeader("Cache-Control", "no-store");
    co_return response;
}
}  // namespace relayer::controllers
