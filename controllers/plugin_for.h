// The plugins that a request works with, also while Drogon quits: it drops its plugins before its
// HTTP loops end, and whoever asks it for one then is aborted by an assertion. Kept from the first
// request on, they are shut down by then, but there. Any thread.
#pragma once

#include "plugins/part.h"

#include <memory>

namespace relayer::controllers
{
template <typename Plugin>
[[nodiscard]] const std::shared_ptr<Plugin> &sharedPluginFor()
{
    static const std::shared_ptr<Plugin> plugin = plugins::sharedPart<Plugin>();
    return plugin;
}

template <typename Plugin>
[[nodiscard]] Plugin &pluginFor()
{
    return *sharedPluginFor<Plugin>();
}
}  // namespace relayer::controllers
