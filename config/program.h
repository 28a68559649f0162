#pragma once

#include "config/command_line.h"
#include "config/load.h"

#include <json/value.h>

#include <span>
#include <string>

namespace relayer::config
{
/// All that the `relayer` program needs before it starts Drogon.
struct Program
{
    /// For drogon::app().loadConfigJson
    Json::Value file;
    Loaded loaded;
};

/// Finds and reads the file, lays environment and command line over it, checks everything.
/// `registered`: the plugin classes that this program could create.
Program prepare(const CommandLine &commandLine, const Environment &environment,
                const std::string &hostName, std::span<const std::string> registered);
}  // namespace relayer::config
