#include "config/load.h"
#include "config/printable.h"
#include "config/schema.h"
#include "unit/config_testing.h"

#include <set>

using namespace relayer::config;
using namespace relayer::config::testing;
using namespace std::chrono_literals;
using relayer::test::nominalTimes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace
{
/// What is wrong with one value of one key.
std::vector<std::string> problemsWith(const std::string &section, const std::string &member)
{
    return problemsOf(sourcesWith("{\"" + section + "\": {" + member + "}}"));
}

void *memberOf(const Field &field)
{
    return std::visit([](const auto &rule) { return static_cast<void *>(rule.value); }, field);
}
}  // namespace

TEST(ConfigTree, WithoutAFileEveryKeyHasItsDefault)
{
    const auto loaded = load({{}, requiredVariables(), {}, "alpha"});
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    EXPECT_EQ(loaded.settings.host.address, "127.0.0.1");
    EXPECT_EQ(loaded.settings.host.port, 8088U);
    EXPECT_EQ(loaded.settings.host.idleConnectionTimeout, 90s);
    EXPECT_EQ(loaded.settings.http.maxBody, 2097152U);
    EXPECT_EQ(loaded.settings.instance.name, "alpha");
    EXPECT_EQ(loaded.settings.database.url.reveal(), databaseUrl);
    EXPECT_EQ(loaded.settings.database.writeConnections, 4U);
    EXPECT_EQ(loaded.settings.database.statementTimeout, 5s);
    EXPECT_TRUE(loaded.settings.database.migrate);
    EXPECT_EQ(loaded.settings.admission.maxBatchRows, 512U);
    EXPECT_EQ(loaded.settings.transitions.inFlight, 2U);
    EXPECT_EQ(loaded.settings.log.level, "info");
}

TEST(ConfigTree, ReadsEachTypeFromTheFile)
{
    const auto loaded = load(sourcesWith(R"({
        "host": {"address": "::1", "port": 0},
        "http": {"max_body": 1048576},
        "instance": {"name": "relayer-1.eu_west"},
        "database": {"migrate": false, "statement_timeout": "1m 30s", "client_timeout": "2m"},
        "admission": {"max_batch_bytes": "8MiB"},
        "log": {"level": "debug"}})"));
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    EXPECT_EQ(loaded.settings.host.address, "::1");
    EXPECT_EQ(loaded.settings.host.port, 0U);
    EXPECT_EQ(loaded.settings.http.maxBody, 1048576U);
    EXPECT_EQ(loaded.settings.instance.name, "relayer-1.eu_west");
    EXPECT_FALSE(loaded.settings.database.migrate);
    EXPECT_EQ(loaded.settings.database.statementTimeout, 90s);
    EXPECT_EQ(loaded.settings.admission.maxBatchBytes, 8388608U);
    EXPECT_EQ(loaded.settings.log.level, "debug");
}

TEST(ConfigTree, ReportsEveryProblemWithItsPathNotOnlyTheFirst)
{
    auto sources = sourcesWith(R"({
        "database": {"write_connections": 0, "statement_timeout": "soon"},
        "log": {"level": "chatty"},
        "nonsense": 1})");
    sources.environment["RELAYER_HOST__PORT"] = "70000";
    sources.commandLine["host.port"] = "http";
    EXPECT_THAT(
        problemsOf(sources),
        ElementsAre(
            "database.statement_timeout: \"soon\" is not a duration such as 500ms, 30m, 1h 30m or "
            "7d",
            "database.write_connections: 0 is below the minimum of 1",
            "log.level: \"chatty\" is not one of trace, debug, info, warn, error",
            "nonsense: unknown key", "RELAYER_HOST__PORT: 70000 is above the maximum of 65535",
            "host.port (command line): \"http\" is not an integer"));
}

TEST(ConfigTree, AWrongValueLeavesTheDefaultStanding)
{
    const auto loaded = load(sourcesWith(R"({"admission": {"in_flight": 17}})"));
    EXPECT_EQ(loaded.settings.admission.inFlight, 2U);
    EXPECT_EQ(loaded.origins.count("admission.in_flight"), 0U);
    EXPECT_THAT(linesOf(loaded.problems),
                ElementsAre("admission.in_flight: 17 is above the maximum of 16"));
}

TEST(ConfigTree, IntegersAreWrittenAsIntegersAndStayInRange)
{
    EXPECT_THAT(problemsWith("admission", R"("in_flight": 1)"), IsEmpty());
    EXPECT_THAT(problemsWith("admission", R"("in_flight": 16)"), IsEmpty());
    EXPECT_THAT(problemsWith("admission", R"("in_flight": -1)"),
                ElementsAre("admission.in_flight: -1 is below the minimum of 1"));
    for (const auto *value :
         {"2.0", "2e0", "\"2\"", "true", "null", "[2]", "{}", "1e300", "99999999999999999999999"})
    {
        EXPECT_THAT(problemsWith("admission", std::string("\"in_flight\": ") + value),
                    ElementsAre(HasSubstr("admission.in_flight: must be an integer, not")))
            << value;
    }
}

TEST(ConfigTree, FlagsAreTrueOrFalseAndNothingThatLooksLikeIt)
{
    EXPECT_THAT(problemsWith("database", R"("migrate": false)"), IsEmpty());
    for (const auto *value : {"0", "1", "\"true\"", "null", "[]"})
    {
        EXPECT_THAT(problemsWith("database", std::string("\"migrate\": ") + value),
                    ElementsAre(HasSubstr("database.migrate: must be true or false, not")))
            << value;
    }
}

TEST(ConfigTree, DurationsAreTextInRange)
{
    EXPECT_THAT(problemsWith("host", R"("idle_connection_timeout": "75s")"), IsEmpty());
    EXPECT_THAT(
        problemsWith("host", R"("idle_connection_timeout": "74s 999ms")"),
        ElementsAre("host.idle_connection_timeout: 1m 14s 999ms is below the minimum of 1m 15s"));
    EXPECT_THAT(problemsWith("host", R"("idle_connection_timeout": "2h")"),
                ElementsAre(HasSubstr("above the maximum of 1h")));
    EXPECT_THAT(problemsWith("host", R"("idle_connection_timeout": 90)"),
                ElementsAre(HasSubstr("must be text such as \"30s\"")));
}

TEST(ConfigTree, SizesAreTextOrIntegersInRange)
{
    EXPECT_THAT(problemsWith("http", R"("max_body": "64KiB")"), IsEmpty());
    EXPECT_THAT(problemsWith("http", R"("max_body": 65535)"),
                ElementsAre("http.max_body: 65535B is below the minimum of 64KiB"));
    EXPECT_THAT(problemsWith("http", R"("max_body": "2MB")"),
                ElementsAre(HasSubstr("\"2MB\" is not a size")));
    EXPECT_THAT(problemsWith("http", R"("max_body": 2.5)"),
                ElementsAre(HasSubstr("must be text such as \"2MiB\" or a number of bytes")));
}

TEST(ConfigTree, TextIsHeldToItsFormAndLength)
{
    EXPECT_THAT(problemsWith("instance", "\"name\": \"" + std::string(64, 'a') + "\""), IsEmpty());
    EXPECT_THAT(problemsWith("instance", "\"name\": \"" + std::string(65, 'a') + "\""),
                ElementsAre("instance.name: is longer than 64 characters"));
    EXPECT_THAT(problemsWith("instance", R"("name": "two words")"),
                ElementsAre(HasSubstr("must be letters, digits")));
    EXPECT_THAT(problemsWith("instance", "\"name\": \"a\\u0000b\""),
                ElementsAre(HasSubstr("is not acceptable")));
    EXPECT_THAT(problemsWith("instance", R"("name": 5)"),
                ElementsAre("instance.name: must be text, not an integer"));
    EXPECT_THAT(problemsWith("host", R"("address": "localhost")"),
                ElementsAre(HasSubstr("must be a numeric IPv4 or IPv6 address")));
    EXPECT_THAT(problemsWith("host", R"("address": "")"),
                ElementsAre(HasSubstr("must not be empty")));
}

TEST(ConfigTree, AnUnknownKeyIsNamedAndTheNearestOneOffered)
{
    EXPECT_THAT(
        problemsWith("database", R"("write_conections": 8)"),
        ElementsAre("database.write_conections: unknown key (did you mean write_connections?)"));
    EXPECT_THAT(problemsOf(sourcesWith(R"({"databse": {}})")),
                ElementsAre("databse: unknown key (did you mean database?)"));
    EXPECT_THAT(problemsWith("database", R"("colour": 8)"),
                ElementsAre("database.colour: unknown key"));
}

TEST(ConfigTree, AKeyWithDotsIsNoPath)
{
    EXPECT_THAT(problemsOf(sourcesWith(R"({"database.write_connections": 8})")),
                ElementsAre("database.write_connections: unknown key"));
}

TEST(ConfigTree, ASectionIsAnObject)
{
    EXPECT_THAT(problemsOf(sourcesWith(R"({"database": 8})")),
                ElementsAre("database: must be an object, not an integer"));
    EXPECT_THAT(problemsOf(sourcesWith(R"({"database": null})")),
                ElementsAre("database: must be an object, not null"));
    EXPECT_THAT(problemsOf(sourcesWith("[1]")),
                ElementsAre("config: must be an object, not a list"));
}

TEST(ConfigTree, AProblemStaysOneShortLineWhateverTheFileHolds)
{
    const auto lines = problemsOf(sourcesWith("{\"a\\nb\\u001b[31m\": 1, \"log\": {\"level\": \"" +
                                              std::string(5000, 'x') + "\"}, \"" +
                                              std::string(5000, 'y') + "\": 2}"));
    ASSERT_EQ(lines.size(), 3U);
    for (const auto &text : lines)
    {
        EXPECT_FALSE(hasControlCharacters(text)) << text;
        EXPECT_LT(text.size(), 200U);
    }
}

TEST(ConfigTree, TheClientWaitsLongerThanTheStatementMayTake)
{
    EXPECT_THAT(
        problemsWith("database", R"("statement_timeout": "8s", "client_timeout": "8s")"),
        ElementsAre("database.client_timeout: must be longer than database.statement_timeout"));
    EXPECT_THAT(
        problemsWith("database", R"("statement_timeout": "8s", "client_timeout": "8s 1ms")"),
        IsEmpty());
}

TEST(ConfigTree, AHostNameBecomesAnInstanceName)
{
    auto sources = sourcesWith("{}");
    sources.hostName = "büro rechner";
    EXPECT_EQ(load(sources).settings.instance.name, "b--ro-rechner");
    sources.hostName = std::string(200, 'h');
    EXPECT_EQ(load(sources).settings.instance.name, std::string(64, 'h'));
    sources.hostName = "";
    EXPECT_EQ(load(sources).settings.instance.name, "relayer");
}

TEST(ConfigEnvironment, OverridesTheFileAndTheCommandLineOverridesBoth)
{
    auto sources = sourcesWith(R"({"host": {"port": 1}, "log": {"level": "warn"}})");
    sources.environment["RELAYER_HOST__PORT"] = "2";
    sources.environment["RELAYER_DATABASE__WRITE_CONNECTIONS"] = "8";
    auto loaded = load(sources);
    EXPECT_EQ(loaded.settings.host.port, 2U);
    EXPECT_EQ(loaded.settings.database.writeConnections, 8U);
    EXPECT_EQ(loaded.settings.log.level, "warn");
    sources.commandLine["host.port"] = "3";
    loaded = load(sources);
    EXPECT_EQ(loaded.settings.host.port, 3U);
    EXPECT_EQ(loaded.origins.at("host.port"), "command line");
    EXPECT_EQ(loaded.origins.at("log.level"), "file");
    EXPECT_EQ(loaded.origins.at("database.write_connections"), "environment");
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
}

TEST(ConfigEnvironment, ReadsEveryTypeAndRefusesWhatIsNot)
{
    auto sources = sourcesWith("{}");
    sources.environment["RELAYER_DATABASE__MIGRATE"] = "false";
    sources.environment["RELAYER_HTTP__MAX_BODY"] = "4MiB";
    sources.environment["RELAYER_DATABASE__CONNECT_TIMEOUT"] = "7s";
    const auto loaded = load(sources);
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    EXPECT_FALSE(loaded.settings.database.migrate);
    EXPECT_EQ(loaded.settings.http.maxBody, 4194304U);
    EXPECT_EQ(loaded.settings.database.connectTimeout, 7s);

    sources.environment["RELAYER_DATABASE__MIGRATE"] = "no";
    sources.environment["RELAYER_HTTP__MAX_BODY"] = "";
    sources.environment["RELAYER_DATABASE__CONNECT_TIMEOUT"] = "5";
    EXPECT_THAT(problemsOf(sources),
                ElementsAre(HasSubstr("RELAYER_DATABASE__CONNECT_TIMEOUT: \"5\" is not a duration"),
                            "RELAYER_DATABASE__MIGRATE: \"no\" is neither true nor false",
                            HasSubstr("RELAYER_HTTP__MAX_BODY: \"\" is not a size")));
}

TEST(ConfigEnvironment, AnUnknownVariableIsAProblemUnlessItBelongsToScriptsOrTests)
{
    auto sources = sourcesWith("{}");
    for (const auto *name :
         {"RELAYER_CONFIG", "RELAYER_BIN", "RELAYER_SOURCE_DIR", "RELAYER_SANITIZE",
          "RELAYER_TEST_SEED", "RELAYER_READY_SECONDS", "RELAYER_CI_MINUTES", "PATH"})
    {
        sources.environment[name] = "anything";
    }
    EXPECT_THAT(problemsOf(sources), IsEmpty());
    sources.environment["RELAYER_LOG_LEVEL"] = "debug";
    sources.environment["RELAYER_host__port"] = "1";
    EXPECT_THAT(
        problemsOf(sources),
        ElementsAre("RELAYER_LOG_LEVEL: unknown variable (did you mean RELAYER_LOG__LEVEL?)",
                    HasSubstr("RELAYER_host__port: unknown variable")));
}

TEST(ConfigEnvironment, EveryKeyHasAVariableOfItsOwn)
{
    Settings settings;
    std::set<std::string> names;
    for (const auto &key : describe(settings))
    {
        EXPECT_TRUE(names.insert(environmentName(key.path)).second) << key.path;
    }
    EXPECT_EQ(environmentName("database.write_connections"), "RELAYER_DATABASE__WRITE_CONNECTIONS");
}

/// A value that the key takes: its default, or for what has none and for secrets one that fits.
std::string acceptable(const Key &key)
{
    if (std::holds_alternative<UrlList>(key.field))
    {
        return "node=http://127.0.0.1:1";
    }
    if (std::holds_alternative<SecretText>(key.field))
    {
        if (key.path.starts_with("database."))
        {
            return databaseUrl;
        }
        const bool isKey = key.path == "signer.private_key" || key.path.ends_with("witness_keys");
        return isKey ? std::string(63, '0') + "1" : "0123456789abcdef";
    }
    if (key.path == "instance.name")
    {
        return "one";  // empty: that of the host
    }
    return isMissing(key.field) ? "7" : print(key.field);
}

/// What lists of nodes do not come without.
void addWhatNodesNeed(Environment &environment)
{
    const std::string contract = "0x" + std::string(40, '1');
    environment.emplace("RELAYER_GATEWAY__RPC__READ", "node=http://127.0.0.1:1");
    environment.emplace("RELAYER_GATEWAY__CONTRACTS__DECRYPTION", contract);
    environment.emplace("RELAYER_GATEWAY__CONTRACTS__INPUT_VERIFICATION", contract);
    environment.emplace("RELAYER_SIGNER__PRIVATE_KEY", std::string(63, '0') + "1");
    environment.emplace("RELAYER_PROTOCOL_CONFIG__ADDRESS", contract);
    environment.emplace("RELAYER_PROTOCOL_CONFIG__RPC", "node=http://127.0.0.1:1");
}

TEST(ConfigEnvironment, EveryKeyIsTakenFromItsVariable)
{
    Settings defaults;
    std::size_t count = 0;
    for (const auto &key : describe(defaults))
    {
        if (std::holds_alternative<HostChainList>(key.field))
        {
            continue;  // a variable for each member: see ConfigHostChains
        }
        auto sources = sourcesWith("{}");
        sources.environment[environmentName(key.path)] = acceptable(key);
        if (std::holds_alternative<UrlList>(key.field))
        {
            addWhatNodesNeed(sources.environment);
        }
        const auto loaded = load(sources);
        EXPECT_THAT(linesOf(loaded.problems), IsEmpty()) << key.path;
        const auto origin = loaded.origins.find(key.path);
        ASSERT_NE(origin, loaded.origins.end()) << key.path;
        EXPECT_EQ(origin->second, "environment") << key.path;
        ++count;
    }
    EXPECT_GT(count, 100U);
}

TEST(ConfigSchema, EveryKeyFillsAMemberOfItsOwnAndItsDefaultIsAcceptable)
{
    Settings settings;
    std::set<void *> members;
    for (const auto &key : describe(settings))
    {
        EXPECT_TRUE(members.insert(memberOf(key.field)).second) << key.path;
        EXPECT_FALSE(key.doc.empty()) << key.path;
        if (!isSecret(key.field) && !isMissing(key.field))
        {
            EXPECT_EQ(assign(key.field, print(key.field)), std::nullopt) << key.path;
        }
    }
}

TEST(ConfigSchema, EverySectionIsExplainedAndHasKeys)
{
    Settings settings;
    std::set<std::string_view> used;
    for (const auto &key : describe(settings))
    {
        for (auto path = sectionOf(key.path); !path.empty(); path = sectionOf(path))
        {
            used.insert(path);
        }
    }
    std::set<std::string_view> explained;
    for (const auto &section : sections())
    {
        explained.insert(section.path);
    }
    EXPECT_EQ(used, explained);
}

TEST(ConfigSecrets, TheDatabaseUrlIsRequiredAndTheProblemSaysHowToGiveIt)
{
    EXPECT_THAT(problemsOf({json("{}"), nominalTimes(), {}, "h"}),
                ElementsAre(AllOf(
                    HasSubstr("database.url: is required"), HasSubstr("RELAYER_DATABASE__URL,"),
                    HasSubstr("database.url_file"), HasSubstr("RELAYER_DATABASE__URL_FILE"))));
}

TEST(ConfigSecrets, ASecretInTheFileIsAProblemThatDoesNotRepeatIt)
{
    Sources sources{json("{\"database\": {\"url\": \"" + std::string(databaseUrl) + "\"}}"),
                    nominalTimes(),
                    {},
                    "h"};
    EXPECT_THAT(problemsOf(sources),
                ElementsAre(AllOf(HasSubstr("database.url: a secret does not belong into the file"),
                                  HasSubstr("RELAYER_DATABASE__URL"), HasSubstr("url_file"),
                                  Not(HasSubstr(password)))));
}

TEST(ConfigSecrets, AMalformedSecretIsNotRepeated)
{
    const auto url = std::string("mysql://root:") + password + "@h/d";
    EXPECT_THAT(problemsOf({json("{}"), withDatabaseAs("RELAYER_DATABASE__URL", url), {}, "h"}),
                ElementsAre(AllOf(HasSubstr("RELAYER_DATABASE__URL: is not acceptable"),
                                  HasSubstr("postgresql://"), Not(HasSubstr(password)))));
    EXPECT_THAT(problemsOf({json("{}"), withDatabaseAs("RELAYER_DATABASE__URL", ""), {}, "h"}),
                ElementsAre("RELAYER_DATABASE__URL: is empty"));
}

TEST(ConfigSecrets, ASecretTypedWhereItsPathBelongsIsNotRepeated)
{
    EXPECT_THAT(
        problemsOf(
            {json("{}"), withDatabaseAs("RELAYER_DATABASE__URL_FILE", databaseUrl), {}, "h"}),
        ElementsAre(AllOf(HasSubstr("must be the path of a file"), Not(HasSubstr(password)))));
    const auto pairs = std::string("dbname=relayer password=") + password;
    EXPECT_THAT(
        problemsOf({json("{}"), withDatabaseAs("RELAYER_DATABASE__URL_FILE", pairs), {}, "h"}),
        ElementsAre(AllOf(HasSubstr("must be the path of a file"), Not(HasSubstr(password)))));
}

TEST(ConfigSecrets, AFileGivesASecretWithoutItsLineEnd)
{
    const Folder folder;
    const auto path = folder.file("url", std::string(databaseUrl) + "\r\n");
    const auto loaded =
        load({json("{\"database\": {\"url_file\": \"" + path + "\"}}"), nominalTimes(), {}, "h"});
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    EXPECT_EQ(loaded.settings.database.url.reveal(), databaseUrl);
    EXPECT_EQ(loaded.origins.at("database.url"), "secret file");
}

TEST(ConfigSecrets, AFileThatHoldsNoUsableSecretIsAProblemOfItsKey)
{
    const Folder folder;
    const auto problemsOfFile = [](const std::string &path) {
        return problemsOf(
            {json("{}"), withDatabaseAs("RELAYER_DATABASE__URL_FILE", path), {}, "h"});
    };
    EXPECT_THAT(problemsOfFile(folder.path() + "/none"),
                ElementsAre(HasSubstr("database.url_file: cannot read")));
    EXPECT_THAT(problemsOfFile(folder.path()), ElementsAre(HasSubstr("is a directory")));
    EXPECT_THAT(problemsOfFile(folder.file("empty", "\n")),
                ElementsAre("database.url_file: the content of the file is empty"));
    EXPECT_THAT(problemsOfFile(folder.file("large", std::string(70000, 'x'))),
                ElementsAre(HasSubstr("is too large for a secret")));
    EXPECT_THAT(problemsOfFile(folder.file("two", std::string(password) + "\n" + password)),
                ElementsAre(AllOf(HasSubstr("is not acceptable"), Not(HasSubstr(password)))));
}

TEST(ConfigSecrets, TheEnvironmentOverridesAFileNamedInTheFileButNotOneNamedBesideIt)
{
    auto sources = sourcesWith(R"({"database": {"url_file": "/nowhere/at/all"}})");
    EXPECT_THAT(problemsOf(sources), IsEmpty());
    EXPECT_EQ(load(sources).settings.database.url.reveal(), databaseUrl);
    sources.environment["RELAYER_DATABASE__URL_FILE"] = "/nowhere/at/all";
    EXPECT_THAT(problemsOf(sources),
                ElementsAre("RELAYER_DATABASE__URL: is set and RELAYER_DATABASE__URL_FILE is too: "
                            "keep one"));
}

TEST(ConfigPrintable, OffersAWordOnlyForATypingError)
{
    const std::vector<std::string> names = {"level", "url", "connect_timeout"};
    EXPECT_EQ(didYouMean("levle", names), " (did you mean level?)");
    EXPECT_EQ(didYouMean("ulr", names), " (did you mean url?)");
    EXPECT_EQ(didYouMean("connection_timeout", names), " (did you mean connect_timeout?)");
    EXPECT_EQ(didYouMean("colour", names), "");
    EXPECT_EQ(didYouMean("", names), "");
    EXPECT_EQ(didYouMean(std::string(100000, 'x'), names), "");
}
