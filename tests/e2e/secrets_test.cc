// What is in no answer - /metrics, and what an operator reads of the settings - and what the log
// says of nodes instead of their URLs.
#include "e2e/admin_server.h"
#include "e2e/share_server.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace relayer::test
{
namespace
{
const std::string kSignerKey = "c0ffee00000000000000000000000000000000000000000000000000c0ffee01";
const std::string kWitnessKey = "beef000000000000000000000000000000000000000000000000000000beef02";
const std::string kHelperToken = "the-helper-token-of-the-tests";
const std::string kContract = "0x1111111111111111111111111111111111111111";
const std::string kNodeKey = "key-in-the-path-of-a-node";

ServerOptions withEverySecret(const ShareWorldOutside &world)
{
    return withAdmin(
        world.options({{"WITNESS_KEYS", kWitnessKey},
                       {"API_TOKEN", kHelperToken},
                       {"RELAYER_METRICS__ENABLED", "true"},
                       {"RELAYER_METRICS__PORT", "0"},
                       {"RELAYER_SIGNER__PRIVATE_KEY", kSignerKey},
                       {"RELAYER_GATEWAY__RPC__READ", "node=http://127.0.0.1:1/" + kNodeKey},
                       {"RELAYER_GATEWAY__CONTRACTS__DECRYPTION", kContract},
                       {"RELAYER_GATEWAY__CONTRACTS__INPUT_VERIFICATION", kContract}}));
}

TEST(Secrets, AreNotInTheMetricsNorInWhatAnOperatorReadsOfTheSettings)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    ServerProcess server(withEverySecret(world));
    ASSERT_NE(server.port(), 0) << server.output();
    HttpClient client(server.port());
    ASSERT_TRUE(client.post(kInputProof, proofBody(1).text()));
    HttpClient metrics(portBehind(server.output(), "metrics on http://127.0.0.1:"));

    std::vector<std::string> answers = {metrics.get("/metrics").value().body};
    EXPECT_NE(answers.front().find("relayer_"), std::string::npos);
    EXPECT_NE(answers.front().find("endpoint=\"node\""), std::string::npos)
        << "the node is there, by its name: " << answers.front().substr(0, 2000);
    for (const std::string path : {"/admin/config", "/admin/parameters", "/admin/lanes",
                                   "/admin/instances", "/admin/queues", "/admin/audit"})
    {
        const HttpReply reply = client.get(path, adminHeaders()).value();
        EXPECT_EQ(reply.status, 200) << path;
        answers.push_back(reply.body);
    }
    for (const std::string &answer : answers)
    {
        for (const std::string &secret :
             {kSignerKey, kWitnessKey, kHelperToken, kAdminToken, kNodeKey, std::string("://")})
        {
            EXPECT_EQ(answer.find(secret), std::string::npos) << secret << " in " << answer;
        }
    }
}
// A name that there is not: nothing leaves this machine.
TEST(Secrets, OfANodeThatIsSpokenToWithoutTlsTheLogSaysItsName)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = onDatabase(database.url());
    options.environment.insert(
        {{"RELAYER_GATEWAY__RPC__READ",
          "here=http://127.0.0.1:1/" + kNodeKey + ",far=http://node.invalid/" + kNodeKey},
         {"RELAYER_SIGNER__PRIVATE_KEY", kSignerKey},
         {"RELAYER_GATEWAY__CONTRACTS__DECRYPTION", kContract},
         {"RELAYER_GATEWAY__CONTRACTS__INPUT_VERIFICATION", kContract}});
    ServerProcess server(options);
    ASSERT_NE(server.port(), 0) << server.output();
    const std::string log = server.output();
    EXPECT_NE(log.find("step=node_without_tls key=gateway.rpc.read name=far"), std::string::npos)
        << log;
    EXPECT_EQ(log.find("name=here"), std::string::npos) << log;
    EXPECT_EQ(log.find(kNodeKey), std::string::npos) << log;
    EXPECT_EQ(log.find("node.invalid"), std::string::npos) << log;
}
}  // namespace
}  // namespace relayer::test
