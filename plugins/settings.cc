#include "plugins/settings.h"

#include "config/plain_nodes.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <atomic>
#include <stdexcept>
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

std::atomic<const config::Settings *> &started()
{
    static std::atomic<const config::Settings *> settings;
    return settings;
}

std::string addressOfDbClient(const std::string &name)
{
    const auto client = drogon::app().getDbClient(name);
    return client && client->type() == drogon::orm::ClientType::PostgreSQL
               ? client->connectionInfo()
               : "";
}
}  // namespace

bool Settings::embedded()
{
    return !provided();
}

void Settings::provide(std::optional<config::Settings> checked)
{
    provided() = std::move(checked);
}

void Settings::initAndStart(const Json::Value &tree)
{
    if (provided())
    {
        keep(*provided());
        return;
    }
    auto loaded = config::load(
        {tree, config::processEnvironment(), {}, config::processHostName(), addressOfDbClient});
    for (const auto &problem : loaded.problems)
    {
        LOG_ERROR << "relayer configuration: " << config::line(problem);
    }
    if (!loaded.problems.empty())
    {
        throw ConfigError("relayer configuration: " + config::line(loaded.problems.front()) +
                          (loaded.problems.size() > 1 ? ", and more" : ""));
    }
    keep(std::move(loaded.settings));
}

void Settings::keep(config::Settings values)
{
    values_ = new config::Settings(std::move(values));
    started().store(values_);
    for (const config::PlainNode &node : config::plainNodes(*values_))
    {
        LOG_WARN << "step=node_without_tls key=" << node.key << " name=" << node.name
                 << ": who sits on the way reads and changes what is said";
    }
}

const config::Settings &Settings::lastStarted()
{
    const config::Settings *settings = started().load();
    if (settings == nullptr)
    {
        throw std::runtime_error("the settings have not been read yet");
    }
    return *settings;
}

void Settings::shutdown() {}
}  // namespace relayer::plugins
