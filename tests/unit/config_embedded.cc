// What the configuration is like in an application that embeds the module, and where routes stand.
#include "config/reference.h"
#include "core/path_below.h"
#include "unit/config_testing.h"

using namespace relayer::config;
using namespace relayer::config::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace
{
Sources withDbClient(const std::string &name)
{
    auto sources = sourcesWith(R"({"database": {"db_client": ")" + name + R"("}})");
    sources.environment.erase("RELAYER_DATABASE__URL");
    sources.dbClient = [](const std::string &asked) {
        return asked == "main" ? "host=127.0.0.1 dbname=shop password=Geheim99" : "";
    };
    return sources;
}

TEST(ConfigEmbedded, TheDatabaseMayBeThatOfADbClient)
{
    const auto loaded = load(withDbClient("main"));
    EXPECT_THAT(loaded.problems, IsEmpty());
    EXPECT_EQ(loaded.settings.database.url.reveal(),
              "host=127.0.0.1 dbname=shop password=Geheim99");
    EXPECT_EQ(loaded.origins.at("database.url"), "db_clients");
    EXPECT_THAT(effectiveConfiguration(loaded), Not(HasSubstr("Geheim99")));
}

TEST(ConfigEmbedded, ADbClientThatIsNotThereIsTheOnlyProblem)
{
    EXPECT_THAT(problemsOf(withDbClient("other")),
                ElementsAre("database.db_client: this application has no db_client \"other\" for "
                            "PostgreSQL that is not a fast one"));
}

TEST(ConfigEmbedded, ADbClientAndAUrlAreOneTooMany)
{
    auto sources = withDbClient("main");
    sources.environment["RELAYER_DATABASE__URL"] = databaseUrl;
    EXPECT_THAT(problemsOf(sources),
                ElementsAre("database.db_client: is set and database.url is too: keep one"));
}

TEST(ConfigEmbedded, OurOwnProgramHasNoDbClients)
{
    auto sources = withDbClient("main");
    sources.dbClient = nullptr;
    EXPECT_THAT(problemsOf(sources), ElementsAre(HasSubstr("only an application that embeds")));
}

TEST(ConfigEmbedded, APrefixIsAPathWithoutASlashAtItsEnd)
{
    for (const auto *prefix : {"", "/relayer", "/a/b-c_d.e"})
    {
        EXPECT_THAT(problemsOf(sourcesWith(R"({"http": {"path_prefix": ")" + std::string(prefix) +
                                           R"("}})")),
                    IsEmpty())
            << prefix;
    }
    for (const auto *prefix :
         {"/", "relayer", "/relayer/", "//a", "/a//b", "/{a}", "/a b", "/../a", "/.a", "/a?b"})
    {
        EXPECT_THAT(problemsOf(sourcesWith(R"({"http": {"path_prefix": ")" + std::string(prefix) +
                                           R"("}})")),
                    ElementsAre(HasSubstr("http.path_prefix: ")))
            << prefix;
    }
}

TEST(PathBelow, IsTheRestOfThePathAsTheRouterComparesIt)
{
    using relayer::core::pathBelow;
    EXPECT_EQ(pathBelow("", "/v2/keyurl"), "/v2/keyurl");
    EXPECT_EQ(pathBelow("/relayer", "/relayer/v2/keyurl"), "/v2/keyurl");
    EXPECT_EQ(pathBelow("/relayer", "/ReLayer/v2/keyurl"), "/v2/keyurl");
    EXPECT_EQ(pathBelow("/relayer", "/relayer"), "/");
    EXPECT_EQ(pathBelow("/relayer", "/relayers/v2"), "");
    EXPECT_EQ(pathBelow("/relayer", "/relaye"), "");
    EXPECT_EQ(pathBelow("/relayer", "/v2/keyurl"), "");
}
}  // namespace
