// The console in the Chromium that is installed, driven by tests/clients/console.mjs, which says
// what it looks at. With RELAYER_UPDATE_DOCS=1 its screenshots become those of docs/console.md.
#include "e2e/admin_server.h"
#include "support/command_lines.h"
#include "support/source_dir.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace relayer::test
{
namespace
{
std::string whyNoBrowser()
{
    if (!std::filesystem::exists("/usr/bin/chromium"))
    {
        return "there is no chromium: scripts/setup.sh --for test installs it";
    }
    return std::filesystem::exists(sourceDir() / "tests/clients/node_modules/playwright-core")
               ? ""
               : "the npm packages are missing: scripts/devnet.sh clients installs them";
}

bool isSet(const char *variable)
{
    const char *value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): one thread
    return value != nullptr && std::string(value) == "1";
}

void putADay(const TestDatabase &database, const std::string &first)
{
    std::ifstream file(sourceDir() / "tests/e2e/console_day.sql");
    std::string sql{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string name = "'FIRST'";
    for (std::size_t at = sql.find(name); at != std::string::npos; at = sql.find(name, at))
    {
        sql.replace(at + 1, name.size() - 2, first);
    }
    database.query(sql);
}

TEST(ConsoleInABrowser, EachPageIsThereForEverybody)
{
    RELAYER_NEEDS_SERVER();
    if (const std::string why = whyNoBrowser(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    const TestDatabase database;
    ServerOptions options = withAdmin(onDatabase(database.url(), "relayer-1"));
    options.environment["RELAYER_VOTING_ADMIN__ENABLED"] = "true";
    options.environment["RELAYER_VOTING_ADMIN__CONFIG_URL"] = "http://127.0.0.1:1/";  // nobody
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    const auto admit = [&client](std::uint64_t number) {
        return client.post(kInputProof, proofBody(number).text())
            .value()
            .json()["job_id"]
            .asString();
    };
    const std::string first = admit(1);
    const std::string second = admit(2);
    putADay(database, first);
    const bool update = isSet("RELAYER_UPDATE_DOCS");
    const bool whole = fullTests() || update;
    const auto images = sourceDir() / "docs/images/console";
    std::size_t tried = 0;
    for (const std::string &line :
         linesOf("cd '" + (sourceDir() / "tests/clients").string() +
                 "' && node console.mjs http://127.0.0.1:" + std::to_string(server.port()) + " " +
                 kAdminToken + " " + first + "," + second + " " +
                 (update ? "'" + images.string() + "'" : "-") + (whole ? " whole" : " quick")))
    {
        HttpReply reply;
        reply.body = line;
        const Json::Value said = reply.json();
        EXPECT_TRUE(said["ok"].asBool())
            << said["flow"].asString() << ": " << said["why"].asString();
        tried += said.isMember("flow") ? 1 : 0;
        if (said["flow"] == "axe")
        {
            std::cout << "# console: axe ran " << said["why"].asString() << "\n";
        }
    }
    EXPECT_EQ(tried, whole ? 28U : 16U);
}
}  // namespace
}  // namespace relayer::test
