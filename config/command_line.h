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
        Migrate,
        ImportConfig,
        ConfigReference,
        ConfigExample,
        Prove,
        Version,
        Help,
    };
    Task task{Task::Run};
    std::optional<std::string> configFile;
    /// For Prove: the library to prove with. Only the relayer itself asks for that.
    std::string proverLibrary;
    /// For ImportConfig: the reference relayer's.
    std::string foreignConfig;
    /// For PrintConfig: JSON in place of text.
    bool asJson = false;
    /// path -> value, for Sources::commandLine
    std::map<std::string, std::string, std::less<>> settings;
    /// Why the arguments make no sense; empty when they do.
    std::string wrong;
};

CommandLine parseCommandLine(std::span<const char *const> arguments);
std::string_view usage();
}  // namespace relayer::config
