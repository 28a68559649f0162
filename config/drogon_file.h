#pragma once

#include "config/load.h"

#include <json/value.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::config
{
/// The plugin whose `config` is our tree.
inline constexpr std::string_view settingsPlugin = "relayer::plugins::Settings";

/// The plugins of the module in the order in which they are listed, each with those it needs.
struct ModulePlugin
{
    std::string_view name;
    std::vector<std::string_view> dependencies;
};
const std::vector<ModulePlugin> &modulePlugins();

/// Parses a Drogon configuration file: JSON with comments. Stricter than Drogon, which lets
/// duplicate keys and text after the end pass. Reports to `problems` and returns nothing when it is
/// no JSON.
std::optional<Json::Value> parseDrogonFile(const std::string &name, std::string_view text,
                                           Problems &problems);
std::optional<Json::Value> readDrogonFile(const std::string &path, Problems &problems);

/// What stands in for the file when there is none: our plugins with their defaults.
Json::Value defaultDrogonFile();

/// Reports what Drogon would pass over in silence or abort at: unknown sections, plugins that do
/// not exist or are missing, and settings that our host program makes itself. `registered` are the
/// classes that this program could create.
void checkDrogonFile(const Json::Value &file, std::span<const std::string> registered,
                     Problems &problems);

/// Lists Drogon's RealIpResolver, unless the file does so itself.
void addRealIpResolver(Json::Value &file, const std::vector<std::string> &trustedProxies);

/// The `config` of our plugin's entry; null when there is none.
Json::Value settingsTree(const Json::Value &file);
}  // namespace relayer::config
