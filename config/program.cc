#include "config/program.h"

#include "config/drogon_file.h"

#include <filesystem>
#include <iterator>

namespace relayer::config
{
namespace
{
constexpr const char *fileInWorkingDirectory = "config.json";

/// The file to read; empty when the defaults have to do.
std::string fileToRead(const CommandLine &commandLine, const Environment &environment)
{
    if (commandLine.configFile)
    {
        return *commandLine.configFile;
    }
    if (const auto named = environment.find("RELAYER_CONFIG"); named != environment.end())
    {
        return named->second;
    }
    std::error_code error;
    return std::filesystem::exists(fileInWorkingDirectory, error) ? fileInWorkingDirectory : "";
}
}  // namespace

Program prepare(const CommandLine &commandLine, const Environment &environment,
                const std::string &hostName, std::span<const std::string> registered)
{
    Program program;
    Problems problems;
    const bool named = commandLine.configFile || environment.contains("RELAYER_CONFIG");
    const auto path = fileToRead(commandLine, environment);
    if (path.empty() && !named)
    {
        program.file = defaultDrogonFile();
    }
    else if (auto file = readDrogonFile(path, problems))
    {
        program.file = std::move(*file);
        checkDrogonFile(program.file, registered, problems);
    }
    program.loaded =
        load({settingsTree(program.file), environment, commandLine.settings, hostName});
    auto &all = program.loaded.problems;
    all.insert(all.begin(), std::make_move_iterator(problems.begin()),
               std::make_move_iterator(problems.end()));
    return program;
}
}  // namespace relayer::config
