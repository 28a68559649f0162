#include "controllers/parameter_changes.h"

#include "controllers/admin_answers.h"
#include "filters/admin_access.h"

#include <utility>

namespace relayer::controllers
{
using core::RuntimeParameter;
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using filters::AdminAccess;
using Changes = plugins::RuntimeValues::Changes;

std::vector<wire::ParameterState> parameterStates(const plugins::RuntimeValues::State &state,
                                                  const config::Settings &configured)
{
    std::vector<wire::ParameterState> states;
    for (const RuntimeParameter &parameter : config::runtimeParameters())
    {
        wire::ParameterState &each = states.emplace_back();
        each.parameter = &parameter;
        each.value = config::valueOf(parameter, state.settings);
        each.configured = config::valueOf(parameter, configured);
        if (const auto change = state.changes.find(parameter.name);
            change != state.changes.end() && state.overrides.contains(parameter.name))
        {
            each.changedBy = change->second.by;
            each.changedAtMs = change->second.atMs;
        }
    }
    return states;
}

Task<HttpResponsePtr> changeOne(HttpRequestPtr request, wire::ConfigPost post)
{
    const RuntimeParameter *parameter = config::findRuntimeParameter(post.name);
    if (parameter == nullptr)
    {
        co_return adminRefusal(request, drogon::k400BadRequest,
                               config::unknownRuntimeParameter(post.name));
    }
    const auto checked = core::checkValue(*parameter, post.value);
    if (!checked.text)
    {
        co_return adminRefusal(request, drogon::k400BadRequest, checked.wrong);
    }
    Changes changes;
    changes[parameter->name] = *checked.text;
    const auto outcome =
        co_await runtimeValues().change(std::move(changes), AdminAccess::actorOf(request));
    co_return outcome.wrong.empty()
        ? adminAnswer(request, wire::configUpdated(*parameter, *checked.text))
        : notChanged(request, outcome);
}

Task<HttpResponsePtr> changeAll(HttpRequestPtr request, wire::ParametersPost post)
{
    Changes changes;
    for (const auto &[name, value] : post.changes)
    {
        const RuntimeParameter *parameter = config::findRuntimeParameter(name);
        if (parameter == nullptr)
        {
            co_return adminRefusal(request, drogon::k400BadRequest,
                                   config::unknownRuntimeParameter(name));
        }
        auto checked = value ? core::checkValue(*parameter, *value) : core::CheckedValue();
        if (value && !checked.text)
        {
            co_return adminRefusal(
                request, drogon::k400BadRequest,
                checked.wrong.starts_with(name) ? checked.wrong : name + ": " + checked.wrong);
        }
        changes[name] = std::move(checked.text);
    }
    plugins::RuntimeValues &values = runtimeValues();
    const auto outcome =
        co_await values.change(std::move(changes), AdminAccess::actorOf(request), post.revision);
    if (outcome.stale || !outcome.wrong.empty())
    {
        co_return notChanged(request, outcome);
    }
    const auto state = values.state();
    co_return adminAnswer(
        request,
        wire::parameterList(state->revision, parameterStates(*state, values.configured())));
}
}  // namespace relayer::controllers
