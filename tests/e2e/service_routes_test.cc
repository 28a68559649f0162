// What the service says of itself and of its chains, with a devnet that comes and goes.
#include "chain/private_key_signer.h"
#include "e2e/chain_world.h"
#include "e2e/decrypt_bodies.h"
#include "e2e/decrypt_server.h"
#include "support/cutting_proxy.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
constexpr std::string_view kKeyUrl = "/v2/keyurl";

std::string at(std::uint16_t port)
{
    return "http://127.0.0.1:" + std::to_string(port);
}

// Asks until the answer is so.
HttpReply askUntil(ServerProcess &server, std::string_view path, int status)
{
    HttpClient client(server.port());
    const auto deadline = std::chrono::steady_clock::now() + ChainWorld::kPatience;
    for (;;)
    {
        auto reply = client.get(path).value();
        if (reply.status == status || std::chrono::steady_clock::now() > deadline ||
            server.exitCode(ChainWorld::kBetweenLooks))
        {
            return reply;
        }
    }
}

std::string stateOf(const HttpReply &health, const std::string &name)
{
    return health.json()["dependencies"][name].asString();
}
}  // namespace

TEST(ServiceRoutes, KeysAreToldByTheChainAndKeptWhenItGoes)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    const ChainWorld world(devnet);
    CuttingProxy proxy(devnet.chain("host-8009").port);
    proxy.cut();
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_PROTOCOL_CONFIG__RPC"] = "cut=" + at(proxy.port());
    options.environment["RELAYER_GATEWAY__RPC__TIMEOUT"] = "1s";
    options.environment["RELAYER_KEYURL__POLL_INTERVAL"] = "100ms";
    options.environment["RELAYER_HTTP__HEALTH_INTERVAL"] = "100ms";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    EXPECT_EQ(client.get("/liveness").value().status, 200);
    const HttpReply unknown = client.get(kKeyUrl).value();
    expectFailed(unknown, 503, "gateway_not_reachable");
    EXPECT_EQ(unknown.header("retry-after"), "7");
    EXPECT_EQ(unknown.header("age"), "");
    EXPECT_EQ(stateOf(client.get("/healthz").value(), "keyurl"), "fail");

    proxy.heal();
    const HttpReply told = askUntil(server, kKeyUrl, 200);
    ASSERT_EQ(told.status, 200) << told.body;
    const std::string key = "04" + std::string(61, '0') + "1";
    const std::string crs = "05" + std::string(61, '0') + "1";
    const Json::Value urls = told.json()["response"]["fheKeyInfo"][0]["fhePublicKey"]["urls"];
    ASSERT_EQ(urls.size(), 1U) << told.body;
    const std::string url = urls[0].asString();
    const std::string storage = url.substr(0, url.find("/PublicKey/"));
    EXPECT_EQ(told.body,
              R"({"status":"succeeded","response":{"fheKeyInfo":[{"fhePublicKey":{"dataId":"0x)" +
                  key + R"(","urls":[")" + storage + "/PublicKey/" + key +
                  R"("]}}],"crs":{"2048":{"dataId":"0x)" + crs + R"(","urls":[")" + storage +
                  "/CRS/" + crs + R"("]}}}})");
    EXPECT_EQ(told.header("content-type"), "application/json");
    EXPECT_EQ(told.header("age"), "0");
    EXPECT_EQ(client.request("HEAD", kKeyUrl).value().status, 200);

    proxy.cut();
    const auto cutAt = std::chrono::steady_clock::now();
    HttpReply old = client.get(kKeyUrl).value();
    while (old.status == 200 && old.header("age") == "0" &&
           std::chrono::steady_clock::now() < cutAt + ChainWorld::kPatience &&
           !server.exitCode(ChainWorld::kBetweenLooks))
    {
        old = client.get(kKeyUrl).value();
    }
    EXPECT_EQ(old.body, told.body);
    EXPECT_NE(old.header("age"), "0");
}

TEST(ServiceRoutes, HealthNamesTheChainsAndFollowsTheGateway)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    const ChainWorld world(devnet);
    CuttingProxy gateway(devnet.gateway().port);
    CuttingProxy host(devnet.chain("host-9001").port);
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_GATEWAY__RPC__READ"] = "cut=" + at(gateway.port());
    options.environment["RELAYER_LISTENER__ENDPOINTS"] = "cut=ws" + at(gateway.port()).substr(4);
    options.environment["RELAYER_HOST_CHAINS__1__URL"] = "cut=" + at(host.port());
    options.environment["RELAYER_GATEWAY__RPC__TIMEOUT"] = "1s";
    options.environment["RELAYER_HTTP__HEALTH_INTERVAL"] = "100ms";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    const std::string allOk =
        R"({"status":"healthy","dependencies":{"database":"ok","gateway_http":"ok",)"
        R"("gateway_listener_0":"ok","host_chain_8009":"ok","host_chain_9001":"ok",)"
        R"("keyurl":"ok"}})";
    const auto becomes = [&](const std::string &body) {
        const auto deadline = std::chrono::steady_clock::now() + ChainWorld::kPatience;
        while (client.get("/healthz").value().body != body)
        {
            if (std::chrono::steady_clock::now() > deadline ||
                server.exitCode(ChainWorld::kBetweenLooks))
            {
                return false;
            }
        }
        return true;
    };
    EXPECT_TRUE(becomes(allOk)) << client.get("/healthz").value().body;

    host.cut();
    std::string oneHostAway = allOk;
    oneHostAway.replace(oneHostAway.find(R"(9001":"ok)"), 9, R"(9001":"fail)");
    EXPECT_TRUE(becomes(oneHostAway)) << client.get("/healthz").value().body;
    EXPECT_EQ(client.get("/healthz").value().status, 200) << "the other chains are served";
    host.heal();
    EXPECT_TRUE(becomes(allOk));

    gateway.cut();
    const HttpReply away = askUntil(server, "/healthz", 503);
    EXPECT_EQ(away.status, 503);
    EXPECT_EQ(away.json()["status"], "unhealthy");
    EXPECT_EQ(client.get("/liveness").value().status, 200);
    EXPECT_EQ(client.post(kInputProof, proofBody(1).text()).value().status, 202)
        << "requests are taken in, and wait";
    gateway.heal();
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    EXPECT_TRUE(becomes(allOk)) << client.get("/healthz").value().body;
}

TEST(ServiceRoutes, WithoutAChainThereAreNoKeysAndOnlyTheDatabaseCounts)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerProcess server(onDatabase(database.url()));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    EXPECT_EQ(client.get("/healthz").value().body,
              R"({"status":"healthy","dependencies":{"database":"ok"}})");
    expectFailed(client.get(kKeyUrl).value(), 503, "gateway_not_reachable");
    const auto wrong = client.request("POST", kKeyUrl).value();
    expectFailed(wrong, 405, "request_error");
    EXPECT_EQ(wrong.header("allow"), "GET, HEAD");
}

TEST(ServiceRoutes, WebPagesOfAllowedOriginsMayCallEveryRoute)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = onDatabase(database.url());
    options.environment["RELAYER_HTTP__CORS__ALLOWED_ORIGINS"] = "https://app.example";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    const auto preflight = [&client](std::string_view path, const std::string &method) {
        return client
            .request("OPTIONS", path, "",
                     {{"Origin", "https://app.example"}, {"Access-Control-Request-Method", method}})
            .value();
    };
    for (const std::string_view path : {kPublicDecrypt, kUserDecrypt, kDelegated, kUnified})
    {
        const HttpReply reply = preflight(path, "POST");
        EXPECT_EQ(reply.status, 204) << path;
        EXPECT_EQ(reply.header("access-control-allow-methods"), "POST") << path;
        EXPECT_EQ(reply.header("access-control-allow-origin"), "https://app.example") << path;
    }
    EXPECT_EQ(preflight(kKeyUrl, "GET").header("access-control-allow-methods"), "GET, HEAD");
    const HttpReply told = client.get(kKeyUrl, {{"Origin", "https://app.example"}}).value();
    EXPECT_NE(told.header("access-control-expose-headers").find("Retry-After"), std::string::npos);
}

TEST(ServiceRoutes, HandlesOfAChainThatIsNotServedAreRefusedOnEveryRoute)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = forDecryptions(database);
    options.environment["RELAYER_HOST_CHAINS__0__CHAIN_ID"] = "9001";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    for (const Post &post : everyRoute(1))
    {
        SCOPED_TRACE(post.path);
        const HttpReply reply = client.post(post.path, post.body).value();
        expectFailed(reply, 400, "host_chain_id_not_supported");
        EXPECT_EQ(reply.json()["error"]["message"],
                  "Host chain ID 8009 is not supported by this relayer");
        EXPECT_FALSE(reply.json()["error"].isMember("details"));
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM request"), "0");
}

TEST(ServiceRoutes, AUnifiedRequestMustBeSignedByItsUser)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    const ChainWorld world(devnet);
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_GATEWAY__CONTRACTS__DECRYPTION"] =
        "0x" + core::toHex(decryptionContract());
    options.environment["RELAYER_GATEWAY__READINESS_CHECKER__HOST_ACL_CHECK__RETRY__INTERVAL"] =
        "10ms";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    const auto post = [&client](const core::UserDecrypt &request) {
        return client.post(pathOf(request), bodyOf(request)).value();
    };
    const std::string refused =
        R"("details":[{"field":"signature","issue":"Signature is invalid"}]}})";
    for (const core::UserDecrypt &wrong :
         {core::UserDecrypt(unifiedOf(1)),
          aStranger().signedFor(unifiedOf(1), decryptionContract())})
    {
        const HttpReply reply = post(wrong);
        expectFailed(reply, 400, "validation_failed");
        EXPECT_TRUE(reply.body.ends_with(refused)) << reply.body;
    }
    EXPECT_EQ(post(byUser(unifiedOf(1))).status, 202);

    core::UnifiedUserDecrypt ofContract = unifiedOf(2);
    const std::string account = devnet.chain("host-8009").contracts.at("smartAccount");
    std::ranges::copy(core::fromHex(account.substr(2)).value(), ofContract.user.begin());
    const Wallet owner(
        chain::parsePrivateKey(devnet.description()["users"][0]["privateKey"].asString()).value());
    const auto signedByOwner = owner.signedFor(ofContract, decryptionContract());
    const HttpReply taken = post(signedByOwner);
    EXPECT_EQ(taken.status, 202) << taken.body;
    devnet.write("host-8009", "smartAccount", "setMood", {4});
    const HttpReply unknown = post(signedByOwner);
    expectFailed(unknown, 500, "internal_server_error");
    EXPECT_EQ(world.rows(), 2U);
}
}  // namespace relayer::test
