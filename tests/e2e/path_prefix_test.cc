// Our own program below a prefix, as behind a proxy that shares a host name with others.
#include "e2e/decrypt_server.h"
#include "e2e/requests.h"

#include <gmock/gmock.h>

#include <string>

namespace relayer::test
{
namespace
{
using ::testing::HasSubstr;

TEST(PathPrefix, EveryRouteStandsBelowItAndNowhereElse)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = forDecryptions(database);
    options.environment["RELAYER_HTTP__PATH_PREFIX"] = "/relayer";
    options.environment["RELAYER_ADMIN__ACCESS"] = "none";
    ServerProcess server(options);
    ASSERT_NE(server.port(), 0) << server.output();
    HttpClient client(server.port());
    EXPECT_EQ(client.get("/relayer/liveness").value().status, 200);
    EXPECT_EQ(client.get("/RELAYER/liveness").value().status, 200);
    EXPECT_EQ(client.get("/liveness").value().status, 404);
    EXPECT_EQ(client.get("/relayerliveness").value().status, 404);
    EXPECT_EQ(client.get("/relayer/admin/queues").value().status, 200);
    EXPECT_EQ(client.get("/admin/queues").value().status, 404);
    const HttpReply document = client.get("/relayer/openapi.json").value();
    EXPECT_THAT(document.body, HasSubstr(R"("servers":[{"url":"/relayer"}])"));
    const HttpReply wrong = client.post("/relayer/liveness", "").value();
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("allow"), "GET, HEAD");
}
}  // namespace
}  // namespace relayer::test
