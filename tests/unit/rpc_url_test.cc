// URLs of endpoints, and when an endpoint is left alone.
#include "chain/rpc/endpoint_health.h"
#include "chain/rpc/url.h"

#include <gtest/gtest.h>

namespace relayer::chain::rpc
{
namespace
{
TEST(RpcUrl, IsTakenApart)
{
    const auto plain = parseUrl("http://node:8545");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->host, "node");
    EXPECT_EQ(plain->port, 8545);
    EXPECT_EQ(plain->target, "/");
    EXPECT_TRUE(plain->authorization.empty());
    EXPECT_FALSE(plain->secure());

    const auto full = parseUrl("HTTPS://user:p%40ss@node.test/v2/Key%20?x=Y&z#part");
    ASSERT_TRUE(full);
    EXPECT_EQ(full->origin(), "https://node.test:443");
    EXPECT_EQ(full->target, "/v2/Key%20?x=Y&z");
    EXPECT_EQ(full->authorization, "Basic dXNlcjpwQHNz");
    EXPECT_TRUE(full->secure());

    EXPECT_EQ(parseUrl("ws://[::1]:9/ws")->host, "::1");
    EXPECT_EQ(parseUrl("ws://[::1]:9/ws")->origin(), "ws://[::1]:9");
    EXPECT_EQ(parseUrl("wss://node?key=1")->target, "/?key=1");
    EXPECT_EQ(parseUrl("wss://node")->port, 443);
}

TEST(RpcUrl, IsRefusedWhenItIsNone)
{
    for (const char *text : {"", "node", "node:8545", "ftp://node", "http://", "http://:80",
                             "http://node:", "http://node:0", "http://node:65536", "http://node:8x",
                             "http://[::1", "http://no de", "http://node\r\nx: y", "http://user@",
                             "http://node/\x01", "http://[[::1]", "http://[node]", "http://no[de"})
    {
        EXPECT_FALSE(parseUrl(text)) << text;
    }
}

using Clock = EndpointHealth::Clock;
using std::chrono::milliseconds;

TEST(RpcEndpointHealth, GoesOutAfterFailuresInARowAndComesBackByOneProbe)
{
    EndpointHealth health;
    Clock::time_point now{};
    health.failed(now);
    health.failed(now);
    health.succeeded();
    health.failed(now);
    health.failed(now);
    EXPECT_TRUE(health.admits(now));
    health.failed(now);
    EXPECT_FALSE(health.admits(now));

    now += EndpointHealth::kFirstPause;
    EXPECT_TRUE(health.admits(now));
    health.started();
    EXPECT_FALSE(health.admits(now)) << "one probe at a time";
    health.succeeded();
    EXPECT_TRUE(health.healthy());
    EXPECT_TRUE(health.admits(now));
}

TEST(RpcEndpointHealth, WaitsLongerAfterEachProbeThatFails)
{
    EndpointHealth health;
    Clock::time_point now{};
    for (std::size_t i = 0; i < EndpointHealth::kFailuresAllowed; ++i)
    {
        health.failed(now);
    }
    milliseconds pause = EndpointHealth::kFirstPause;
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_EQ(health.outUntil() - now, pause);
        health.failed(now);  // one that had been on its way: no longer pause for that
        EXPECT_EQ(health.outUntil() - now, pause);
        now = health.outUntil();
        health.started();
        health.failed(now);
        pause = std::min(pause * 2, EndpointHealth::kLongestPause);
    }
    EXPECT_EQ(pause, EndpointHealth::kLongestPause);
}
}  // namespace
}  // namespace relayer::chain::rpc
