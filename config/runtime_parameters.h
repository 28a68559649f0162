// The registry of what can be changed while the program runs: each parameter stands for one key of
// the configuration, and has its limits, its description and its cross checks from there
// (schema_*.cc). What an operator sets goes over what is configured.
#pragma once

#include "config/schema.h"
#include "core/runtime_parameter.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::config
{
/// In the order in which the reference lists its own; ours stand behind those.
const std::vector<core::RuntimeParameter> &runtimeParameters();
/// Null: there is none of that name.
const core::RuntimeParameter *findRuntimeParameter(std::string_view name);
/// What is said of a name that is none.
std::string unknownRuntimeParameter(std::string_view name);
/// The key that it stands for.
std::string_view pathOf(const core::RuntimeParameter &parameter);

/// What it is in these settings, as `override` takes it.
std::string valueOf(const core::RuntimeParameter &parameter, const Settings &settings);

/// name -> value, as text
using Overrides = std::map<std::string, std::string, std::less<>>;

struct Overridden
{
    Settings settings;
    /// What is wrong, each with the name of the parameter in front; the settings are of no use
    /// then.
    std::vector<std::string> wrong;
};
/// All of them or none.
Overridden withOverrides(const Settings &configured, const Overrides &overrides);

/// Those that can be had, of what was kept by another version, or before the configuration was
/// changed: the others are taken out, and named in `wrong`.
Overridden withThoseThatFit(const Settings &configured, Overrides &overrides);
}  // namespace relayer::config
