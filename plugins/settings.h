#pragma once

#include "config/load.h"

#include <drogon/plugins/Plugin.h>

#include <optional>
#include <stdexcept>

namespace relayer::plugins
{
/// Thrown out of app().run() by an embedded module whose configuration is wrong; all problems have
/// been logged by then. Our own program checks first and never gets here.
class ConfigError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The configuration of the module, for the plugins that depend on this one:
///
///     { "name": "relayer::plugins::Settings", "config": { "http": { "retry_after_seconds": 5 } } }
///
/// The keys stand in docs/configuration.md. RELAYER_ variables override them here too. The values
/// are constant from initAndStart on, and may be read by any thread.
class Settings : public drogon::Plugin<Settings>
{
  public:
    /// Hands over what the host program has loaded and checked before Drogon started, and what of
    /// it came from the command line; initAndStart then reads neither file nor environment.
    /// Nothing: it reads both, as it does in an application that embeds the module.
    static void provide(std::optional<config::Settings> checked);

    /// Whether this is an application that embeds the module: then what belongs to the whole
    /// program is not ours to change.
    static bool embedded();

    void initAndStart(const Json::Value &tree) override;
    void shutdown() override;

    const config::Settings &values() const { return *values_; }

    /// For who may be asked while Drogon quits, when there are no plugins any more: a request that
    /// is answered then. Never destroyed. Throws std::runtime_error when nothing has started yet.
    static const config::Settings &lastStarted();

  private:
    void keep(config::Settings values);

    const config::Settings *values_ = nullptr;
};
}  // namespace relayer::plugins
