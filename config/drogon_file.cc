#include "config/drogon_file.h"

#include "config/printable.h"

#include <json/reader.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>

namespace relayer::config
{
namespace
{
struct OwnedByHost
{
    std::string_view path;
    std::string_view instead;
};

// Drogon's settings that main.cc makes from ours: two places for one setting would contradict each
// other in silence.
constexpr OwnedByHost ownedByHost[] = {
    {"number_of_threads", "host.io_threads"},
    {"threads_num", "host.io_threads"},
    {"idle_connection_timeout", "host.idle_connection_timeout"},
    {"client_max_body_size", "http.max_body"},
    {"client_max_memory_body_size", "http.max_body"},
    {"client_max_websocket_message_size", "http.max_body"},
    {"upload_path", "the variable TMPDIR"},
    {"server_header_field", "nothing: no server header is sent"},
    {"enable_server_header", "nothing: no server header is sent"},
    {"run_as_daemon", "the service manager"},
    {"relaunch_on_error", "the service manager"},
};

/// jsoncpp reports over several lines ("* Line 3, Column 5\n  Missing ...\n"); one is enough.
std::string firstError(const std::string &report)
{
    std::string out;
    for (const char c : report.substr(0, report.find("\n*")))
    {
        const bool blank = c == '\n' || c == ' ' || c == '*';
        if (!blank)
        {
            out += c;
        }
        else if (!out.empty() && out.back() != ' ')
        {
            out += c == '\n' ? ": " : " ";
        }
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == ':'))
    {
        out.pop_back();
    }
    return out.empty() ? "is not JSON" : out;
}

void checkNames(const Json::Value &object, const std::string &prefix,
                const std::vector<std::string> &names, Problems &problems)
{
    for (const auto &name : object.getMemberNames())
    {
        if (std::find(names.begin(), names.end(), name) == names.end())
        {
            problems.push_back({prefix + printable(name), "unknown key" + didYouMean(name, names)});
        }
    }
}

void checkApp(const Json::Value &app, Problems &problems)
{
    if (!app.isObject())
    {
        problems.push_back({"app", "must be an object"});
        return;
    }
    for (const auto &[path, instead] : ownedByHost)
    {
        if (app.isMember(std::string(path)))
        {
            problems.push_back({"app." + std::string(path),
                                "is set by this program; use " + std::string(instead)});
        }
    }
    if (app["log"].isObject())
    {
        // Drogon would take the log away from us, and with it what is left out of it.
        for (const auto &name : app["log"].getMemberNames())
        {
            problems.push_back({"app.log." + printable(name),
                                name == "log_level" ? "is set by this program; use log.level"
                                                    : "is set by this program; use log.format"});
        }
    }
}

class PluginList
{
  public:
    PluginList(const Json::Value &plugins, std::span<const std::string> registered,
               Problems &problems)
        : plugins_(plugins), registered_(registered), problems_(problems)
    {}

    void check()
    {
        if (!plugins_.isArray())
        {
            problems_.push_back({"plugins", "must be a list of plugins"});
            return;
        }
        for (Json::ArrayIndex i = 0; i < plugins_.size(); ++i)
        {
            checkEntry(plugins_[i], "plugins[" + std::to_string(i) + "]");
        }
        for (Json::ArrayIndex i = 0; i < plugins_.size(); ++i)
        {
            checkDependencies(plugins_[i], "plugins[" + std::to_string(i) + "].dependencies");
        }
        for (const auto &plugin : modulePlugins())
        {
            if (!listed_.contains(plugin.name))
            {
                problems_.push_back({"plugins", std::string(plugin.name) + " is not listed"});
            }
        }
    }

  private:
    void checkEntry(const Json::Value &entry, const std::string &where)
    {
        if (!entry.isObject() || !entry["name"].isString())
        {
            problems_.push_back({where, "must be an object with the name of a plugin"});
            return;
        }
        checkNames(entry, where + '.', {"name", "dependencies", "config"}, problems_);
        const auto name = entry["name"].asString();
        if (!listed_.insert(name).second)
        {
            problems_.push_back({where + ".name", inQuotes(name) + " is listed twice"});
        }
        if (std::find(registered_.begin(), registered_.end(), name) == registered_.end())
        {
            problems_.push_back({where + ".name", inQuotes(name) +
                                                      " is not a plugin of this program" +
                                                      didYouMean(name, pluginNames())});
        }
        const bool ours = std::any_of(modulePlugins().begin(), modulePlugins().end(),
                                      [&name](const auto &plugin) { return plugin.name == name; });
        if (ours && name != settingsPlugin && !entry["config"].empty())
        {
            problems_.push_back(
                {where + ".config", "must be empty: all our settings stand in the config of " +
                                        std::string(settingsPlugin)});
        }
    }

    /// Drogon aborts at a dependency that is not listed, and at a circle; a plugin may therefore
    /// only depend on those above it.
    void checkDependencies(const Json::Value &entry, const std::string &where)
    {
        if (!entry.isObject() || !entry["name"].isString())
        {
            return;
        }
        const auto &dependencies = entry["dependencies"];
        if (!dependencies.isNull() && !dependencies.isArray())
        {
            problems_.push_back({where, "must be a list of plugin names"});
            return;
        }
        for (const auto &dependency : dependencies)
        {
            if (!dependency.isString())
            {
                problems_.push_back({where, "must be a list of plugin names"});
            }
            else if (!above_.contains(dependency.asString()))
            {
                problems_.push_back(
                    {where, inQuotes(dependency.asString()) + " is not listed above this plugin"});
            }
        }
        above_.insert(entry["name"].asString());
    }

    static std::vector<std::string> pluginNames()
    {
        std::vector<std::string> names;
        for (const auto &plugin : modulePlugins())
        {
            names.emplace_back(plugin.name);
        }
        return names;
    }

    const Json::Value &plugins_;
    std::span<const std::string> registered_;
    Problems &problems_;
    std::set<std::string, std::less<>> listed_;
    std::set<std::string, std::less<>> above_;
};
}  // namespace

const std::vector<ModulePlugin> &modulePlugins()
{
    static const std::vector<ModulePlugin> all = {
        {settingsPlugin, {}},
        {"relayer::plugins::ClientLimits", {settingsPlugin}},
        {"relayer::plugins::Store", {settingsPlugin}},
        {"relayer::plugins::StartupRecovery", {"relayer::plugins::Store"}},
        {"relayer::plugins::Sweeper", {settingsPlugin, "relayer::plugins::Store"}},
        {"relayer::plugins::StatusWatch", {settingsPlugin, "relayer::plugins::Store"}},
        {"relayer::plugins::TxThrottler", {settingsPlugin}},
        {"relayer::plugins::HostChains", {settingsPlugin}},
        {"relayer::plugins::SignatureCheck", {settingsPlugin, "relayer::plugins::HostChains"}},
        {"relayer::plugins::ReadinessGate",
         {"relayer::plugins::Store", "relayer::plugins::TxThrottler",
          "relayer::plugins::HostChains"}},
        {"relayer::plugins::RetryAfter",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::TxThrottler",
          "relayer::plugins::ReadinessGate"}},
        {"relayer::plugins::TxEngine",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::TxThrottler"}},
        {"relayer::plugins::Responses",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::TxEngine"}},
        {"relayer::plugins::GatewayListener",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::TxEngine",
          "relayer::plugins::Responses"}},
        {"relayer::plugins::Metrics",
         {"relayer::plugins::StartupRecovery", "relayer::plugins::TxThrottler",
          "relayer::plugins::RetryAfter", "relayer::plugins::TxEngine",
          "relayer::plugins::GatewayListener", "relayer::plugins::StatusWatch",
          "relayer::plugins::SignatureCheck"}},
        {"relayer::plugins::ShareScheduler",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::Metrics"}},
        {"relayer::plugins::VotingAdmin", {settingsPlugin, "relayer::plugins::Store"}},
        {"relayer::plugins::RuntimeSettings",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::ClientLimits",
          "relayer::plugins::StatusWatch", "relayer::plugins::TxThrottler",
          "relayer::plugins::ReadinessGate", "relayer::plugins::RetryAfter",
          "relayer::plugins::TxEngine", "relayer::plugins::Metrics"}},
        {"relayer::plugins::KeyUrl", {settingsPlugin}},
        {"relayer::plugins::HealthChecks",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::HostChains",
          "relayer::plugins::GatewayListener", "relayer::plugins::KeyUrl"}},
        {"relayer::plugins::Drain",
         {settingsPlugin, "relayer::plugins::Store", "relayer::plugins::Sweeper",
          "relayer::plugins::StatusWatch", "relayer::plugins::TxThrottler",
          "relayer::plugins::ReadinessGate", "relayer::plugins::TxEngine",
          "relayer::plugins::ShareScheduler"}},
    };
    return all;
}

std::optional<Json::Value> parseDrogonFile(const std::string &name, std::string_view text,
                                           Problems &problems)
{
    Json::CharReaderBuilder builder;
    builder["collectComments"] = false;
    builder["rejectDupKeys"] = true;
    builder["failIfExtra"] = true;
    builder["stackLimit"] = 64;
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value file;
    std::string errors;
    try
    {
        if (!reader->parse(text.data(), text.data() + text.size(), &file, &errors))
        {
            problems.push_back({name, firstError(errors)});
            return std::nullopt;
        }
    }
    catch (const std::exception &)
    {
        // jsoncpp throws only here: deeper than stackLimit
        problems.push_back({name, "is nested too deeply"});
        return std::nullopt;
    }
    if (!file.isObject())
    {
        problems.push_back({name, "must hold an object"});
        return std::nullopt;
    }
    return file;
}

std::optional<Json::Value> readDrogonFile(const std::string &path, Problems &problems)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
    {
        problems.push_back({path, "is a directory"});
        return std::nullopt;
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        problems.push_back(
            {path, std::string("cannot be read: ") + std::generic_category().message(errno)});
        return std::nullopt;
    }
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return parseDrogonFile(path, text, problems);
}

Json::Value defaultDrogonFile()
{
    Json::Value file(Json::objectValue);
    for (const auto &plugin : modulePlugins())
    {
        Json::Value entry(Json::objectValue);
        entry["name"] = std::string(plugin.name);
        entry["dependencies"] = Json::Value(Json::arrayValue);
        for (const auto dependency : plugin.dependencies)
        {
            entry["dependencies"].append(std::string(dependency));
        }
        entry["config"] = Json::Value(Json::objectValue);
        file["plugins"].append(entry);
    }
    return file;
}

void checkDrogonFile(const Json::Value &file, std::span<const std::string> registered,
                     Problems &problems)
{
    checkNames(
        file, "",
        {"app", "listeners", "ssl", "db_clients", "redis_clients", "plugins", "custom_config"},
        problems);
    if (file.isMember("app"))
    {
        checkApp(file["app"], problems);
    }
    PluginList(file["plugins"], registered, problems).check();
}

void addRealIpResolver(Json::Value &file, const std::vector<std::string> &trustedProxies)
{
    constexpr const char *name = "drogon::plugin::RealIpResolver";
    for (const auto &entry : file["plugins"])
    {
        if (entry["name"] == Json::Value(name))
        {
            return;
        }
    }
    Json::Value entry(Json::objectValue);
    entry["name"] = name;
    for (const std::string &proxy : trustedProxies)
    {
        entry["config"]["trust_ips"].append(proxy);
    }
    file["plugins"].append(std::move(entry));
}

Json::Value settingsTree(const Json::Value &file)
{
    const auto &plugins = file["plugins"];
    if (!plugins.isArray())
    {
        return Json::nullValue;
    }
    for (const auto &entry : plugins)
    {
        if (entry.isObject() && entry["name"] == Json::Value(std::string(settingsPlugin)))
        {
            return entry["config"];
        }
    }
    return Json::nullValue;
}
}  // namespace relayer::config
