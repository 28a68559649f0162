#include "config/command_line.h"
#include "config/drogon_file.h"
#include "config/port_reservation.h"
#include "config/program.h"
#include "config/upload_folder.h"
#include "unit/config_testing.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace relayer::config;
using namespace relayer::config::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace
{
using Task = CommandLine::Task;

const std::vector<std::string> registered = [] {
    std::vector<std::string> names = {"drogon::plugin::AccessLogger"};
    for (const auto &plugin : modulePlugins())
    {
        names.emplace_back(plugin.name);
    }
    return names;
}();

/// The place in the list of the first plugin after ours.
std::string after(std::size_t more = 0)
{
    return "plugins[" + std::to_string(modulePlugins().size() + more) + "]";
}

CommandLine parse(std::vector<const char *> arguments)
{
    return parseCommandLine(arguments);
}

std::vector<std::string> problemsOfFile(const std::string &text)
{
    Problems problems;
    if (const auto file = parseDrogonFile("config.json", text, problems))
    {
        checkDrogonFile(*file, registered, problems);
    }
    return linesOf(problems);
}

/// Our plugins as they should be listed, with our settings in the first.
std::string ourPlugins(const std::string &settings = "{}")
{
    std::string list;
    for (const auto &plugin : modulePlugins())
    {
        std::string needs;
        for (const auto dependency : plugin.dependencies)
        {
            needs += (needs.empty() ? "\"" : ", \"") + std::string(dependency) + '"';
        }
        list += (list.empty() ? "" : ",\n") + std::string(R"({"name": ")") +
                std::string(plugin.name) + R"(", "dependencies": [)" + needs + R"(], "config": )" +
                (plugin.name == settingsPlugin ? settings : "{}") + "}";
    }
    return list;
}

/// The same with more members of the file after them.
std::string fileWith(const std::string &more, const std::string &morePlugins = "")
{
    return R"({"plugins": [)" + ourPlugins() + morePlugins + "]" + more + "}";
}

Environment withDatabase(Environment more = {})
{
    more.merge(requiredVariables());
    return more;
}
}  // namespace

TEST(ConfigCommandLine, ReadsOptionsInBothSpellings)
{
    const auto line = parse({"--config", "a.json", "--port=0"});
    EXPECT_EQ(line.wrong, "");
    EXPECT_EQ(line.task, Task::Run);
    EXPECT_EQ(line.configFile, "a.json");
    EXPECT_EQ(line.settings.at("host.port"), "0");
    EXPECT_EQ(parse({"--config=b=c.json"}).configFile, "b=c.json");
    EXPECT_EQ(parse({}).configFile, std::nullopt);
}

TEST(ConfigCommandLine, KnowsItsTasks)
{
    EXPECT_EQ(parse({"--check-config"}).task, Task::CheckConfig);
    EXPECT_EQ(parse({"--print-config", "--port", "1"}).task, Task::PrintConfig);
    EXPECT_EQ(parse({"--migrate"}).task, Task::Migrate);
    EXPECT_TRUE(parse({"--json", "--print-config"}).asJson);
    EXPECT_EQ(parse({"--config-reference"}).task, Task::ConfigReference);
    EXPECT_EQ(parse({"--config-example"}).task, Task::ConfigExample);
    EXPECT_EQ(parse({"--version"}).task, Task::Version);
    EXPECT_EQ(parse({"--help"}).task, Task::Help);
}

TEST(ConfigCommandLine, SaysWhatIsWrongWithAnOption)
{
    EXPECT_EQ(parse({"--chek-config"}).wrong,
              "unknown option \"--chek-config\" (did you mean --check-config?)");
    EXPECT_EQ(parse({"config.json"}).wrong, "unknown option \"config.json\"");
    EXPECT_EQ(parse({"--port"}).wrong, "--port needs a value");
    EXPECT_EQ(parse({"--json"}).wrong, "--json belongs to --print-config");
    EXPECT_EQ(parse({"--json", "--migrate"}).wrong, "--json belongs to --print-config");
    EXPECT_EQ(parse({"--version=2"}).wrong, "--version takes no value");
    EXPECT_EQ(parse({""}).wrong, "unknown option \"\"");
}

TEST(ConfigCommandLine, TheUsageNamesEveryOption)
{
    for (const auto *option : {"--config ", "--port ", "--check-config", "--print-config",
                               "--config-reference", "--config-example", "--version", "--help"})
    {
        EXPECT_THAT(std::string(usage()), HasSubstr(option));
    }
}

TEST(ConfigFile, DrogonsOwnSectionsMayStandBesideOurPlugins)
{
    EXPECT_THAT(problemsOfFile(fileWith(
                    R"(, "app": {"max_connections": 1000}, "listeners": [], "ssl": {},
                    "db_clients": [], "redis_clients": [], "custom_config": {"mine": 1})",
                    R"(, {"name": "drogon::plugin::AccessLogger", "config": {"log_path": ""}})")),
                IsEmpty());
}

TEST(ConfigFile, CommentsAreAllowed)
{
    EXPECT_THAT(problemsOfFile("// why\n" + fileWith(" /* and why */ ")), IsEmpty());
}

TEST(ConfigFile, WhatIsNoJsonIsReportedWithItsPlaceInOneLine)
{
    EXPECT_THAT(problemsOfFile("{\n \"plugins\": [1 2]\n}"),
                ElementsAre("config.json: Line 2, Column 16: Missing ',' or ']' in array "
                            "declaration"));
    EXPECT_THAT(problemsOfFile(""), ElementsAre(HasSubstr("config.json: Line 1, Column 1")));
    EXPECT_THAT(problemsOfFile("[]"), ElementsAre("config.json: must hold an object"));
    EXPECT_THAT(problemsOfFile("{} {}"), ElementsAre(HasSubstr("config.json: Line 1, Column 4")));
    EXPECT_THAT(problemsOfFile(R"({"app": {}, "app": {}})"),
                ElementsAre(HasSubstr("Duplicate key: 'app'")));
    EXPECT_THAT(problemsOfFile(std::string(100000, '[')),
                ElementsAre("config.json: is nested too deeply"));
}

TEST(ConfigFile, AnUnknownSectionIsReported)
{
    EXPECT_THAT(
        problemsOfFile(fileWith(R"(, "listener": [], "database": {})")),
        ElementsAre("database: unknown key", "listener: unknown key (did you mean listeners?)"));
}

TEST(ConfigFile, WhatTheHostSetsMayNotBeSetASecondTime)
{
    EXPECT_THAT(problemsOfFile(fileWith(
                    R"(, "app": {"number_of_threads": 4,
                       "log": {"log_level": "DEBUG", "log_path": "/tmp"}})")),
                ElementsAre("app.number_of_threads: is set by this program; use host.io_threads",
                            "app.log.log_level: is set by this program; use log.level",
                            "app.log.log_path: is set by this program; use log.format"));
    EXPECT_THAT(problemsOfFile(fileWith(R"(, "app": [])")), ElementsAre("app: must be an object"));
}

TEST(ConfigFile, PluginsThatDrogonWouldPassOverOrAbortAtAreReported)
{
    EXPECT_THAT(problemsOfFile(fileWith("", R"(, {"name": "relayer::plugins::Stor"})")),
                ElementsAre(after() + ".name: \"relayer::plugins::Stor\" is not a plugin of this "
                                      "program (did you mean relayer::plugins::Store?)"));
    EXPECT_THAT(
        problemsOfFile(fileWith("", R"(, {"name": "drogon::plugin::AccessLogger",
                    "dependencies": ["drogon::plugin::Hodor"]})")),
        ElementsAre(after() + ".dependencies: \"drogon::plugin::Hodor\" is not listed above "
                              "this plugin"));
    EXPECT_THAT(problemsOfFile(fileWith("", R"(, {"name": "relayer::plugins::Store"})")),
                ElementsAre(after() + ".name: \"relayer::plugins::Store\" is listed twice"));
    EXPECT_THAT(problemsOfFile(fileWith("", R"(, {"nam": "x"}, 5)")),
                ElementsAre(after() + ": must be an object with the name of a plugin",
                            after(1) + ": must be an object with the name of a plugin"));
    EXPECT_THAT(problemsOfFile(R"({"plugins": {}})"),
                ElementsAre("plugins: must be a list of plugins"));
}

TEST(ConfigFile, APluginThatNeedsItselfIsReported)
{
    EXPECT_THAT(problemsOfFile(fileWith("", R"(, {"name": "drogon::plugin::AccessLogger",
                    "dependencies": ["drogon::plugin::AccessLogger"]})")),
                ElementsAre(HasSubstr("is not listed above this plugin")));
}

TEST(ConfigFile, OurPluginsMustBeListedAndOnlyOneOfThemIsConfigured)
{
    EXPECT_THAT(problemsOfFile(R"({"plugins": [{"name": "relayer::plugins::Settings"}]})"),
                Contains("plugins: relayer::plugins::Store is not listed"));
    auto configured = fileWith("");
    const std::string empty = R"("config": {}})";
    configured.replace(configured.rfind(empty), empty.size(), R"("config": {"rate": 8}})");
    EXPECT_THAT(problemsOfFile(configured),
                ElementsAre(HasSubstr(".config: must be empty: all our settings stand in the "
                                      "config of relayer::plugins::Settings")));
}

TEST(ConfigProgram, TakesTheFileOfTheCommandLineBeforeThatOfTheEnvironment)
{
    const Folder folder;
    const auto portIs = [&](const char *name, const char *port) {
        const auto settings = std::string(R"({"host": {"port": )") + port + "}}";
        return folder.file(name, R"({"plugins": [)" + ourPlugins(settings) + "]}");
    };
    const auto first = portIs("first.json", "1111");
    const auto environment = withDatabase({{"RELAYER_CONFIG", portIs("second.json", "2222")}});
    auto program = prepare(parse({"--config", first.c_str()}), environment, "h", registered);
    EXPECT_THAT(linesOf(program.loaded.problems), IsEmpty());
    EXPECT_EQ(program.loaded.settings.host.port, 1111U);
    program = prepare(parse({}), environment, "h", registered);
    EXPECT_EQ(program.loaded.settings.host.port, 2222U);
    program = prepare(parse({"--port", "3333"}), environment, "h", registered);
    EXPECT_EQ(program.loaded.settings.host.port, 3333U);
}

TEST(ConfigProgram, AFileThatIsNamedMustBeThere)
{
    const auto program =
        prepare(parse({"--config", "/nowhere/config.json"}), withDatabase(), "h", registered);
    EXPECT_THAT(linesOf(program.loaded.problems),
                ElementsAre("/nowhere/config.json: cannot be read: No such file or directory"));
}

TEST(ConfigProgram, ReportsProblemsOfTheFileAndOfTheSettingsTogether)
{
    const Folder folder;
    const auto path = folder.file("config.json", fileWith(R"(, "ap": 1)"));
    const auto program = prepare(parse({"--config", path.c_str(), "--port", "x"}),
                                 relayer::test::nominalTimes(), "h", registered);
    EXPECT_THAT(linesOf(program.loaded.problems),
                ElementsAre(HasSubstr("ap: unknown key"),
                            HasSubstr("host.port (command line): \"x\" is not an integer"),
                            HasSubstr("database.url: is required")));
}

TEST(ConfigProgram, TheDefaultsThatStandInForAFileAreValid)
{
    Problems problems;
    checkDrogonFile(defaultDrogonFile(), registered, problems);
    EXPECT_THAT(linesOf(problems), IsEmpty());
}

TEST(PortReservation, TakesAFreePortAndSaysWhich)
{
    for (const auto *address : {"127.0.0.1", "::1"})
    {
        const PortReservation port(address, 0);
        EXPECT_EQ(port.wrong(), "");
        EXPECT_GT(port.port(), 0);
    }
}

TEST(PortReservation, FindsAPortThatAnotherListensOn)
{
    const PortReservation free("127.0.0.1", 0);
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_GE(listener, 0);
    // Listening without an address takes a free port of all addresses.
    ASSERT_EQ(::listen(listener, 1), 0);
    sockaddr_in bound{};
    socklen_t length = sizeof(bound);
    ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr *>(&bound), &length), 0);
    const auto number = ntohs(bound.sin_port);
    const PortReservation taken("127.0.0.1", number);
    EXPECT_EQ(taken.wrong(),
              "127.0.0.1:" + std::to_string(number) + " is in use by another program");
    ::close(listener);
    EXPECT_EQ(PortReservation("127.0.0.1", number).wrong(), "");
    EXPECT_EQ(free.wrong(), "");
}

TEST(PortReservation, SaysWhyAnAddressCanNotBeHad)
{
    EXPECT_THAT(PortReservation("192.0.2.1", 0).wrong(), HasSubstr("cannot listen on 192.0.2.1:0"));
    EXPECT_THAT(PortReservation("nowhere", 0).wrong(), HasSubstr("is not a numeric address"));
    EXPECT_EQ(hostAndPort("::1", 80), "[::1]:80");
}

TEST(UploadFolder, IsThePrivateFolderOfThisUserAndTheSameEachTime)
{
    const Folder folder;
    const auto first = uploadFolder(folder.path());
    struct stat found{};
    ASSERT_EQ(lstat(first.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0700U);
    EXPECT_EQ(uploadFolder(folder.path()), first);
}

TEST(UploadFolder, IsNotOneThatSomebodyElsePrepared)
{
    const Folder folder;
    const Folder elsewhere;
    const auto expected = folder.path() + "/relayer-uploads-" + std::to_string(geteuid());
    ASSERT_EQ(symlink(elsewhere.path().c_str(), expected.c_str()), 0);
    const auto fresh = uploadFolder(folder.path());
    EXPECT_NE(fresh, "");
    EXPECT_NE(fresh, expected);
    EXPECT_EQ(unlink(expected.c_str()), 0);
    ASSERT_EQ(mkdir(expected.c_str(), 0777), 0);
    ASSERT_EQ(chmod(expected.c_str(), 0777), 0);
    EXPECT_NE(uploadFolder(folder.path()), expected);
    EXPECT_EQ(uploadFolder(folder.path() + "/none"), "");
}
