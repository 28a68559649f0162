// Which nodes are spoken to without TLS over a network.
#include "config/plain_nodes.h"
#include "unit/config_testing.h"

namespace relayer::config
{
namespace
{
using testing::sourcesWith;

TEST(ConfigPlainNodes, AreThoseOfPlainSchemesOnOtherMachines)
{
    for (const char *url :
         {"http://node", "http://node:8545/key", "ws://10.0.0.1/x", "http://[fd00::1]:80",
          "http://127.example.org", "http://localhost.example.org/", "ws://node?http://localhost"})
    {
        EXPECT_TRUE(isPlainElsewhere(url)) << url;
    }
    for (const char *url : {"https://node", "wss://node/x", "http://localhost:8545",
                            "ws://127.0.0.1/", "http://127.1.2.3:80?x", "http://[::1]:8545/", ""})
    {
        EXPECT_FALSE(isPlainElsewhere(url)) << url;
    }
}

TEST(ConfigPlainNodes, AreFoundInEachListByTheirNames)
{
    auto sources = sourcesWith("{}");
    sources.environment["RELAYER_GATEWAY__RPC__READ"] = "here=http://127.0.0.1:1,a=http://n1/KEY";
    sources.environment["RELAYER_GATEWAY__RPC__WRITE"] = "w=https://n2";
    sources.environment["RELAYER_LISTENER__ENDPOINTS"] = "b=ws://n3/KEY";
    sources.environment["RELAYER_HOST_CHAINS__0__CHAIN_ID"] = "1";
    sources.environment["RELAYER_HOST_CHAINS__0__URL"] = "c=http://n4/KEY";
    sources.environment["RELAYER_HOST_CHAINS__0__ACL_ADDRESS"] = "0x" + std::string(40, '1');
    sources.environment["RELAYER_SIGNER__KMS__ENDPOINT"] = "http://n5";
    std::string said;
    for (const PlainNode &node : plainNodes(load(sources).settings))
    {
        said += node.key + "=" + node.name + " ";
    }
    EXPECT_EQ(said,
              "host_chains=c gateway.rpc.read=a listener.endpoints=b signer.kms.endpoint=kms ");
}
}  // namespace
}  // namespace relayer::config
