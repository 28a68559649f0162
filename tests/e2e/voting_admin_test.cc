// The routes beside a vote (helper-admin-ui.md), and the files of a single-page application.
#include "e2e/admin_server.h"
#include "e2e/share_server.h"
#include "support/eventually.h"
#include "support/fake_node_server.h"
#include "support/joining_validator.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

namespace relayer::test
{
namespace
{
const std::string kDocument = "{ \"version\": 1,  \"config_version\":\"2\", \"proposals\": [] }\n";

// One server for all, a publisher and a chain that are told what to say, and a folder of files.
class VotingRoutes : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        if (whyNoServer())
        {
            return;
        }
        folder_ =
            std::filesystem::temp_directory_path() / ("voting-ui-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_ / "ui" / "assets");
        std::ofstream(folder_ / "ui" / "index.html") << "<html>the application</html>";
        std::ofstream(folder_ / "ui" / "assets" / "app.js") << "go()";
        std::ofstream(folder_ / "secret.txt") << "outside";
        std::filesystem::create_symlink(folder_ / "secret.txt", folder_ / "ui" / "link.txt");
        outside_ = std::make_unique<FakeServer>(FakeServer::Handlers{.http = answer});
        database_ = std::make_unique<TestDatabase>();
        ServerOptions options = onDatabase(database_->url());
        const std::string there = "http://127.0.0.1:" + std::to_string(outside_->port());
        options.environment.insert(
            {{"RELAYER_VOTING_ADMIN__ENABLED", "true"},
             {"RELAYER_VOTING_ADMIN__CONFIG_URL", there + "/voting-config.json"},
             {"RELAYER_VOTING_ADMIN__REFRESH", "100ms"},
             {"RELAYER_VOTING_ADMIN__CHAIN", there},
             {"RELAYER_VOTING_ADMIN__SWEEP_INTERVAL", "1s"},
             {"RELAYER_VOTING_ADMIN__UI_FOLDER", (folder_ / "ui").string()},
             {"RELAYER_ADMIN__ACCESS", "token"},
             {"RELAYER_ADMIN__TOKEN", kAdminToken}});
        server_ = std::make_unique<ServerProcess>(options);
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
    }
    static void TearDownTestSuite()
    {
        server_.reset();
        database_.reset();
        outside_.reset();
        std::filesystem::remove_all(folder_);
    }
    void SetUp() override { RELAYER_NEEDS_SERVER(); }

    static FakeResponse answer(const FakeRequest &request)
    {
        const std::lock_guard lock(mutex_);
        FakeResponse response;
        if (request.target.starts_with("/cosmos/staking/"))
        {
            response.wire.status =
                validators_.contains(request.target.substr(request.target.rfind('/') + 1)) ? 200
                                                                                           : 404;
            response.body = "{}";
            return response;
        }
        ++fetches_;
        response.wire.status = status_;
        response.body = document_;
        return response;
    }
    static void publish(int status, const std::string &document)
    {
        const std::lock_guard lock(mutex_);
        status_ = status;
        document_ = document;
    }
    static int fetches()
    {
        const std::lock_guard lock(mutex_);
        return fetches_;
    }
    HttpReply get(const std::string &path, const HttpHeaders &headers = {})
    {
        return client_.get(path, headers).value();
    }
    HttpReply join(const std::string &body)
    {
        return client_.post("/api/register-validator", body).value();
    }

    static std::mutex mutex_;
    static int status_;
    static int fetches_;
    static std::string document_;
    static std::set<std::string> validators_;
    static std::filesystem::path folder_;
    static std::unique_ptr<FakeServer> outside_;
    static std::unique_ptr<TestDatabase> database_;
    static std::unique_ptr<ServerProcess> server_;
    HttpClient client_{server_ ? server_->port() : std::uint16_t{0}};
};
std::mutex VotingRoutes::mutex_;
int VotingRoutes::status_ = 200;
int VotingRoutes::fetches_ = 0;
std::string VotingRoutes::document_ = kDocument;
std::set<std::string> VotingRoutes::validators_;
std::filesystem::path VotingRoutes::folder_;
std::unique_ptr<FakeServer> VotingRoutes::outside_;
std::unique_ptr<TestDatabase> VotingRoutes::database_;
std::unique_ptr<ServerProcess> VotingRoutes::server_;

TEST_F(VotingRoutes, TheConfigurationIsHandedOnByteForByteAndKeptWhileThePublisherIsAway)
{
    const HttpReply first = get("/api/voting-config");
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, kDocument);
    EXPECT_EQ(first.header("access-control-allow-origin"), "*");
    const std::string etag = first.header("etag");
    EXPECT_NE(etag, "");
    const HttpReply same = get("/api/voting-config", {{"If-None-Match", etag}});
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.body, "");
    for (const auto &[status, document] :
         {std::pair<int, std::string>{503, "out"}, {200, "no JSON"}, {404, "{}"}})
    {
        publish(status, document);
        const int before = fetches();
        ASSERT_TRUE(becomes([&] { return fetches() > before + 1; }));
        EXPECT_EQ(get("/api/voting-config").body, kDocument) << status;
    }
    publish(200, R"({"version":2})");
    EXPECT_TRUE(becomes([&] { return get("/api/voting-config").body == R"({"version":2})"; }));
    EXPECT_NE(get("/api/voting-config").header("etag"), etag);
    publish(200, kDocument);
}

TEST_F(VotingRoutes, Rows_3_1_AValidatorWaitsUntilItIsOneOrIsRemoved)
{
    const JoiningValidator validator(7);
    const HttpReply reply = join(validator.body(secondsNow()));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.json()["status"], "pending");
    EXPECT_NEAR(static_cast<double>(reply.json()["expires_at"].asInt64()),
                static_cast<double>(secondsNow() + std::int64_t{7} * 86'400), 10);
    const auto listed = [&] {
        for (const auto &each : get("/api/pending-validators").json())
        {
            if (each["operator_address"] == validator.address())
            {
                return each["moniker"].asString();
            }
        }
        return std::string();
    };
    EXPECT_EQ(listed(), "a validator");
    EXPECT_EQ(join(validator.body(secondsNow(), {.moniker = "renamed"})).status, 200);
    EXPECT_EQ(listed(), "renamed");
    EXPECT_EQ(join(validator.body(secondsNow() - 200, {.moniker = "replayed"})).status, 200);
    EXPECT_EQ(listed(), "renamed") << "an older signature changes nothing";

    const std::string path = "/admin/pending-validators/" + validator.address() + "/remove";
    EXPECT_EQ(client_.post(path, "")->status, 401) << "only who administers";
    EXPECT_EQ(listed(), "renamed");
    const HttpHeaders admin = adminHeaders();
    EXPECT_EQ(client_.post(path, "", admin)->status, 200);
    EXPECT_EQ(listed(), "");
    EXPECT_EQ(client_.post(path, "", admin)->status, 404);

    EXPECT_EQ(join(validator.body(secondsNow())).status, 200);
    {
        const std::lock_guard lock(mutex_);
        validators_.insert(validator.address("svvaloper"));
    }
    EXPECT_EQ(join(validator.body(secondsNow())).body, R"({"status":"registered"})");
    EXPECT_EQ(listed(), "") << "who is a validator does not wait";
}

TEST_F(VotingRoutes, AUrlThatAValidatorRegistersIsShownAndNeverCalled)
{
    const FakeServer theirs(FakeServer::Handlers{.http = answer});
    const std::string url = "http://127.0.0.1:" + std::to_string(theirs.port()) + "/helper";
    const JoiningValidator validator(11);
    EXPECT_EQ(join(validator.body(secondsNow(), {.url = url})).status, 200);
    EXPECT_NE(get("/api/pending-validators").body.find(url), std::string::npos);
    const int before = fetches();
    // Thirty rounds of 100 ms, in which those who wait are looked through at least once.
    EXPECT_TRUE(eventually([&] { return fetches() >= before + 30; }));
    EXPECT_EQ(theirs.accepted(), 0U);
    const std::string path = "/admin/pending-validators/" + validator.address() + "/remove";
    EXPECT_EQ(client_.post(path, "", adminHeaders())->status, 200);
    EXPECT_EQ(theirs.accepted(), 0U);
}

TEST_F(VotingRoutes, TheConsoleListsWhoWaitsAndAnOperatorRemovesThem)
{
    const JoiningValidator validator(9);
    EXPECT_EQ(join(validator.body(secondsNow(), {.moniker = "<b>nine</b>"})).status, 200);
    const auto posted = [this](const std::string &path, const std::string &form,
                               const std::string &cookie) {
        return client_
            .post(path, form,
                  {{"Content-Type", "application/x-www-form-urlencoded"}, {"Cookie", cookie}})
            .value();
    };
    const std::string set =
        posted("/console/login", "token=" + kAdminToken + "&name=ada", "").header("set-cookie");
    const std::string cookie = set.substr(0, set.find(';'));
    const auto page = [this, &cookie](const std::string &query) {
        return get("/console/shares" + query, {{"Cookie", cookie}}).body;
    };
    const std::string listed = page("");
    EXPECT_NE(listed.find("&lt;b&gt;nine&lt;/b&gt;"), std::string::npos) << listed;
    EXPECT_NE(listed.find(validator.address()), std::string::npos);

    const std::string remove = "/console/validators/" + validator.address() + "/remove";
    EXPECT_EQ(posted(remove, "", cookie).status, 403) << "without the word of the form";
    const std::string before = "name=\"csrf\" value=\"";
    const std::size_t at = listed.find(before) + before.size();
    const std::string csrf = "csrf=" + listed.substr(at, listed.find('"', at) - at);
    EXPECT_EQ(posted(remove, csrf, "").status, 303) << "who is not logged in is sent to the login";
    EXPECT_NE(page("").find(validator.address()), std::string::npos) << "so nothing was removed";

    EXPECT_EQ(posted(remove, csrf, cookie).header("location"), "/console/shares?done=join_removed");
    const std::string after = page("?done=join_removed");
    EXPECT_EQ(after.find(validator.address()), std::string::npos);
    EXPECT_NE(after.find("They wait no more."), std::string::npos);
    EXPECT_EQ(posted(remove, csrf, cookie).header("location"),
              "/console/shares?refused=nobody_waits");
    EXPECT_EQ(database_->value("SELECT actor || ' ' || subject FROM audit"
                               " WHERE action = 'registration_removed' ORDER BY id DESC LIMIT 1"),
              "ada@127.0.0.1 " + validator.address());
}

TEST_F(VotingRoutes, Rows_3_1_WhatIsRefused)
{
    const JoiningValidator validator(8);
    const HttpReply wrong = join(validator.body(secondsNow(), {.signature = "AAAA"}));
    EXPECT_EQ(wrong.status, 401);
    EXPECT_EQ(wrong.body, R"({"error":"invalid signature"})");
    EXPECT_EQ(join(validator.body(secondsNow() - 400)).status, 400);
    EXPECT_EQ(join("{").body, R"({"error":"invalid JSON body"})");
}

TEST_F(VotingRoutes, Row_3_5_WhoseTimeIsOverIsSwept)
{
    database_->query(
        "INSERT INTO pending_registration (operator_address, url, signed_at, expires_at)"
        " VALUES ('sv1old', '', now(), now() - interval '1 second')");
    EXPECT_EQ(get("/api/pending-validators").body.find("sv1old"), std::string::npos);
    EXPECT_TRUE(becomes([] {
        return database_->value(
                   "SELECT count(*) FROM pending_registration WHERE operator_address = 'sv1old'") ==
               "0";
    }));
}

TEST_F(VotingRoutes, Row_4_TheConfigurationOfAPage)
{
    const HttpReply reply = get("/api/ui-config");
    EXPECT_EQ(reply.json()["mode"], "prod");
    EXPECT_EQ(reply.json()["dev_pir_controls"], false);
    EXPECT_EQ(reply.header("cache-control"), "no-store");
}

TEST_F(VotingRoutes, Row_1_PreflightsAreAnsweredToAll)
{
    const auto reply = client_.request("OPTIONS", "/api/voting-config");
    EXPECT_EQ(reply->status, 204);
    EXPECT_EQ(reply->header("access-control-allow-methods"), "GET, POST, OPTIONS");
    EXPECT_EQ(client_.request("OPTIONS", "/api/nothing")->status, 404);
}

TEST_F(VotingRoutes, Rows_6_TheApplicationAndNoHtmlForPrograms)
{
    const HttpHeaders browser = {{"Accept", "text/html,*/*"}};
    const std::string page = "<html>the application</html>";
    EXPECT_EQ(get("/", browser).body, page);
    EXPECT_EQ(get("/some/page", browser).body, page);
    EXPECT_EQ(get("/some/page", browser).header("x-content-type-options"), "nosniff");
    EXPECT_EQ(get("/assets/app.js").body, "go()");
    EXPECT_EQ(get("/assets/none.js", browser).status, 404);
    EXPECT_EQ(get("/some/page").status, 404) << "who wants no HTML gets none";
    for (const char *path : {"/api/typo", "/shielded-vote/v1/typo", "/v2/typo", "/admin/typo",
                             "//api/typo", "/API/typo", "/./api/typo", "/x/../api/typo"})
    {
        const HttpReply reply = get(path, browser);
        EXPECT_NE(reply.status, 200) << path;
        EXPECT_EQ(reply.body.find("<html>"), std::string::npos) << path;
    }
    for (const char *path : {"/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt",
                             "/link.txt", "/..%2fsecret.txt"})
    {
        EXPECT_EQ(get(path, browser).body.find("outside"), std::string::npos) << path;
    }
}

TEST(VotingRoutesFresh, Row_2_WithoutACopyThePublishersFailureIsA502WithoutItsWords)
{
    RELAYER_NEEDS_SERVER();
    std::atomic<bool> works{false};
    FakeServer publisher({.http = [&works](const FakeRequest &) {
        FakeResponse response;
        response.wire.status = works ? 200 : 500;
        response.body = works ? kDocument : "out of order";
        return response;
    }});
    const TestDatabase database;
    ServerOptions options = onDatabase(database.url());
    const std::string there = "http://127.0.0.1:" + std::to_string(publisher.port());
    options.environment.insert({{"RELAYER_VOTING_ADMIN__ENABLED", "true"},
                                {"RELAYER_VOTING_ADMIN__CONFIG_URL", there},
                                {"RELAYER_VOTING_ADMIN__REFRESH", "1h"},
                                {"RELAYER_VOTING_ADMIN__CHAIN", there}});
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    const auto failed = client.get("/api/voting-config");
    EXPECT_EQ(failed->status, 502);
    EXPECT_EQ(failed->body, R"({"error":"the voting config is not to be had"})");
    works = true;
    EXPECT_TRUE(becomes([&] { return client.get("/api/voting-config")->status == 200; }));
    const auto reply = client.get("/api/voting-config");
    EXPECT_EQ(reply->body, kDocument);
    EXPECT_LT(std::stoi(reply->header("age")), 60);
}

TEST(VotingRoutesOff, SayThatThereIsNobody)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerProcess server(onDatabase(database.url()));
    ASSERT_TRUE(server.becomesHealthy());
    HttpClient client(server.port());
    for (const char *path : {"/api/voting-config", "/api/pending-validators"})
    {
        const auto reply = client.get(path);
        EXPECT_EQ(reply->status, 503);
        EXPECT_EQ(reply->body, R"({"error":"admin server not initialized"})");
    }
    EXPECT_EQ(client.get("/api/ui-config")->status, 200) << "works in any case";
    EXPECT_EQ(client.get("/some/page", {{"Accept", "text/html"}})->status, 404);
}
}  // namespace
}  // namespace relayer::test
