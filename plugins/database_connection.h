// How we connect to PostgreSQL, by the configuration.
#pragma once

#include "config/settings.h"
#include "models/connection_info.h"

#include <string>

namespace relayer::plugins
{
// `url` may be that of the pooler or the direct one.
[[nodiscard]] models::ConnectionSettings connectionTo(const std::string &url,
                                                      const config::DatabaseSettings &settings);
// Past a pooler, where there is one.
[[nodiscard]] models::ConnectionSettings directConnectionTo(
    const config::DatabaseSettings &settings);
}  // namespace relayer::plugins
