#include "plugins/log_level.h"

#include <trantor/utils/Logger.h>

#include <array>
#include <utility>

namespace relayer::plugins
{
namespace
{
using Level = trantor::Logger::LogLevel;
constexpr std::array<std::pair<std::string_view, Level>, 5> kLevels = {{{"trace", Level::kTrace},
                                                                        {"debug", Level::kDebug},
                                                                        {"info", Level::kInfo},
                                                                        {"warn", Level::kWarn},
                                                                        {"error", Level::kError}}};
}  // namespace

bool setLogLevel(std::string_view name)
{
    for (const auto &[known, level] : kLevels)
    {
        if (known == name)
        {
            // A plain number that other threads read at each LOG: they see it a moment later.
            trantor::Logger::setLogLevel(level);
            return true;
        }
    }
    return false;
}

std::string_view logLevel()
{
    for (const auto &[name, level] : kLevels)
    {
        if (level == trantor::Logger::logLevel())
        {
            return name;
        }
    }
    return "error";
}
}  // namespace relayer::plugins
