#include "config/drogon_file.h"
#include "config/reference.h"
#include "config/schema.h"
#include "plugins/settings.h"
#include "support/source_dir.h"
#include "unit/config_testing.h"

using namespace relayer::config;
using namespace relayer::config::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace
{
std::string inSource(const std::string &name)
{
    return (relayer::test::sourceDir() / name).string();
}
}  // namespace

TEST(ConfigReference, TheDocumentHasNotDriftedFromTheCode)
{
    EXPECT_EQ(contentOf(inSource("docs/configuration.md")), configurationReference())
        << "write it again: relayer --config-reference > docs/configuration.md";
}

TEST(ConfigReference, TheFileInTheRepositoryHasNotDriftedFromTheCode)
{
    EXPECT_EQ(contentOf(inSource("config.json")), exampleFile())
        << "write it again: relayer --config-example > config.json";
}

TEST(ConfigReference, TheFileInTheRepositoryIsValidAndHoldsEveryKeyWithItsDefault)
{
    Problems problems;
    const auto file = readDrogonFile(inSource("config.json"), problems);
    ASSERT_TRUE(file.has_value());
    std::vector<std::string> registered;
    for (const auto &plugin : modulePlugins())
    {
        registered.emplace_back(plugin.name);
    }
    checkDrogonFile(*file, registered, problems);
    EXPECT_THAT(linesOf(problems), IsEmpty());

    auto loaded = load({settingsTree(*file), requiredVariables(), {}, "h"});
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    auto defaults = load({{}, requiredVariables(), {}, "h"});
    const auto fromFile = describe(loaded.settings);
    const auto byDefault = describe(defaults.settings);
    for (std::size_t i = 0; i < fromFile.size(); ++i)
    {
        const std::string path(fromFile[i].path);
        EXPECT_EQ(print(fromFile[i].field), print(byDefault[i].field)) << path;
        EXPECT_TRUE(isSecret(fromFile[i].field) || loaded.origins.contains(path)) << path;
    }
}

TEST(ConfigReference, EveryKeyOfTheFileInTheRepositoryHasACommentAboveIt)
{
    std::istringstream lines(contentOf(inSource("config.json")));
    std::string above;
    bool inTree = false;
    for (std::string text; std::getline(lines, text); above = text)
    {
        const auto start = text.find_first_not_of(' ');
        inTree = inTree || text.find("\"config\": {") != std::string::npos;
        if (inTree && start > 12 && text.compare(start, 1, "\"") == 0)
        {
            EXPECT_THAT(above, HasSubstr("// ")) << text;
        }
        if (start == 12 && text.compare(start, 1, "}") == 0)
        {
            break;
        }
    }
    EXPECT_TRUE(inTree);
}

TEST(ConfigReference, TheDocumentNamesEveryKeyAndItsVariable)
{
    Settings settings;
    const auto text = configurationReference();
    for (const auto &key : describe(settings))
    {
        EXPECT_THAT(text, HasSubstr("`" + std::string(key.path) + "`<br>`" +
                                    environmentName(key.path) + "`"));
    }
}

TEST(ConfigPrint, ShowsEachValueInEffectWithItsOrigin)
{
    auto sources = sourcesWith(R"({"log": {"level": "warn"}})");
    sources.environment["RELAYER_HTTP__MAX_BODY"] = "4MiB";
    sources.commandLine["host.port"] = "0";
    const auto text = effectiveConfiguration(load(sources));
    EXPECT_THAT(text, ::testing::ContainsRegex("log.level = \"warn\" +file\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("http.max_body = \"4MiB\" +environment\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("host.port = 0 +command line\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("host.io_threads = 0 +default\n"));
    EXPECT_THAT(text,
                ::testing::ContainsRegex("instance.name = \"host-of-the-test\" +host name\n"));
}

TEST(ConfigPrint, MasksSecretsWhereverTheyCameFrom)
{
    const Folder folder;
    auto sources = sourcesWith("{\"database\": {\"direct_url_file\": \"" +
                               folder.file("url", databaseUrl) + "\"}}");
    const auto loaded = load(sources);
    const auto text = effectiveConfiguration(loaded);
    EXPECT_EQ(loaded.settings.database.directUrl.reveal(), databaseUrl);
    EXPECT_THAT(text, Not(HasSubstr(password)));
    EXPECT_THAT(text, ::testing::ContainsRegex("database.url = \"[*]{3}\" +environment\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("database.direct_url = \"[*]{3}\" +secret file\n"));
}

TEST(ConfigPlugin, AnEmbeddedModuleWithAWrongConfigurationThrowsAndNamesTheProblem)
{
    relayer::plugins::Settings::provide(std::nullopt);
    relayer::plugins::Settings plugin;
    try
    {
        plugin.initAndStart(json(R"({"log": {"level": "chatty"}, "nonsense": 1})"));
        FAIL() << "it took a wrong configuration";
    }
    catch (const relayer::plugins::ConfigError &error)
    {
        EXPECT_THAT(error.what(), HasSubstr("log.level: \"chatty\" is not one of"));
        EXPECT_THAT(error.what(), HasSubstr("and more"));
    }
}

TEST(ConfigPlugin, TakesWhatTheHostHasCheckedAndReadsNothingAgain)
{
    auto checked = load(sourcesWith(R"({"http": {"max_handles": 7}})")).settings;
    relayer::plugins::Settings::provide(checked);
    relayer::plugins::Settings plugin;
    plugin.initAndStart(json(R"({"nonsense": 1})"));
    EXPECT_EQ(plugin.values().http.maxHandles, 7U);
    EXPECT_EQ(plugin.values().database.url.reveal(), databaseUrl);
    relayer::plugins::Settings::provide(std::nullopt);
}
