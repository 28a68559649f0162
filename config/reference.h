#pragma once

#include "config/load.h"

#include <string>

namespace relayer::config
{
/// What --print-config shows: each value in effect with where it came from, secrets masked.
std::string effectiveConfiguration(const Loaded &loaded);
/// The same as one JSON object: `{"log.level": {"value": "info", "origin": "default"}, ...}`.
std::string effectiveConfigurationAsJson(const Loaded &loaded);

/// The text of docs/configuration.md.
std::string configurationReference();

/// The text of config.json: every key with its default and a comment.
std::string exampleFile();
}  // namespace relayer::config
