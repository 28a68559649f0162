// A node behind HTTP that misbehaves: what its caller learns, and what is tried again.
#include "chain/rpc/node.h"
#include "support/await.h"
#include "support/client_loop.h"
#include "support/fake_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::chain::rpc
{
namespace
{
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::await;
using test::FakeNode;
using test::Wire;
using Kind = RpcError::Kind;

const std::string kSecret = "SECRETKEY";

class RpcNode : public testing::Test
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
            options.read.push_back({.name = "node " + std::to_string(options.read.size()),
                                    .url = node->url("/v2/" + kSecret)});
        }
        options.timeout = seconds(10);
        return options;
    }

    test::ClientLoop loop_;
};

template <typename Value>
std::optional<RpcError> errorOf(drogon::Task<Value> task)
{
    try
    {
        static_cast<void>(await(std::move(task)));
    }
    catch (const RpcError &error)
    {
        return error;
    }
    return std::nullopt;
}

core::Hash32 hashOf(std::uint8_t byte)
{
    core::Hash32 hash{};
    hash.fill(byte);
    return hash;
}

std::string receiptText(const std::string &hash)
{
    return R"({"transactionHash":")" + hash + R"(","blockNumber":"0x1","blockHash":")" + "0x" +
           std::string(64, '0') + R"(","logs":[]})";
}

TEST_F(RpcNode, GivesTypedValues)
{
    FakeNode fake;
    fake.answer("eth_chainId", R"("0x9fbf1")");
    fake.answer("eth_blockNumber", R"("0x10")");
    fake.answer("eth_estimateGas", R"("0x5208")");
    fake.answer("eth_call", R"("0x0102")");
    fake.answer("eth_getCode", R"("0x")");
    fake.answer("eth_getBalance", R"("0xde0b6b3a7640000")");
    fake.answer("eth_gasPrice", R"("0x7")");
    fake.answer("eth_getTransactionCount", R"("0x3")");
    fake.answer("eth_getBlockByNumber", "null");
    fake.answer("eth_getTransactionByHash", "{}");
    fake.answer("eth_getLogs", "[]");
    const auto node = connect(to({&fake}));
    EXPECT_EQ(await(node->chainId()), 654321U);
    EXPECT_EQ(await(node->blockNumber()), 16U);
    EXPECT_EQ(await(node->estimateGas(Call{})), 21000U);
    EXPECT_EQ(await(node->call(Call{}, "finalized")), (core::Bytes{1, 2}));
    EXPECT_TRUE(await(node->code({})).empty());
    EXPECT_EQ(await(node->balance({})), Uint256("1000000000000000000"));
    EXPECT_EQ(await(node->gasPrice()), 7);
    EXPECT_EQ(await(node->transactionCount({}, "latest")), 3U);
    EXPECT_FALSE(await(node->block(5)));
    EXPECT_FALSE(await(node->latestBlock()));
    EXPECT_TRUE(await(node->knowsTransaction({})));
    EXPECT_TRUE(await(node->logs({})).logs.empty());
    EXPECT_EQ(fake.params("eth_estimateGas")[0][1].asString(), "pending");
    EXPECT_EQ(fake.params("eth_call")[0][1].asString(), "finalized");
    EXPECT_EQ(fake.params("eth_getBlockByNumber")[0][0].asString(), "0x5");
    EXPECT_EQ(fake.lastRequest().target, "/v2/" + kSecret);
    EXPECT_EQ(fake.server().accepted(), 1U) << "one connection is enough for one call at a time";
}

struct FailureMode
{
    const char *name;
    Wire wire;
    Kind kind;
};

const FailureMode kFailureModes[] = {
    {"closed before it was handled", {.closeBeforeHandling = true}, Kind::Transport},
    {"closed instead of answered", {.closeInsteadOfAnswering = true}, Kind::Transport},
    {"no answer", {.neverAnswer = true}, Kind::Timeout},
    {"no HTTP", {.bytes = "gibberish\r\n\r\n\r\n"}, Kind::Transport},
    {"half an answer",
     {.bytes = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"},
     Kind::Transport},
    {"no JSON", {.body = "<html>"}, Kind::Undecodable},
    {"an empty body", {.body = ""}, Kind::Undecodable},
    {"no result", {.body = R"({"id":1})"}, Kind::Undecodable},
    {"a result of another kind", {.body = R"({"id":1,"result":{}})"}, Kind::Undecodable},
    {"bad gateway", {.status = 502, .body = "bad gateway"}, Kind::Transport},
    {"forbidden", {.status = 403, .body = "{}"}, Kind::Transport},
    {"too many requests", {.status = 429, .body = R"({"error":{"code":-32005}})"}, Kind::Busy},
    {"unavailable", {.status = 503, .body = ""}, Kind::Busy},
    {"an error with status 400",
     {.status = 400, .body = R"({"error":{"code":-32602,"message":"no"}})"},
     Kind::Rpc},
    {"an error", {.body = R"({"error":{"code":3,"message":"no","data":"0x01"}})"}, Kind::Rpc},
};

TEST_F(RpcNode, NamesEachFailureAndKeepsTheUrlToItself)
{
    for (const FailureMode &mode : kFailureModes)
    {
        SCOPED_TRACE(mode.name);
        FakeNode fake;
        fake.answer("eth_chainId", R"("0x1")");
        fake.misbehaveAlways(mode.wire);
        NodeOptions options = to({&fake});
        options.timeout = mode.kind == Kind::Timeout ? milliseconds(200) : milliseconds(10'000);
        const auto node = connect(std::move(options));
        const auto error = errorOf(node->chainId());
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), mode.kind);
        EXPECT_EQ(error->endpoint(), "node 0");
        EXPECT_TRUE(error->sent);
        const std::string what = error->what();
        EXPECT_THAT(what, testing::HasSubstr("node 0"));
        for (const std::string &secret :
             {kSecret, std::string("127.0.0.1"), std::to_string(fake.server().port())})
        {
            EXPECT_THAT(what, testing::Not(testing::HasSubstr(secret)));
        }
        fake.misbehaveAlways(std::nullopt);
        EXPECT_EQ(await(node->chainId()), 1U) << "and it recovers";
    }
}

TEST_F(RpcNode, SendsATransactionOnceWhateverHappens)
{
    for (const FailureMode &mode : kFailureModes)
    {
        SCOPED_TRACE(mode.name);
        FakeNode fake;
        FakeNode other;
        fake.answer("eth_sendRawTransaction", "\"0x" + std::string(64, '1') + "\"");
        other.answer("eth_sendRawTransaction", "\"0x" + std::string(64, '1') + "\"");
        fake.answer("eth_chainId", R"("0x1")");
        NodeOptions options = to({&fake, &other});
        options.timeout = mode.kind == Kind::Timeout ? milliseconds(200) : milliseconds(10'000);
        const auto node = connect(std::move(options));
        EXPECT_EQ(await(node->chainId()), 1U) << "a connection is open and idle";
        fake.misbehaveAlways(mode.wire);
        const auto error = errorOf(node->sendRawTransaction({1, 2, 3}));
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), mode.kind);
        EXPECT_LE(fake.calls("eth_sendRawTransaction"), 1U);
        EXPECT_EQ(other.calls("eth_sendRawTransaction"), 0U);
    }
}

TEST_F(RpcNode, TellsTheCodeAndDataOfAnError)
{
    FakeNode fake;
    fake.on("eth_estimateGas", [](const Json::Value &) {
        return FakeNode::error(3, "execution reverted", R"("0xd93c0665")");
    });
    const auto node = connect(to({&fake}));
    const auto error = errorOf(node->estimateGas(Call{}));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), Kind::Rpc);
    EXPECT_EQ(error->code, 3);
    EXPECT_EQ(error->message, "execution reverted");
    EXPECT_EQ(error->data, (core::Bytes{0xd9, 0x3c, 0x06, 0x65}));
    EXPECT_EQ(fake.calls("eth_estimateGas"), 1U) << "a node's no is final";
}

TEST_F(RpcNode, AsksTheNextEndpointWhenOneFails)
{
    FakeNode first;
    FakeNode second;
    first.answer("eth_blockNumber", R"("0x1")");
    second.answer("eth_blockNumber", R"("0x2")");
    const auto node = connect(to({&first, &second}));
    EXPECT_EQ(await(node->blockNumber()), 1U);
    for (const FailureMode &mode : kFailureModes)
    {
        if (mode.kind != Kind::Rpc && mode.kind != Kind::Timeout)
        {
            SCOPED_TRACE(mode.name);
            first.misbehaveAlways(mode.wire);
            EXPECT_EQ(await(node->blockNumber()), 2U);
        }
    }
    const std::size_t callsWhenOut = first.server().accepted();
    EXPECT_EQ(await(node->blockNumber()), 2U);
    EXPECT_EQ(first.server().accepted(), callsWhenOut) << "left alone after failures in a row";
    const auto snapshot = node->snapshot();
    ASSERT_EQ(snapshot.size(), 2U);
    EXPECT_TRUE(snapshot[0].out);
    EXPECT_GE(snapshot[0].failures, 3U);
    EXPECT_FALSE(snapshot[1].out);
    EXPECT_EQ(snapshot[1].failures, 0U);

    first.misbehaveAlways(std::nullopt);
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    while (await(node->blockNumber()) != 1U)
    {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "a probe brings it back";
    }
}

TEST_F(RpcNode, SendsElsewhereOnlyWhereNoConnectionWasMade)
{
    FakeNode alive;
    alive.answer("eth_sendRawTransaction", "\"0x" + std::string(64, '1') + "\"");
    std::string deadUrl;
    {
        const FakeNode gone;
        deadUrl = gone.url();
    }
    NodeOptions options = to({&alive});
    options.write = {{.name = "dead", .url = deadUrl}, {.name = "alive", .url = alive.url()}};
    const auto node = connect(std::move(options));
    EXPECT_EQ(await(node->sendRawTransaction({1})), hashOf(0x11));

    NodeOptions onlyDead;
    onlyDead.read = {{.name = "dead", .url = deadUrl}};
    const auto error = errorOf(connect(onlyDead)->sendRawTransaction({1}));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), Kind::Transport);
    EXPECT_FALSE(error->sent);
}

TEST_F(RpcNode, RepeatsAReadOnAFreshConnectionWhenAnIdleOneBreaks)
{
    FakeNode fake;
    fake.answer("eth_blockNumber", R"("0x1")");
    const auto node = connect(to({&fake}));
    EXPECT_EQ(await(node->blockNumber()), 1U);
    fake.misbehave({.closeBeforeHandling = true});
    EXPECT_EQ(await(node->blockNumber()), 1U);
    EXPECT_EQ(fake.server().accepted(), 2U);
    EXPECT_EQ(node->snapshot()[0].failures, 0U);
}

TEST_F(RpcNode, ThrowsAClientAwayThatHungAndServesOthersMeanwhile)
{
    FakeNode fake;
    fake.answer("eth_blockNumber", R"("0x1")");
    NodeOptions options = to({&fake});
    options.connections = 1;
    options.timeout = milliseconds(300);
    const auto node = connect(std::move(options));
    EXPECT_EQ(await(node->blockNumber()), 1U);
    fake.misbehave({.neverAnswer = true});
    EXPECT_EQ(errorOf(node->blockNumber())->kind(), Kind::Timeout);
    EXPECT_EQ(await(node->blockNumber()), 1U);
    EXPECT_EQ(node->snapshot()[0].connections, 1U);
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    while (fake.server().open() > 1)
    {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the hung connection was closed";
    }
}

TEST_F(RpcNode, LetsCallersWaitInLineForAConnectionAndRefusesWhenTheLineIsFull)
{
    FakeNode fake;
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    fake.on("eth_blockNumber", [&](const Json::Value &) {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, seconds(10), [&] { return open; });
        return FakeNode::result(R"("0x1")");
    });
    NodeOptions options = to({&fake});
    options.connections = 2;
    options.waiting = 3;
    const auto node = connect(std::move(options));
    std::vector<std::future<std::uint64_t>> calls;
    for (int i = 0; i < 5; ++i)
    {
        calls.push_back(test::start(node->blockNumber()));
    }
    ASSERT_TRUE(fake.waitForCalls("eth_blockNumber", 2));
    const auto refused = errorOf(node->blockNumber());
    ASSERT_TRUE(refused);
    EXPECT_FALSE(refused->sent);
    EXPECT_EQ(node->snapshot()[0].waiting, 3U);
    EXPECT_EQ(node->snapshot()[0].inFlight, 2U);
    {
        const std::scoped_lock lock(mutex);
        open = true;
    }
    changed.notify_all();
    for (auto &call : calls)
    {
        EXPECT_EQ(call.get(), 1U);
    }
    EXPECT_EQ(fake.server().accepted(), 2U);
}

TEST_F(RpcNode, AsksForManyReceiptsInOneBatch)
{
    FakeNode fake;
    fake.on("eth_getTransactionReceipt", [](const Json::Value &params) {
        const std::string hash = params[0].asString();
        return FakeNode::result(hash.starts_with("0x02") ? "null" : receiptText(hash));
    });
    using Batches = FakeNode::Batches;
    for (const Batches how : {Batches::Taken, Batches::Backwards, Batches::WithoutLast,
                              Batches::Refused, Batches::RefusedByHttp})
    {
        fake.batches(how);
        const auto node = connect(to({&fake}));
        for (int round = 0; round < 2; ++round)
        {
            const auto receipts = await(node->receipts({hashOf(1), hashOf(2), hashOf(3)}));
            ASSERT_EQ(receipts.size(), 3U);
            EXPECT_EQ(receipts[0]->txHash, hashOf(1));
            EXPECT_FALSE(receipts[1]);
            EXPECT_EQ(receipts[2]->txHash, hashOf(3));
        }
        if (how == Batches::Refused || how == Batches::RefusedByHttp)
        {
            EXPECT_EQ(node->snapshot()[0].calls, 7U) << "a batch, and then never again";
        }
    }
    const auto node = connect(to({&fake}));
    EXPECT_TRUE(await(node->receipts({})).empty());
    EXPECT_TRUE(await(node->receipts({hashOf(1)}))[0]);
}

TEST_F(RpcNode, TakesBigBodiesBothWaysAndInPieces)
{
    FakeNode fake;
    const std::string big(4UL * 1024 * 1024, '7');
    fake.on("eth_call", [](const Json::Value &params) {
        return FakeNode::result("\"" + params[0]["input"].asString() + "\"");
    });
    const auto node = connect(to({&fake}));
    Call call;
    call.input.assign(400'000, 0xab);
    EXPECT_EQ(await(node->call(call, "latest")), call.input);
    for (const Wire &wire : {Wire{.chunked = true}, Wire{.piece = 1000}})
    {
        fake.misbehave(wire);
        EXPECT_EQ(await(node->call(call, "latest")), call.input);
    }
    fake.answer("eth_getCode", "\"0x" + big + "\"");
    EXPECT_EQ(await(node->code({})).size(), big.size() / 2);
}

TEST_F(RpcNode, RefusesAnAnswerThatIsTooBigAndCutsOffOneThatDoesNotEnd)
{
    FakeNode fake;
    fake.answer("eth_getCode", "\"0x" + std::string(3000, '7') + "\"");
    NodeOptions options = to({&fake});
    options.maxAnswer = 2000;
    const auto node = connect(std::move(options));
    EXPECT_EQ(errorOf(node->code({}))->kind(), Kind::Undecodable);

    // A megabyte of a body that claims to have a terabyte; then the connection just stays open.
    fake.misbehaveAlways(Wire{.neverAnswer = true,
                              .bytes = "HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n" +
                                       std::string(1'000'000, ' ')});
    EXPECT_EQ(errorOf(node->code({}))->kind(), Kind::Undecodable);
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    while (fake.server().open() > 0)
    {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "cut off";
    }
}

TEST_F(RpcNode, AuthorizesAndRefusesUrlsByNameOnly)
{
    FakeNode fake;
    fake.answer("eth_chainId", R"("0x1")");
    NodeOptions options;
    std::string url = fake.url("/x?key=1");
    options.read = {{.name = "main", .url = url.insert(7, "user:pass@")}};
    EXPECT_EQ(await(connect(options)->chainId()), 1U);
    EXPECT_EQ(fake.lastRequest().headers["authorization"], "Basic dXNlcjpwYXNz");
    EXPECT_EQ(fake.lastRequest().headers["content-type"], "application/json");
    EXPECT_EQ(fake.lastRequest().target, "/x?key=1");

    for (const char *bad : {"ws://SECRETKEY", "SECRETKEY", "http://SECRETKEY:99999"})
    {
        options.read = {{.name = "main", .url = bad}};
        try
        {
            static_cast<void>(connect(options));
            ADD_FAILURE() << bad;
        }
        catch (const std::invalid_argument &error)
        {
            EXPECT_THAT(error.what(), testing::HasSubstr("main"));
            EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr(kSecret)));
        }
    }
}

TEST_F(RpcNode, TheSyncCallHasItsOwnDeadlineAndMayAnswerNull)
{
    FakeNode fake;
    const std::string hash = "0x" + std::string(64, '5');
    fake.answer("eth_sendRawTransactionSync", receiptText(hash));
    NodeOptions options = to({&fake});
    options.timeout = milliseconds(50);
    const auto node = connect(std::move(options));
    fake.misbehave({.delay = milliseconds(400)});
    EXPECT_EQ(await(node->sendRawTransactionSync({1}))->txHash, hashOf(0x55));
    EXPECT_EQ(fake.params("eth_sendRawTransactionSync")[0].size(), 1U);
    fake.answer("eth_sendRawTransactionSync", "null");
    EXPECT_FALSE(await(node->sendRawTransactionSync({1})));
}

TEST_F(RpcNode, MayBeDroppedWhileACallIsOnItsWay)
{
    FakeNode fake;
    fake.answer("eth_chainId", R"("0x1")");
    auto node = connect(to({&fake}));
    fake.misbehave({.delay = milliseconds(100)});
    auto call = test::start(node->chainId());
    ASSERT_TRUE(fake.waitForCalls("eth_chainId", 1));
    node.reset();
    EXPECT_EQ(call.get(), 1U);
}
}  // namespace
}  // namespace relayer::chain::rpc
