// docs/architecture.md has whatever there is of the kinds that it lists: tables, parts, threads.
#include "config/drogon_file.h"
#include "support/source_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace relayer::test
{
namespace
{
std::string contentOf(const std::filesystem::path &path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// From its heading to the next one.
std::string section(const std::string &heading)
{
    const std::string document = contentOf(sourceDir() / "docs/architecture.md");
    const std::size_t begin = document.find("\n## " + heading + "\n");
    return begin == std::string::npos
               ? ""
               : document.substr(begin, document.find("\n## ", begin + 1) - begin);
}

// What stands between the two, in each file of the folder.
std::set<std::string> named(const std::string &folder, const std::string &before,
                            const std::string &after)
{
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(sourceDir() / folder))
    {
        if (!entry.is_regular_file())
        {
            continue;
        }
        const std::string text = contentOf(entry.path());
        for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;)
        {
            at += before.size();
            names.insert(text.substr(at, text.find(after, at) - at));
        }
    }
    return names;
}

// Whether a row of a table in this text begins with a cell that names it.
bool hasRow(const std::string &text, const std::string &name)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
    {
        const std::string cell = line.substr(0, line.find('|', 1));
        if (line.starts_with('|') && cell.find("`" + name + "`") != std::string::npos)
        {
            return true;
        }
    }
    return false;
}

TEST(ArchitectureDocument, HasARowForEachTable)
{
    const std::string text = section("The tables");
    const auto tables = named("migrations", "CREATE TABLE ", " ");
    EXPECT_GT(tables.size(), 15U);
    for (const std::string &table : tables)
    {
        EXPECT_TRUE(hasRow(text, table)) << table;
    }
}

TEST(ArchitectureDocument, NamesEachPartThatAStartStarts)
{
    const std::string text = section("Start");
    EXPECT_GT(config::modulePlugins().size(), 15U);
    for (const config::ModulePlugin &plugin : config::modulePlugins())
    {
        const std::string name(plugin.name.substr(plugin.name.rfind(':') + 1));
        EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name;
    }
}

TEST(ArchitectureDocument, NamesEachLoopOfAPlugin)
{
    const std::string text = section("Threads");
    const auto loops = named("plugins", "OwnLoop>(\"", "\"");
    EXPECT_GT(loops.size(), 5U);
    for (const std::string &loop : loops)
    {
        EXPECT_NE(text.find("`" + loop + "`"), std::string::npos) << loop;
    }
}
}  // namespace
}  // namespace relayer::test
