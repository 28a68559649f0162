// Many calls in one HTTP request, and nodes that take none, or lose some.
#include "chain/rpc/node.h"
#include "support/await.h"
#include "support/client_loop.h"
#include "support/fake_node.h"

#include <gtest/gtest.h>

namespace relayer::chain::rpc
{
namespace
{
using test::await;
using test::FakeNode;
using test::Wire;
using Kind = RpcError::Kind;

class RpcBatches : public testing::Test
{
  protected:
    [[nodiscard]] std::shared_ptr<Node> connect(NodeOptions options)
    {
        return connectNode(loop_.get(), std::move(options));
    }
    [[nodiscard]] static NodeOptions to(std::vector<FakeNode *> nodes)
    {
        NodeOptions options;
        for (FakeNode *node : nodes)
        {
            options.read.push_back(
                {.name = "node " + std::to_string(options.read.size()), .url = node->url()});
        }
        return options;
    }

    test::ClientLoop loop_;
};

std::vector<Call> callsOf(const core::Bytes &inputs)
{
    std::vector<Call> calls;
    for (const std::uint8_t input : inputs)
    {
        calls.emplace_back().input = {input};
    }
    return calls;
}

TEST_F(RpcBatches, MakesManyCallsInOneBatchAndEachHasItsOwnOutcome)
{
    FakeNode fake;
    fake.on("eth_call", [](const Json::Value &params) {
        const std::string input = params[0]["input"].asString();
        return input == "0x02"   ? FakeNode::error(3, "reverted", "\"0xdead\"")
               : input == "0x03" ? FakeNode::result("7")
                                 : FakeNode::result('"' + input + '"');
    });
    using Batches = FakeNode::Batches;
    for (const Batches how : {Batches::Taken, Batches::Backwards, Batches::WithoutLast,
                              Batches::Refused, Batches::RefusedByHttp})
    {
        fake.batches(how);
        const auto node = connect(to({&fake}));
        const std::size_t before = fake.exchanges();
        const auto outcomes = await(node->calls(callsOf({1, 2, 3, 4}), "latest"));
        ASSERT_EQ(outcomes.size(), 4U);
        EXPECT_EQ(std::get<core::Bytes>(outcomes[0]), core::Bytes{1});
        EXPECT_EQ(std::get<RpcError>(outcomes[1]).kind(), Kind::Rpc);
        EXPECT_EQ(std::get<RpcError>(outcomes[1]).data, (core::Bytes{0xde, 0xad}));
        EXPECT_EQ(std::get<RpcError>(outcomes[2]).kind(), Kind::Undecodable);
        EXPECT_EQ(std::get<core::Bytes>(outcomes[3]), core::Bytes{4});
        const bool refused = how == Batches::Refused || how == Batches::RefusedByHttp;
        const std::size_t alone = refused ? 4 : how == Batches::WithoutLast ? 2 : 1;
        EXPECT_EQ(fake.exchanges() - before, 1 + alone) << "a batch, and what it left open";
        const std::size_t then = fake.exchanges();
        static_cast<void>(await(node->calls(callsOf({1, 4}), "latest")));
        const std::size_t again = refused ? 2 : how == Batches::WithoutLast ? 2 : 1;
        EXPECT_EQ(fake.exchanges() - then, again) << "who refuses batches gets none for a while";
    }
    const auto node = connect(to({&fake}));
    EXPECT_TRUE(await(node->calls({}, "latest")).empty());
}

TEST_F(RpcBatches, OfManyCallsNoneIsMadeAloneWhenNoEndpointIsThere)
{
    FakeNode down;
    FakeNode up;
    up.answer("eth_call", "\"0x01\"");
    down.misbehaveAlways(Wire{.closeBeforeHandling = true});
    const auto failing = await(connect(to({&down}))->calls(callsOf({1, 2, 3}), "latest"));
    for (const CallOutcome &outcome : failing)
    {
        EXPECT_EQ(std::get<RpcError>(outcome).kind(), Kind::Transport);
    }
    const auto served = await(connect(to({&down, &up}))->calls(callsOf({1, 2, 3}), "latest"));
    EXPECT_TRUE(std::holds_alternative<core::Bytes>(served.at(2))) << "the next endpoint answers";
    EXPECT_EQ(up.exchanges(), 1U);
}
}  // namespace
}  // namespace relayer::chain::rpc
