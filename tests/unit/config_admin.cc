#include "unit/config_testing.h"

using namespace relayer::config;
using namespace relayer::config::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace
{
const std::string token = "0123456789abcdef";

Sources withAdmin(const std::string &members, const std::string &beside = "")
{
    return sourcesWith(R"({"admin": {)" + members + "}" + beside + "}");
}

Sources withToken(const std::string &value, const std::string &members = R"("access": "token")")
{
    Sources sources = withAdmin(members);
    sources.environment["RELAYER_ADMIN__TOKEN"] = value;
    return sources;
}
}  // namespace

TEST(ConfigAdmin, IsOffUnlessSomebodyAsksForIt)
{
    const auto admin = load(sourcesWith("{}")).settings.admin;
    EXPECT_EQ(admin.access, "off");
    EXPECT_FALSE(admin.hasOwnListener());
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "open")")), ElementsAre(HasSubstr("off")));
}

TEST(ConfigAdmin, ATokenComesFromTheEnvironmentAndFromAFileButNotFromTheConfiguration)
{
    EXPECT_EQ(load(withToken(token)).settings.admin.token.reveal(), token);
    EXPECT_THAT(problemsOf(withToken(token)), IsEmpty());
    const Folder folder;
    const std::string file = folder.file("admin-token", token + "\n");
    const auto loaded = load(withAdmin(R"("access": "token", "token_file": ")" + file + "\""));
    EXPECT_THAT(linesOf(loaded.problems), IsEmpty());
    EXPECT_EQ(loaded.settings.admin.token.reveal(), token);
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "token", "token": ")" + token + "\"")),
                ElementsAre(AllOf(HasSubstr("admin.token: a secret does not belong into the file"),
                                  Not(HasSubstr(token)))));
}

TEST(ConfigAdmin, ATokenIsNeededAndOneThatCanBeGuessedIsNone)
{
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "token")")),
                ElementsAre(HasSubstr("admin.token: is required while admin.access is token")));
    for (const std::string bad :
         {"short", "0123456789abcde", "0123456789 abcdef", "0123456789äöüxyz"})
    {
        EXPECT_THAT(problemsOf(withToken(bad)),
                    ElementsAre(AllOf(HasSubstr("at least 16 characters"), Not(HasSubstr(bad)))));
    }
}

TEST(ConfigAdmin, WithoutATokenOnlyAListenerOfThisMachineWillDo)
{
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "none")")), IsEmpty());
    for (const std::string address : {"0.0.0.0", "10.0.0.1", "::", "::ffff:127.0.0.1"})
    {
        EXPECT_THAT(problemsOf(withAdmin(R"("access": "none")",
                                         R"(, "host": {"address": ")" + address + "\"}")),
                    ElementsAre(HasSubstr("admin.access: none is only for a listener on")));
        EXPECT_THAT(problemsOf(withAdmin(R"("access": "none", "address": ")" + address + "\"")),
                    ElementsAre(HasSubstr("and admin.address is another")));
    }
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "none", "address": "::1")",
                                     R"(, "host": {"address": "0.0.0.0"})")),
                IsEmpty());
    const std::string proxy = R"(, "http": {"trusted_proxies": "127.0.0.1"})";
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "none")", proxy)),
                ElementsAre(HasSubstr("a proxy in front")));
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "none", "address": "127.0.0.1")", proxy)),
                IsEmpty());
}

TEST(ConfigAdmin, ItsListenerHasAPortOfItsOwn)
{
    const std::string own = R"("address": "127.0.0.1", "port": )";
    EXPECT_THAT(problemsOf(withToken(token, R"("access": "token", )" + own + "8088")),
                ElementsAre("admin.port: must be another than host.port"));
    EXPECT_THAT(problemsOf(withToken(token, R"("access": "token", )" + own + "9000")), IsEmpty());
    EXPECT_THAT(problemsOf(withToken(token, R"("access": "token", )" + own + "0")), IsEmpty());
    EXPECT_THAT(problemsOf(withAdmin(own + "8088")), IsEmpty()) << "it is off";
    EXPECT_THAT(problemsOf(withAdmin(R"("access": "token", "address": "localhost")")),
                ::testing::Contains(HasSubstr("numeric IPv4 or IPv6 address")));
}
