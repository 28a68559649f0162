#include "config/command_line.h"

#include "config/printable.h"

#include <algorithm>
#include <array>

namespace relayer::config
{
namespace
{
using Task = CommandLine::Task;

struct Option
{
    std::string_view name;
    bool takesValue;
    Task task;
};

constexpr std::array options = {
    Option{"--config", true, Task::Run},
    Option{"--port", true, Task::Run},
    Option{"--check-config", false, Task::CheckConfig},
    Option{"--print-config", false, Task::PrintConfig},
    Option{"--json", false, Task::PrintConfig},
    Option{"--migrate", false, Task::Migrate},
    Option{"--import-config", true, Task::ImportConfig},
    Option{"--config-reference", false, Task::ConfigReference},
    Option{"--config-example", false, Task::ConfigExample},
    Option{"--prove-with", true, Task::Prove},
    Option{"--version", false, Task::Version},
    Option{"--help", false, Task::Help},
};

std::string unknownOption(std::string_view name)
{
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const auto &option : options)
    {
        names.emplace_back(option.name);
    }
    return "unknown option " + inQuotes(name) + didYouMean(name, names);
}

void take(CommandLine &line, const Option &option, std::string_view value)
{
    if (option.name == "--config")
    {
        line.configFile = std::string(value);
    }
    else if (option.name == "--port")
    {
        line.settings["host.port"] = std::string(value);
    }
    else if (option.name == "--prove-with")
    {
        line.task = option.task;
        line.proverLibrary = std::string(value);
    }
    else if (option.name == "--import-config")
    {
        line.task = option.task;
        line.foreignConfig = std::string(value);
    }
    else if (option.name == "--json")
    {
        line.asJson = true;
    }
    else
    {
        line.task = option.task;
    }
}
}  // namespace

CommandLine parseCommandLine(std::span<const char *const> arguments)
{
    CommandLine line;
    for (std::size_t i = 0; i < arguments.size() && line.wrong.empty(); ++i)
    {
        const std::string_view argument(arguments[i]);
        const auto equals = argument.find('=');
        const auto name = argument.substr(0, equals);
        const auto option =
            std::find_if(options.begin(), options.end(),
                         [name](const Option &known) { return known.name == name; });
        const bool joined = equals != std::string_view::npos;
        if (option == options.end())
        {
            line.wrong = unknownOption(name);
        }
        else if (joined && !option->takesValue)
        {
            line.wrong = std::string(name) + " takes no value";
        }
        else if (option->takesValue && !joined && i + 1 == arguments.size())
        {
            line.wrong = std::string(name) + " needs a value";
        }
        else if (option->takesValue)
        {
            take(line, *option, joined ? argument.substr(equals + 1) : arguments[++i]);
        }
        else
        {
            take(line, *option, "");
        }
    }
    if (line.asJson && line.task != Task::PrintConfig && line.wrong.empty())
    {
        line.wrong = "--json belongs to --print-config";
    }
    return line;
}

std::string_view usage()
{
    return R"(Usage: relayer [OPTION]...
Runs the relayer until SIGTERM or SIGINT.

  --config FILE        read this file; else the one that RELAYER_CONFIG names, else ./config.json
                       if there is one, else the defaults
  --port N             listen on this port; 0 takes any free one
  --check-config       check file, environment and secrets, print every problem, and stop
  --print-config       print each value in effect and where it came from, secrets masked
  --json               with --print-config: as JSON
  --migrate            bring the database to this program's schema, say what was done, and stop
  --import-config FILE print the configuration of the reference relayer (YAML) as ours, and on the
                       standard error what becomes of each key
  --config-reference   print docs/configuration.md
  --config-example     print a config.json with every key
  --prove-with FILE    answer one question for a proof with this library, from the standard input
                       (plugins/prover_process.h); the relayer starts itself like this
  --version            print the version
  --help               print this

Each key of the file can be overridden: RELAYER_DATABASE__URL=..., RELAYER_LOG__LEVEL=debug.
SIGTERM and SIGINT let it finish what it can (instance.drain_deadline); a second ends it at once.

Exit codes: 0 done, 64 wrong usage, 69 port in use or no database, 70 failed, 75 stopped at the
deadline with work left for the next start, 78 wrong configuration, 128 + N ended by a second
signal N.
)";
}
}  // namespace relayer::config
