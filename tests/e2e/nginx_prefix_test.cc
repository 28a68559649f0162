// deploy/nginx.conf as it stands before a relayer with http.path_prefix: who is let in where, and
// what goes through at once, as without one (nginx_test.cc).
#include "e2e/behind_nginx.h"

#include <gmock/gmock.h>

namespace relayer::test
{
namespace
{
const std::string kPrefix = "/our/relayer";

class NginxBeforeAPrefix : public BehindNginx
{
  protected:
    void SetUp() override
    {
        BehindNginx::SetUp();
        if (IsSkipped() || HasFatalFailure())
        {
            return;
        }
        ServerOptions options = onDatabase(database_->url());
        options.environment.merge(behindAProxy({{"RELAYER_HTTP__PATH_PREFIX", kPrefix}}));
        server_ = std::make_unique<ServerProcess>(options);
        ASSERT_TRUE(eventually([&] {
            const auto health = client().get(kPrefix + "/healthz");
            return health && health->status == 200;
        })) << server_->output();
        standBefore(server_->port(), server_->port());
    }
};

TEST_F(NginxBeforeAPrefix, ShowsOperatorsRoutesToThoseInsideOnly)
{
    HttpClient client = nginx_->client();
    const auto asked = [&](const std::string &method, const std::string &path) {
        return client.request(method, path, "", from(kOutside, adminHeaders())).value();
    };
    ASSERT_FALSE(adminRoutes().empty());
    for (const AdminRoute &route : adminRoutes())
    {
        EXPECT_EQ(asked(route.method, kPrefix + route.path).status, 404) << route.path;
    }
    for (const std::string path :
         {"/ADMIN/config", "/Console/login", "//admin", "/%61dmin/config", "/admin%2Fconfig",
          "/v2/../admin/config", "/./console", "/admin/", "/admin?x=/v2", "/metrics", "/health",
          "/health?", "/admin/v2/x/events"})
    {
        const auto reply = asked("GET", kPrefix + path);
        EXPECT_EQ(reply.status, 404) << path;
        EXPECT_EQ(labelOf(reply), "not_found") << path;
    }
    EXPECT_EQ(asked("GET", "/OUR/Relayer/admin").status, 404);
    EXPECT_EQ(client.get(kPrefix + "/admin", from("10.1.2.3", adminHeaders())).value().status, 200);
    EXPECT_EQ(client.get(kPrefix + "/admin").value().status, 401);
}

TEST_F(NginxBeforeAPrefix, LetsClientsHaveTheirRoutesAndTheirEvents)
{
    HttpClient client = nginx_->client();
    const HttpHeaders outside = from(kOutside);
    for (const std::string path : {"/liveness", "/healthz", "/version", "/openapi.json", "/docs"})
    {
        EXPECT_EQ(client.get(kPrefix + path, outside).value().status, 200) << path;
    }
    const auto posted =
        client.post(kPrefix + std::string(kInputProof), proofBody(1).text(), outside).value();
    ASSERT_EQ(posted.status, 202) << posted.body;
    const PostedJob job{posted.json()["result"]["jobId"].asString(), posted.header("location")};
    EXPECT_EQ(client.get(job.path, outside).value().status, 202);

    moveTo(job, "processing");
    HttpClient stream = nginx_->client();
    ASSERT_TRUE(stream.send("GET " + job.path + "/events HTTP/1.1\r\nHost: x\r\n\r\n"));
    const auto head = stream.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    EXPECT_THAT(stream.receiveChunk().value_or(""), testing::HasSubstr("id: processing\n"));
    moveTo(job, "tx_in_flight");
    notice(job);
    EXPECT_THAT(stream.receiveChunk().value_or(""), testing::StartsWith("id: tx_in_flight\n"))
        << "before anything else happens";
}

// Its long timeout is what matters, and takes minutes to be seen; that it does not limit is seen at
// once.
TEST_F(NginxBeforeAPrefix, KnowsStreamsByTheirPath)
{
    HttpClient client = nginx_->client();
    const std::string stream =
        kPrefix + "/v3/user-decrypt/9b6a35ad-0b44-4a09-a5b7-7bbba91b3c1b/events";
    for (int i = 0; i < 100; ++i)
    {
        ASSERT_EQ(client.post(stream, "{}", from(kOutside)).value().status, 405) << i;
    }
}

TEST_F(NginxBeforeAPrefix, SaysItsOwnErrorsInTheShapeOfTheRoute)
{
    server_.reset();
    HttpClient client = nginx_->client();
    const auto said = [&](const std::string &path) { return client.get(path).value().json(); };
    EXPECT_EQ(said(kPrefix + "/v2/keyurl")["status"], "failed");
    EXPECT_EQ(said(kPrefix + "/shielded-vote/v1/status")["status"], "error");
    EXPECT_TRUE(said(kPrefix + "/api/ui-config")["error"].isString());
    EXPECT_EQ(said(kPrefix + "/v2/keyurl?next=/a/api/b")["status"], "failed") << "the path counts";
}
}  // namespace
}  // namespace relayer::test
