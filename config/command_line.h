#pragma once

#include "config/load.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace relayer::config
{
/// What the user of the `relayer` program asked for.
struct CommandLine
{
    enum class Task
    {
        Run,
        CheckConfig,
        PrintConfig,
        ConfigReference,
        ConfigExample,
        Version,
        Help,
    };
    Task task{Task::Run};
    std::optional<std::string> configFile;
    /// path -> value, for Sources::commandLine
    std::map<std::string, std::string, std::less<>> settings;
    /// Why the arguments make no sense; empty when they do.
    std::string wrong;
};

CommandLine parseCommandLine(std::span<const char *const> arguments);
std::string_view usage();
}  // namespace relayer::config
