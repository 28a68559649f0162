#include "drogon_relayer/module.h"

#include "config/drogon_file.h"
#include "controllers/mounted.h"
#include "drogon_relayer/host_limits.h"
#include "plugins/drain.h"
#include "plugins/metrics.h"
#include "plugins/part.h"
#include "plugins/settings.h"
#include "wire/build_info.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace relayer
{
namespace
{
using Part = std::shared_ptr<drogon::PluginBase>;

// In the order in which they started. Of the main thread.
std::vector<Part> &started()
{
    static std::vector<Part> parts;
    return parts;
}

void start(const std::string &name, const Json::Value &config)
{
    auto part =
        std::dynamic_pointer_cast<drogon::PluginBase>(drogon::DrClassMap::newSharedObject(name));
    if (!part)
    {
        throw std::logic_error("the relayer was linked without " + name +
                               "; link the target drogon_relayer::module");
    }
    plugins::keepPart(name, part);
    part->initAndStart(config);
    started().push_back(std::move(part));
}

void stopAll()
{
    while (!started().empty())
    {
        started().back()->shutdown();
        started().pop_back();
    }
    plugins::dropParts();
}
}  // namespace

void Module::initAndStart(const Json::Value &config)
{
    try
    {
        for (const config::ModulePlugin &part : config::modulePlugins())
        {
            start(std::string(part.name),
                  part.name == config::settingsPlugin ? config : Json::Value());
        }
        const config::Settings &settings = plugins::Settings::lastStarted();
        controllers::mountRoutes(settings.http.pathPrefix);
        if (!settings.http.pathPrefix.empty())
        {
            controllers::installErrorsBelowPrefix();
        }
        lookAtHostLimits(settings.http);
        LOG_INFO << "step=relayer_embedded version=" << version()
                 << " prefix=" << settings.http.pathPrefix << "/";
    }
    catch (const std::exception &error)
    {
        LOG_ERROR << "step=relayer_not_started why=" << error.what();
        stopAll();
        throw;
    }
}

void Module::shutdown()
{
    stopAll();
}

void Module::drain(std::function<void(const Drained &)> done)
{
    plugins::sharedPart<plugins::Drain>()->begin(
        [done = std::move(done)](const plugins::Drain::Outcome &outcome) {
            done({outcome.complete, outcome.left});
        });
}

void Module::whenAskedToStop(std::function<void()> stop)
{
    plugins::sharedPart<plugins::Drain>()->whenAsked(std::move(stop));
}

drogon::Task<std::string> Module::metrics()
{
    co_return co_await plugins::sharedPart<plugins::Metrics>()->collect();
}

std::string Module::version()
{
    return std::string(wire::buildInfo().version);
}
}  // namespace relayer
