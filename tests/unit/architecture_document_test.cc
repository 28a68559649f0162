// docs/architecture.md has whatever there is of the kinds that it lists: tables, parts, threads.
#include "config/drogon_file.h"
#include "support/source_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
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

// What the first group of the expression is, in each file of the folder.
std::set<std::string> named(const std::string &folder, const std::string &expression)
{
    const std::regex wanted(expression);
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(sourceDir() / folder))
    {
        if (!entry.is_regular_file())
        {
            continue;
        }
        const std::string text = contentOf(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
        {
            names.insert((*at)[1].str());
        }
    }
    return names;
}

TEST(ArchitectureDocument, HasARowForEachTable)
{
    const std::string text = section("The tables");
    const auto tables = named("migrations", "CREATE TABLE ([a-z_]+) ");
    EXPECT_GT(tables.size(), 15U);
    for (const std::string &table : tables)
    {
        EXPECT_TRUE(std::regex_search(text, std::regex("\n\\|[^|\n]*`" + table + "`"))) << table;
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
    const auto loops = named("plugins", R"re(OwnLoop>\("([A-Za-z]+)"\))re");
    EXPECT_GT(loops.size(), 5U);
    for (const std::string &loop : loops)
    {
        EXPECT_NE(text.find("`" + loop + "`"), std::string::npos) << loop;
    }
}
}  // namespace
}  // namespace relayer::test
