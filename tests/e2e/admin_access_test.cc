// Who may administer, through the real program.
#include "e2e/admin_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;

class AdminAccess : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        options_ = onDatabase(database_->url(), "one", "trace");
    }
    void start()
    {
        server_ = std::make_unique<ServerProcess>(options_);
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
    }
    HttpReply ask(const AdminRoute &route, const HttpHeaders &headers = {})
    {
        return client_
            ->request(route.method, route.path, route.method == "POST" ? "{}" : "", headers)
            .value();
    }

    std::unique_ptr<TestDatabase> database_;
    ServerOptions options_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
};

TEST_F(AdminAccess, IsOffUnlessItIsConfigured)
{
    start();
    for (const AdminRoute &route : adminRoutes())
    {
        const auto reply = ask(route, adminHeaders());
        EXPECT_EQ(reply.status, 403) << route.method << route.path;
        EXPECT_EQ(reply.body, R"({"error":"Admin endpoints are not enabled"})");
    }
    EXPECT_EQ(client_->get("/admin/nothing").value().status, 404);
}

TEST_F(AdminAccess, NoRouteIsOpenToWhoHasNotTheToken)
{
    options_ = withAdmin(options_);
    start();
    const auto routes = adminRoutes();
    ASSERT_FALSE(routes.empty());
    for (const AdminRoute &route : routes)
    {
        if (!route.guarded)
        {
            continue;  // pages with a login of their own
        }
        for (const HttpHeaders &headers :
             {HttpHeaders{}, adminHeaders("wrong"), adminHeaders(""), adminHeaders("   "),
              adminHeaders(kAdminToken + "x"), adminHeaders(kAdminToken.substr(1)),
              HttpHeaders{{"Authorization", kAdminToken}},
              HttpHeaders{{"Authorization", "Basic " + kAdminToken}},
              HttpHeaders{{"Cookie", "token=" + kAdminToken}}})
        {
            const auto reply = ask(route, headers);
            EXPECT_EQ(reply.status, 401) << route.method << route.path;
            EXPECT_EQ(reply.header("www-authenticate"), "Bearer");
            EXPECT_THAT(reply.body, HasSubstr(R"({"error":")"));
        }
        if (route.path != "/admin/drain")
        {
            EXPECT_NE(ask(route, adminHeaders()).status, 401) << route.method << route.path;
        }
    }
    for (const std::string path : {"/ADMIN", "/Admin", "/%61dmin"})
    {
        EXPECT_NE(client_->get(path).value().status, 200) << path;
    }
    EXPECT_EQ(client_->get("/admin", {{"Authorization", "bearer " + kAdminToken}}).value().status,
              200);
}

TEST_F(AdminAccess, ProgramsRoutesBelowAdminAllNameTheFilter)
{
    for (const AdminRoute &route : adminRoutes())
    {
        EXPECT_TRUE(route.guarded || route.path.starts_with("/console"))
            << route.method << route.path;
    }
}

TEST_F(AdminAccess, TheTokenIsInNoLogAndInNoAnswer)
{
    options_ = withAdmin(options_);
    start();
    auto reply = client_->get("/admin", adminHeaders()).value();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body.find(kAdminToken), std::string::npos);
    const std::string wrong = "a-wrong-token-0123456789";
    reply = client_->get("/admin", adminHeaders(wrong)).value();
    EXPECT_EQ(reply.status, 401);
    EXPECT_EQ(reply.body.find(wrong), std::string::npos);
    EXPECT_TRUE(server_->printed("step=admin_refused why=wrong_token client=address:127.0.0.1"));
    server_->kill(SIGTERM);
    EXPECT_EQ(server_->exitCode(), 0) << server_->output();
    EXPECT_EQ(server_->output().find(kAdminToken), std::string::npos);
    EXPECT_EQ(server_->output().find(wrong), std::string::npos);
}

TEST_F(AdminAccess, WhoItIsIsWhatItSaysAndWhereItComesFrom)
{
    options_ = withAdmin(options_);
    start();
    HttpHeaders headers = adminHeaders();
    EXPECT_EQ(client_->get("/admin", headers).value().body,
              R"({"actor":"admin@127.0.0.1","token_needed":true})");
    headers["X-Admin-Name"] = "ada.l";
    EXPECT_EQ(client_->get("/admin", headers).value().json()["actor"], "ada.l@127.0.0.1");
    headers["X-Admin-Name"] = "ada <b>";
    EXPECT_EQ(client_->get("/admin", headers).value().json()["actor"], "admin@127.0.0.1");
}

TEST_F(AdminAccess, OnAListenerOfItsOwnItIsNowhereElse)
{
    options_ = withAdmin(options_);
    options_.environment["RELAYER_ADMIN__ADDRESS"] = "127.0.0.1";
    options_.environment["RELAYER_ADMIN__PORT"] = "0";
    start();
    const auto port = portBehind(server_->output(), "admin on http://127.0.0.1:");
    ASSERT_NE(port, 0) << server_->output();
    HttpClient admin(port);
    EXPECT_EQ(admin.get("/admin", adminHeaders()).value().status, 200);
    EXPECT_EQ(admin.get("/admin").value().status, 401);
    for (const AdminRoute &route : adminRoutes())
    {
        const auto reply = ask(route, adminHeaders());
        EXPECT_EQ(reply.status, 404) << route.method << route.path;
        EXPECT_EQ(labelOf(reply), "not_found");
    }
    for (const std::string path : {"/", "/healthz", "/v2/keyurl", "/docs", "/adminx"})
    {
        EXPECT_EQ(admin.get(path, adminHeaders()).value().status, 404) << path;
    }
    EXPECT_EQ(admin.post(kInputProof, proofBody(1).text()).value().status, 404);
    EXPECT_EQ(client_->get("/healthz").value().status, 200);
}

// A page of somebody else in a browser of this machine, and a name that was made to lead here.
TEST_F(AdminAccess, WithoutATokenItIsForThisMachineOnly)
{
    options_.environment["RELAYER_ADMIN__ACCESS"] = "none";
    options_.environment["RELAYER_HTTP__CORS__ALLOWED_ORIGINS"] = "*";
    start();
    const std::string here = "127.0.0.1:" + std::to_string(server_->port());
    const auto status = [this](const std::string &bytes) {
        HttpClient client(server_->port());
        EXPECT_TRUE(client.send("GET /admin HTTP/1.1\r\n" + bytes + "\r\n"));
        return client.receive().value().status;
    };
    EXPECT_EQ(status("Host: " + here + "\r\n"), 200);
    EXPECT_EQ(status("Host: localhost:1\r\n"), 200);
    EXPECT_EQ(status("Host: " + here + "\r\nOrigin: http://" + here + "\r\n"), 200);
    EXPECT_EQ(status("Host: " + here + "\r\nOrigin: https://evil.example\r\n"), 403);
    EXPECT_EQ(status("Host: " + here + "\r\nOrigin: null\r\n"), 403);
    EXPECT_EQ(status("Host: evil.example\r\n"), 403);
    EXPECT_EQ(status("Host: 127.evil.example\r\n"), 403);
    EXPECT_EQ(status("Host: localhost.evil.example\r\n"), 403);
    EXPECT_EQ(client_->get("/admin").value().body,
              R"({"actor":"admin@127.0.0.1","token_needed":false})");
}

TEST(AdminStart, IsRefusedWithoutATokenOnAListenerForAll)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = onDatabase(database.url());
    options.environment["RELAYER_ADMIN__ACCESS"] = "none";
    options.environment["RELAYER_HOST__ADDRESS"] = "0.0.0.0";
    ServerProcess server(options);
    EXPECT_EQ(server.exitCode(), 78);
    EXPECT_THAT(server.output(), HasSubstr("admin.access: none is only for a listener on"));
}
}  // namespace
}  // namespace relayer::test
