#include "controllers/admin_config_controller.h"

#include "controllers/admin_answers.h"
#include "controllers/parameter_changes.h"
#include "controllers/responses.h"
#include "filters/request_id.h"

#include <utility>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;

namespace
{
// Of a body that can not be used, as the reference's framework says it.
HttpResponsePtr plainText(const HttpRequestPtr &request, const wire::Refused &refused)
{
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setStatusCode(static_cast<drogon::HttpStatusCode>(refused.status));
    response->setContentTypeString("text/plain; charset=utf-8");
    response->setBody(refused.text);
    response->addHeader("X-Request-ID", filters::requestIdOf(request));
    return response;
}

bool isTextForANumber(const wire::ConfigPost &post)
{
    const auto *parameter = config::findRuntimeParameter(post.name);
    return post.value.kind == core::GivenValue::Kind::Text && parameter != nullptr &&
           parameter->type != core::RuntimeParameter::Type::Text;
}
}  // namespace

Task<HttpResponsePtr> AdminConfigController::config(HttpRequestPtr request)
{
    plugins::RuntimeValues &values = runtimeValues();
    const auto states = parameterStates(*values.state(), values.configured());
    co_return adminAnswer(request, wire::configOf(states));
}

Task<HttpResponsePtr> AdminConfigController::changeConfig(HttpRequestPtr request)
{
    auto read = wire::readConfigPost(request->getHeader("content-type"), request->body());
    if (const auto *refused = std::get_if<wire::Refused>(&read))
    {
        co_return plainText(request, *refused);
    }
    auto &post = std::get<wire::ConfigPost>(read);
    if (isTextForANumber(post))
    {
        co_return plainText(request, wire::wrongShape("value: expected a number"));
    }
    co_return co_await adminGuarded(request, changeOne(request, std::move(post)));
}

Task<HttpResponsePtr> AdminConfigController::parameters(HttpRequestPtr request)
{
    plugins::RuntimeValues &values = runtimeValues();
    const auto state = values.state();
    const auto states = parameterStates(*state, values.configured());
    co_return adminAnswer(request, wire::parameterList(state->revision, states));
}

Task<HttpResponsePtr> AdminConfigController::changeParameters(HttpRequestPtr request)
{
    auto read = wire::readParametersPost(request->body());
    if (const auto *refused = std::get_if<wire::Refused>(&read))
    {
        co_return adminRefusal(request, refused->status, refused->text);
    }
    co_return co_await adminGuarded(
        request, changeAll(request, std::get<wire::ParametersPost>(std::move(read))));
}
}  // namespace relayer::controllers
