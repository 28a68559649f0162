#include "plugins/settings.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
namespace
{
std::optional<config::Settings> &provided()
{
    static std::optional<config::Settings> settings;
    return settings;
}
}  // namespace

void Settings::provide(std::optional<config::Settings> checked)
{
    provided() = std::move(checked);
}

void Settings::initAndStart(const Json::Value &tree)
{
    if (provided())
    {
        values_ = *provided();
        return;
    }
    auto loaded = config::load({tree, config::processEnvironment(), {}, config::processHostName()});
    for (const auto &problem : loaded.problems)
    {
        LOG_ERROR << "relayer configuration: " << config::line(problem);
    }
    if (!loaded.problems.empty())
    {
        throw ConfigError("relayer configuration: " + config::line(loaded.problems.front()) +
                          (loaded.problems.size() > 1 ? ", and more" : ""));
    }
    values_ = std::move(loaded.settings);
}

void Settings::shutdown() {}
}  // namespace relayer::plugins
