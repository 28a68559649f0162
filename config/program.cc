#include "config/program.h"

#include "config/drogon_file.h"
#include "config/schema.h"

#include <filesystem>
#include <iterator>

namespace relayer::config
{
namespace
{
constexpr const char *fileInWorkingDirectory = "config.json";

/// The file to read; none when the defaults have to do.
std::optional<std::string> fileToRead(const CommandLine &commandLine,
                                      const Environment &environment)
{
    if (commandLine.configFile)
    {
        return commandLine.configFile;
    }
    if (const auto named = environment.find("RELAYER_CONFIG");
        named != environment.end() && !named->second.empty())
    {
        return named->second;
    }
    std::error_code error;
    if (std::filesystem::exists(fileInWorkingDirectory, error))
    {
        return fileInWorkingDirectory;
    }
    return std::nullopt;
}
}  // namespace

Program prepare(const CommandLine &commandLine, const Environment &environment,
                const std::string &hostName, std::span<const std::string> registered)
{
    Program program;
    Problems problems;
    const auto path = fileToRead(commandLine, environment);
    if (!path)
    {
        program.file = defaultDrogonFile();
    }
    else if (auto file = readDrogonFile(*path, problems))
    {
        program.file = std::move(*file);
        checkDrogonFile(program.file, registered, problems);
    }
    else
    {
        // Without the file nothing can be said about what is missing.
        program.loaded.problems = std::move(problems);
        return program;
    }
    program.loaded =
        load({settingsTree(program.file), environment, commandLine.settings, hostName});
    const auto trustedProxies = partsOf(program.loaded.settings.http.trustedProxies);
    if (!trustedProxies.empty() && problems.empty())
    {
        addRealIpResolver(program.file, trustedProxies);
    }
    auto &all = program.loaded.problems;
    all.insert(all.begin(), std::make_move_iterator(problems.begin()),
               std::make_move_iterator(problems.end()));
    return program;
}
}  // namespace relayer::config
