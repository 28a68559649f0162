#pragma once

#include "config/settings.h"

#include <json/value.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace relayer::config
{
/// Something an operator has to put right: where (a path in the file, a variable, an option), and
/// what would be accepted. Never holds the value of a secret.
struct Problem
{
    std::string where;
    std::string text;
};
using Problems = std::vector<Problem>;
/// `database.write_connections: 0 is below the minimum of 1`
std::string line(const Problem &problem);

using Environment = std::map<std::string, std::string, std::less<>>;
/// The RELAYER_ variables of this process.
Environment processEnvironment();
std::string processHostName();

/// Where values come from; later ones win: defaults, the file, the environment, the command line.
struct Sources
{
    /// The `config` of our plugin's entry in the file; null when there is no file.
    Json::Value tree;
    Environment environment;
    /// path -> value
    std::map<std::string, std::string, std::less<>> commandLine;
    std::string hostName;
    /// What PostgreSQL's client calls the database of one of the application's db_clients; empty:
    /// there is none of that name. Null: this is not an application that embeds the module.
    std::function<std::string(const std::string &name)> dbClient = nullptr;
};

struct Loaded
{
    Settings settings;
    /// path -> where the value came from ("file", "environment", ...); absent: the default
    std::map<std::string, std::string, std::less<>> origins;
    Problems problems;
};

/// Total: whatever the sources hold, the result is settings or the list of everything that is
/// wrong.
Loaded load(const Sources &sources);
}  // namespace relayer::config
