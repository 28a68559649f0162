#include "controllers/console_settings.h"

#include "controllers/admin_answers.h"
#include "controllers/parameter_changes.h"
#include "controllers/plugin_for.h"
#include "models/store_error.h"
#include "plugins/store.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::controllers
{
using core::RuntimeParameter;
using drogon::Task;

namespace
{
constexpr std::int64_t kAuditLines = 25;

// `one of trace, debug, info` as three of them.
std::vector<std::string> choicesOf(std::string_view allowed)
{
    constexpr std::string_view kBegin = "one of ";
    std::vector<std::string> choices;
    if (!allowed.starts_with(kBegin))
    {
        return choices;
    }
    for (std::string_view rest = allowed.substr(kBegin.size()); !rest.empty();)
    {
        const std::size_t end = std::min(rest.find(", "), rest.size());
        choices.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    return choices;
}

views::SettingLine lineOf(const wire::ParameterState &state)
{
    const RuntimeParameter &parameter = *state.parameter;
    views::SettingLine line;
    line.name = parameter.name;
    line.description = parameter.description;
    line.value = state.value;
    line.configured = state.configured;
    line.number = parameter.type != RuntimeParameter::Type::Text;
    const bool fraction = parameter.type == RuntimeParameter::Type::Fraction;
    constexpr std::uint64_t kMillion = 1'000'000;
    line.step = fraction ? "any" : "1";
    line.min = std::to_string(fraction ? parameter.min / kMillion : parameter.min);
    line.max = std::to_string(fraction ? parameter.max / kMillion : parameter.max);
    line.choices = choicesOf(parameter.allowed);
    line.limits = line.number ? line.min + " to " + line.max : "";
    line.changedBy = state.changedBy;
    line.changedAt = std::chrono::milliseconds(state.changedAtMs);
    return line;
}
}  // namespace

Task<views::SettingsPage> settingsPage(drogon::HttpRequestPtr request)
{
    views::SettingsPage page;
    plugins::RuntimeValues &values = runtimeValues();
    for (const wire::ParameterState &state : parameterStates(*values.state(), values.configured()))
    {
        page.settings.push_back(lineOf(state));
    }
    const auto store = pluginFor<plugins::Store>().settings();
    if (!store)
    {
        throw models::StoreError(models::StoreError::Code::Unavailable, "the program quits");
    }
    const auto before =
        numberIn(request, "audit_before", 0, std::numeric_limits<std::int64_t>::max());
    const auto rows = co_await store->trail(before.value_or(0), kAuditLines);
    for (const auto &row : rows)
    {
        page.audit.push_back({std::chrono::milliseconds(row.atMs), row.entry.actor,
                              row.entry.action, row.entry.subject, row.entry.detail});
    }
    if (static_cast<std::int64_t>(rows.size()) == kAuditLines)
    {
        page.olderAudit = rows.back().id;
    }
    co_return page;
}
}  // namespace relayer::controllers
