#include "tidy/tree_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

// The test of the tidy test: every rule is broken on purpose at least once, in a small tree that
// breaks nothing else, and every rule is handed what looks similar and is right. Words that a
// search over this repository should not find carry a '|', which whole() takes out.

namespace relayer::tidy
{
namespace
{
struct Case
{
    std::string rule;
    std::string name;
    std::vector<File> tree;
    int line = 1;  // of the one finding, in the last file of a broken tree
};

std::string toString(const std::vector<Finding> &list)
{
    std::string text;
    for (const Finding &finding : list)
        text += tidy::toString(finding) + "\n";
    return text;
}

std::string repeated(std::string_view line, int times)
{
    std::string text;
    for (int i = 0; i < times; ++i)
        text += line;
    return text;
}

std::string bodyOf(int lines)
{
    return "{\n" + repeated("    step(\"}\");  // }\n", lines) + "}\n";
}

std::string functionOf(int lines)
{
    return "Status move(Row row) const\n" + bodyOf(lines);
}

std::vector<Case> all(const std::vector<std::vector<Case>> &parts)
{
    std::vector<Case> cases;
    for (const std::vector<Case> &part : parts)
        cases.insert(cases.end(), part.begin(), part.end());
    for (Case &each : cases)
        for (File &file : each.tree)
            file.text = whole(file.text);
    return cases;
}

std::vector<Case> brokenRooms()
{
    return {
        {"rooms", "CoreIncludesAnotherRoom", {{"core/a.cc", "#include \"models/b.h\"\n"}}},
        {"rooms", "CoreKnowsDrogon", {{"core/a.cc", "int a;\n#include <drogon/drogon.h>\n"}}, 2},
        {"rooms", "ConfigKnowsDrogon", {{"config/a.cc", "#include <drogon/drogon.h>\n"}}},
        {"rooms", "WireKnowsTrantor", {{"wire/a.cc", "#include <trantor/utils/Date.h>\n"}}},
        {"rooms", "ChainKnowsDrogon", {{"chain/a.cc", "#include <drogon/HttpClient.h>\n"}}},
        {"rooms", "CodecsIncludeTheClient", {{"chain/a.cc", "#include \"chain/rpc/b.h\"\n"}}},
        {"rooms", "ModelsKnowHttp", {{"models/a.cc", "#include <drogon/HttpRequest.h>\n"}}},
        {"rooms", "ModelsIncludeWire", {{"models/a.cc", "#include \"wire/b.h\"\n"}}},
        {"rooms",
         "PluginsIncludeControllers",
         {{"plugins/a.cc", "#include \"controllers/b.h\"\n"}}},
        {"rooms", "ControllersIncludeChain", {{"controllers/a.cc", "#include \"chain/b.h\"\n"}}},
        {"rooms", "FiltersIncludeModels", {{"filters/a.cc", "#include \"models/b.h\"\n"}}},
        {"rooms", "ProductionIncludesTests", {{"plugins/a.cc", "#include \"tests/b.h\"\n"}}},
        {"rooms", "ProductionIncludesDevnet", {{"main.cc", "#include \"devnet/b.h\"\n"}}},
        {"rooms", "IncludeClimbs", {{"tests/unit/a.cc", "#include \"../b.h\"\n"}}},
        {"rooms", "IncludeSaysNoRoom", {{"core/a.cc", "#include \"b.h\"\n"}}},
        {"rooms", "UnknownRoom", {{"main.cc", "#include \"attic/b.h\"\n"}}},
        {"rooms", "UnknownRoomInATest", {{"tests/unit/a.cc", "#include \"attic/b.h\"\n"}}},
        {"rooms", "FileInNoRoom", {{"attic/a.cc", "int a;\n"}}},
    };
}

std::vector<Case> brokenBehaviour()
{
    return {
        {"purity", "Clock", {{"core/a.cc", "auto t = std::chrono::system_clock::now();\n"}}},
        {"purity", "OldClock", {{"wire/a.cc", "auto t = std::time(nullptr);\n"}}},
        {"purity", "Randomness", {{"chain/a.cc", "std::mt19937 seed;\n"}}},
        {"purity", "OldRandomness", {{"core/a.cc", "int f()\n{\n    return rand();\n}\n"}}, 3},
        {"purity", "OpenSslRandomness", {{"core/a.cc", "auto n = RAND_bytes(p, 32);\n"}}},
        {"purity", "Printing", {{"core/a.cc", "void f()\n{\n    std::printf(\"a\");\n}\n"}}, 3},
        {"purity", "File", {{"wire/a.cc", "void f()\n{\n    ::open(\"a\", 0);\n}\n"}}, 3},
        {"purity", "Environment", {{"core/a.cc", "auto home = std::getenv(\"HOME\");\n"}}},
        {"purity", "Header", {{"core/a.cc", "#include <fstream>\n"}}},
        {"blocking", "SynchronousSql", {{"models/a.cc", "auto r = db->execSqlSync(text);\n"}}},
        {"blocking", "SyncWait", {{"plugins/a.cc", "auto r = drogon::sync_wait(task());\n"}}},
        {"blocking", "Future", {{"controllers/a.cc", "std::future<int> later;\n"}}},
        {"sleep", "InATest", {{"tests/unit/a.cc", "auto a = std::this_thread::sleep_|for(1s);\n"}}},
        {"sleep", "InProduction", {{"plugins/a.cc", "int f()\n{\n    sleep|(1);\n}\n"}}, 3},
    };
}

std::vector<Case> brokenSql()
{
    return {
        {"sql", "Select", {{"plugins/a.cc", "auto q = \"SELECT id \"\n    \"FROM request\";\n"}}},
        {"sql", "SmallLetters", {{"plugins/a.cc", "auto q = \"delete from request\";\n"}}},
        {"sql",
         "InARawString",
         {{"plugins/a.cc", "auto q = R\"(\nINSERT INTO a VALUES (1))\";\n"}},
         2},
        {"sql",
         "UpdateWithAlias",
         {{"wire/a.cc", "auto q = \"UPDATE lane AS l SET epoch = 1\";\n"}}},
        {"guards", "NotInInAStore", {{"models/a.cc", "auto q = \"WHERE status NOT IN ('a')\";\n"}}},
        {"guards",
         "NotInBeforeAnAppendedList",
         {{"models/a.cc", "auto q = \"status not in \" + l;\n"}}},
        {"guards",
         "NotInInAMigration",
         {{"migrations/0001_a.sql", "SELECT 1\nWHERE a NOT\nIN (1);\n"}},
         2},
        {"guards",
         "StatusByHand",
         {{"models/a.cc",
           "auto q = \"UPDATE request r SET owner = $1, \"\n    \"status = $2\";\n"}}},
        {"guards",
         "StatusByHandOnALineOfItsOwn",
         {{"models/a.cc",
           "auto q = \"WITH a AS (SELECT 1)\\n\"\n    \"UPDATE request SET status = $2\";\n"}},
         2},
        {"writes",
         "OfOnePart",
         {{"models/a.cc", "static const std::string text =\n    \"DELETE FROM duty\";\n"}}},
        {"writes",
         "InAPartOfAWith",
         {{"models/a.cc",
           "static const std::string text = \"WITH a AS (SELECT 1),\\n\"\n    \"b AS (\" + all() +"
           " \"UPDATE lane l SET owner = $1 FROM a)\\n\"\n    \"SELECT 1\";\n"}}},
        {"writes",
         "OnALineOfItsOwn",
         {{"models/a.cc",
           "static const std::string text = \"WITH a AS (SELECT 1)\\n\"\n"
           "    \"DELETE FROM a\";\n"}}},
        {"migrations", "BadName", {{"migrations/1_first.sql", "SELECT 1;\n"}}},
        {"migrations",
         "Gap",
         {{"migrations/0001_a.sql", "SELECT 1;\n"}, {"migrations/0003_c.sql", "SELECT 1;\n"}}},
        {"migrations",
         "Duplicate",
         {{"migrations/0001_a.sql", "SELECT 1;\n"}, {"migrations/0001_b.sql", "SELECT 1;\n"}}},
    };
}

std::vector<Case> brokenShape()
{
    return {
        {"lengths", "Function", {{"core/a.cc", functionOf(71)}}},
        {"lengths", "Constructor", {{"core/a.cc", "A::A(int b)\n    : b_{b}\n" + bodyOf(71)}}},
        {"lengths", "File", {{"core/a.cc", repeated("int a;\n", 501)}}},
        {"lengths", "Controller", {{"controllers/a.cc", repeated("int a;\n", 101)}}},
        {"lengths", "Line", {{"core/a.cc", "int a;\n// " + repeated("é", 98) + "\n"}}, 2},
        {"names", "File", {{"core/text_utils.cc", "int a;\n"}}},
        {"names", "Class", {{"core/a.cc", "class QueueManager final\n{\n};\n"}}},
        {"names", "Struct", {{"core/a.cc", "struct SignerImpl2\n{\n};\n"}}},
        {"headers", "NoPragma", {{"core/a.h", "// What it is for.\nint a;\n"}}},
        {"headers",
         "NoComment",
         {{"core/a.h", "#pragma once\n\nstruct A\n{\n    int b;  // late\n};\n"}}},
        {"banners", "WholeLine", {{"core/a.cc", "int a;\n//==========\n"}}, 2},
        {"banners", "Slashes", {{"core/a.cc", "////////////\n"}}},
        {"banners", "WithTitle", {{"core/a.cc", "// ---- Parts ----------\n"}}},
        {"banners", "InABlock", {{"core/a.cc", "/*\n * what\n **********/\n"}}, 3},
        {"assertions",
         "None",
         {{"tests/unit/a.cc", "TEST(A, B)\n{\n    run();  // EXPECT_EQ\n}\n"}}},
    };
}

std::vector<Case> brokenWords()
{
    return {
        {"unfinished", "InAComment", {{"core/a.cc", "int a;  // TO|DO: more\n"}}},
        {"unfinished", "InAString", {{"wire/a.cc", "auto a = \"Not imple|mented\";\n"}}},
        {"unfinished", "ForTheMoment", {{"wire/a.cc", "// For n|ow one is enough.\n"}}},
        {"unfinished", "InAMigration", {{"migrations/0001_a.sql", "-- FIX|ME\n"}}},
        {"paths", "InAScript", {{"run", "#!/bin/sh\ncd /wo|rk/main\n"}}, 2},
        {"paths", "InADocument", {{"docs/a.md", "See `/fa|rm/a`.\n"}}},
        {"hosts", "Mirror", {{"scripts/setup.sh", "echo http://deb.deb|ian.org/debian\n"}}},
        {"hosts",
         "Download",
         {{"cmake/A.cmake", "URL https://github|.com/a/b/archive/c.tar.gz\n"}}},
        {"secrets",
         "Url",
         {{"plugins/a.cc", "void f()\n{\n    LOG_INFO << \"at \"\n << url_;\n}\n"}},
         4},
        {"secrets",
         "Key",
         {{"plugins/a.cc", "void f()\n{\n    LOG_WARN << lane.privateKey;\n}\n"}},
         3},
        {"markers", "NoReason", {{"core/a.cc", "int a;  // tidy: allow purity:\n"}}},
        {"markers", "NoSuchRule", {{"core/a.cc", "int a;  // tidy: allow everything: please\n"}}},
        {"markers", "Stale", {{"core/a.cc", "int a;  // tidy: allow purity: was once needed\n"}}},
        {"markers", "StaleInAScript", {{"run", "true  # tidy: allow hosts: was once needed\n"}}},
    };
}

std::vector<Case> brokenTrees()
{
    return all({brokenRooms(), brokenBehaviour(), brokenSql(), brokenShape(), brokenWords()});
}

std::vector<Case> goodRooms()
{
    return {
        {"rooms",
         "OwnRoomStdAndOpenSsl",
         {{"core/a.cc", "#include \"core/b.h\"\n#include <map>\n#include <openssl/evp.h>\n"}}},
        {"rooms",
         "OrmInModels",
         {{"models/a.cc",
           "#include <drogon/orm/DbClient.h>\n#include <drogon/utils/coroutine.h>\n"}}},
        {"rooms",
         "DrogonInTheClient",
         {{"chain/rpc/a.cc", "#include \"chain/b.h\"\n#include <drogon/HttpClient.h>\n"}}},
        {"rooms",
         "GeneratedRows",
         {{"models/generated/A.cc", "#include \"A.h\"\n#include <drogon/utils/Utilities.h>\n"}}},
        {"rooms",
         "EverythingInMain",
         {{"main.cc", "#include \"controllers/a.h\"\n#include \"config/b.h\"\n"}}},
        {"rooms",
         "TestsAndTheirSupport",
         {{"tests/support/a.h", "#pragma once\n// For tests.\n"},
          {"tests/unit/b.cc", "#include \"support/a.h\"\n#include \"models/c.h\"\n"}}},
        {"rooms", "IncludeInAComment", {{"core/a.cc", "// #include <drogon/drogon.h>\n"}}},
        {"rooms",
         "IncludeInAString",
         {{"core/a.cc", "auto a = R\"(\n#include \"models/b.h\"\n)\";\n"}}},
    };
}

std::vector<Case> goodBehaviour()
{
    return {
        {"purity",
         "TimeAsArgument",
         {{"core/a.cc", "void f(TimePoint now)\n{\n    g(now, bucket.time(now));\n}\n"}}},
        {"purity",
         "MethodsCalledLikeSystemCalls",
         {{"chain/a.cc",
           "void Cursor::read(int n)\n{\n    from.read(n);\n"
           "    Cursor::open(n);\n    read(n);\n}\n"}}},
        {"purity",
         "WordsInTextOnly",
         {{"wire/a.cc", "auto a = \"clock::now() rand() std::cout\";  // mt19937\n"}}},
        {"purity",
         "ClockInAPlugin",
         {{"plugins/a.cc", "auto t = std::chrono::steady_clock::now();\n"}}},
        {"blocking",
         "Coroutine",
         {{"models/a.cc", "auto r = co_await db->execSqlCoro(text);\nauto p = owner.get();\n"}}},
        {"blocking",
         "FutureInATest",
         {{"tests/unit/a.cc", "std::promise<int> done;\nauto r = done.get_future().get();\n"}}},
        {"sleep",
         "Coroutine",
         {{"plugins/a.cc", "auto r = co_await drogon::sleepCoro(loop, 1s);  // no sleep|(1)\n"}}},
        {"sleep",
         "AllowedWithAReason",
         {{"tests/unit/a.cc",
           "auto a = u|sleep(1);  // tidy: allow sleep: the kernel's timer is what is tested\n"}}},
    };
}

std::vector<Case> goodSql()
{
    return {
        {"sql", "InAStore", {{"models/a.cc", "auto q = \"SELECT a FROM b\";\n"}}},
        {"sql",
         "Prose",
         {{"plugins/a.cc",
           "auto a = \"cannot select the lane, update it from here or insert into it\";\n"
           "// DELETE FROM a\n"}}},
        {"guards",
         "ListOfWhatIsMeant",
         {{"models/a.cc",
           "auto q = \"UPDATE request SET owner = $1 WHERE status = ANY ($2)\";\n"}}},
        {"guards",
         "TheFileThatWritesThem",
         {{"models/request_sql.cc", "auto q = \"UPDATE request SET status = $1\";\n"}}},
        {"guards",
         "CommentsAndProse",
         {{"migrations/0001_a.sql", "-- never NOT IN (...)\nSELECT 1;\n"},
          {"models/a.cc", "auto a = \"is not in the table\";  // NOT IN (a)\n"}}},
        {"writes",
         "AsAWrite",
         {{"models/a.cc", "static const Write text = \"INSERT INTO a VALUES (1)\";\n"}}},
        {"writes",
         "WhatOnlyReads",
         {{"models/a.cc",
           "static const std::string text = \"SELECT id FROM a FOR NO KEY UPDATE OF a\";\n"}}},
        {"writes",
         "WhatTheNextOneMends",
         {{"models/a.cc",
           "static const std::string text =  // tidy: allow writes: another beat follows\n"
           "    \"UPDATE instance SET heartbeat_at = now()\";\n"}}},
        {"migrations",
         "InOrder",
         {{"migrations/0002_b.sql", "SELECT 1;\n"}, {"migrations/0001_a.sql", "SELECT 1;\n"}}},
    };
}

std::vector<Case> goodShape()
{
    return {
        {"lengths", "AtTheLimit", {{"core/a.cc", functionOf(70) + functionOf(70)}}},
        {"lengths",
         "LongTable",
         {{"core/a.cc", "constexpr int kTable[] = {\n" + repeated("    f(1),\n", 90) + "};\n"}}},
        {"lengths",
         "LongClass",
         {{"core/a.cc",
           "class A\n{\n" + repeated("    int f() const { return 1; }\n", 90) + "};\n"}}},
        {"lengths", "Generated", {{"models/generated/A.cc", functionOf(600)}}},
        {"lengths", "GeneratedViews", {{"views/generated/A.cc", functionOf(600)}}},
        {"names",
         "OtherPeoplesNames",
         {{"plugins/a.cc", "drogon::PluginsManager &all();\nclass PluginsManager;\n"}}},
        {"names", "PartOfAnotherWord", {{"core/a.cc", "struct Utilisation\n{\n};\n"}}},
        {"headers",
         "CommentBehindForwardDeclarations",
         {{"core/a.h",
           "#pragma once\n#include <map>\nnamespace a\n{\nclass B;\n"
           "// What it is for.\nclass C\n{\n};\n}\n"}}},
        {"banners",
         "ArrowsAndTables",
         {{"core/a.cc", "// a ------------> b\n// --- c\nauto d = \"==============\";\n"}}},
        {"assertions",
         "ByAFunction",
         {{"tests/unit/a.cc", "TEST_F(A, B)\n{\n    f([] { expectOneWinner(); });\n}\n"}}},
        {"assertions",
         "ByAFunctionOfTheSameFile",
         {{"tests/unit/a.cc",
           "void play()\n{\n    EXPECT_TRUE(a);\n}\nTEST(A, B)\n{\n    play();\n}\n"}}},
        {"assertions",
         "Skipped",
         {{"tests/unit/a.cc", "TEST(A, B)\n{\n    GTEST_SKIP() << 1'000;\n}\n"}}},
    };
}

std::vector<Case> goodWords()
{
    return {
        {"unfinished",
         "SimilarWords",
         {{"core/a.cc",
           "// st|ubborn, forever, std::place|holders::_1\nauto a = \"mktemp XXX|XXX\";\n"}}},
        {"unfinished",
         "SqlArguments",
         {{"models/a.cc", "// one SQL place|holder for each column\n"}}},
        {"paths", "LongerPaths", {{"run", "cd \"$HOME/wo|rk/a\"; ls build/wo|rk/b\n"}}},
        {"hosts", "LinkInADocument", {{"docs/a.md", "https://github|.com/a/b/archive/c.tar.gz\n"}}},
        {"hosts", "LinkToAnIssue", {{"core/a.cc", "// see https://github|.com/a/b/issues/1\n"}}},
        {"secrets",
         "MeasuredOrMasked",
         {{"plugins/a.cc",
           "void f()\n{\n    LOG_INFO << payload.size() << mask(url_) << url.masked()\n"
           "             << payloadBytes << \"url\";\n}\n"}}},
        {"markers",
         "UsedAndReasoned",
         {{"scripts/a.sh", "curl deb.deb|ian.org  # tidy: allow hosts: shows the marker\n"}}},
    };
}

std::vector<Case> goodTrees()
{
    return all({goodRooms(), goodBehaviour(), goodSql(), goodShape(), goodWords()});
}

std::string nameOf(const testing::TestParamInfo<Case> &info)
{
    return info.param.rule + "_" + info.param.name;
}
void PrintTo(const Case &tree, std::ostream *out)
{
    *out << tree.rule << ", " << tree.name;
}
}  // namespace

class BrokenTree : public testing::TestWithParam<Case>
{};

TEST_P(BrokenTree, IsFoundAndNothingElse)
{
    const std::vector<Finding> found = findings(GetParam().tree);
    ASSERT_EQ(found.size(), 1U) << toString(found);
    EXPECT_EQ(found.front().rule, GetParam().rule);
    EXPECT_EQ(found.front().path, GetParam().tree.back().path);
    EXPECT_EQ(found.front().line, GetParam().line) << toString(found);
}

INSTANTIATE_TEST_SUITE_P(Tidy, BrokenTree, testing::ValuesIn(brokenTrees()), nameOf);

class GoodTree : public testing::TestWithParam<Case>
{};

TEST_P(GoodTree, HasNoFinding)
{
    const std::vector<Finding> found = findings(GetParam().tree);
    EXPECT_TRUE(found.empty()) << toString(found);
}

INSTANTIATE_TEST_SUITE_P(Tidy, GoodTree, testing::ValuesIn(goodTrees()), nameOf);

TEST(Tidy, EveryRuleIsBrokenOnceAndKeptOnceInItsTest)
{
    std::vector<std::string_view> rules = ruleNames();
    rules.emplace_back("markers");
    for (const std::string_view rule : rules)
    {
        const auto isOfRule = [rule](const Case &tree) { return tree.rule == rule; };
        EXPECT_TRUE(std::ranges::any_of(brokenTrees(), isOfRule)) << rule << " is never broken";
        EXPECT_TRUE(std::ranges::any_of(goodTrees(), isOfRule)) << rule << " is never kept";
    }
}

TEST(Tidy, AFindingNamesPlaceRuleReasonAndRemedy)
{
    const std::vector<Finding> found = findings({{"core/a.cc", "\n#include \"models/b.h\"\n"}});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(tidy::toString(found.front()),
              "core/a.cc:2: [rooms] core/ must not include models/ — it may include no other room; "
              "see CONTRIBUTING.md for the map");
}
}  // namespace relayer::tidy
