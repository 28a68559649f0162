// A trace goes along with the calls that one request causes, and with no others.
#include "chain/rpc/node.h"
#include "support/await.h"
#include "support/client_loop.h"
#include "support/fake_node_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

namespace relayer::chain::rpc
{
namespace
{
using test::await;

const std::string kTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(RpcTrace, GoesWithTheCallsOfOneRequestOnly)
{
    test::ClientLoop loop;
    std::mutex mutex;
    std::vector<std::string> seen;
    test::FakeServer server({.http = [&](const test::FakeRequest &request) {
        const std::lock_guard lock(mutex);
        const auto header = request.headers.find("traceparent");
        seen.push_back(header == request.headers.end() ? "none" : header->second);
        const bool batch = request.body.front() == '[';
        return test::FakeResponse{.body = batch ? R"([{"jsonrpc":"2.0","id":1,"result":"0x01"},)"
                                                  R"({"jsonrpc":"2.0","id":2,"result":"0x02"}])"
                                                : R"({"jsonrpc":"2.0","id":1,"result":"0x01"})"};
    }});
    NodeOptions options;
    options.read.push_back(
        {.name = "node", .url = "http://127.0.0.1:" + std::to_string(server.port())});
    const auto node = connectNode(loop.get(), std::move(options));
    Call call;
    call.traceparent = kTrace;
    EXPECT_EQ(await(node->estimateGas(call)), 1U);
    EXPECT_EQ(await(node->call(call, "latest")), core::Bytes{1});
    EXPECT_EQ(await(node->calls({call}, "latest")).size(), 1U);
    EXPECT_ANY_THROW(static_cast<void>(await(node->sendRawTransaction({1}, kTrace))))
        << "its answer is no hash";
    EXPECT_EQ(await(node->chainId()), 1U);
    EXPECT_EQ(await(node->call(Call{}, "latest")), core::Bytes{1});
    EXPECT_EQ(await(node->calls({call, call}, "latest")).size(), 2U);
    const std::lock_guard lock(mutex);
    ASSERT_GE(seen.size(), 7U);
    const std::vector<std::string> ofOne(seen.begin(), seen.begin() + 4);
    EXPECT_THAT(ofOne, testing::Each(kTrace));
    const std::vector<std::string> ofNoneOrMany(seen.begin() + 4, seen.end());
    EXPECT_THAT(ofNoneOrMany, testing::Each("none"));
}
}  // namespace
}  // namespace relayer::chain::rpc
