// The trace of a client's request, in the headers of what the relayer asks nodes for it.
#include "e2e/chain_world.h"
#include "e2e/decrypt_server.h"
#include "support/fake_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace relayer::test
{
namespace
{
using testing::ElementsAre;
using testing::StartsWith;

const std::string kTraceId = "0af7651916cd43dd8448eb211c80319c";

// Hands on what it is asked to a real node, and keeps the traces by method.
class Recorder
{
  public:
    explicit Recorder(std::uint16_t node)
        : node_(node),
          server_({.http = [this](const FakeRequest &request) { return handOn(request); }})
    {}

    [[nodiscard]] std::string url() const
    {
        return "http://127.0.0.1:" + std::to_string(server_.port());
    }
    // Those that came with calls of this method, each once; calls without one are left out.
    [[nodiscard]] std::set<std::string> tracesOf(const std::string &method)
    {
        const std::lock_guard lock(mutex_);
        return traces_[method];
    }

  private:
    FakeResponse handOn(const FakeRequest &request)
    {
        HttpReply asked;
        asked.body = request.body;
        const Json::Value calls = asked.json();
        const auto header = request.headers.find("traceparent");
        if (header != request.headers.end())
        {
            const std::lock_guard lock(mutex_);
            for (Json::ArrayIndex i = 0; i < (calls.isArray() ? calls.size() : 1); ++i)
            {
                const Json::Value &call = calls.isArray() ? calls[i] : calls;
                traces_[call["method"].asString()].insert(header->second);
            }
        }
        const auto reply = HttpClient(node_).post(request.target, request.body,
                                                  {{"Content-Type", "application/json"}});
        FakeResponse response;
        response.wire.status = reply ? reply->status : 502;
        response.body = reply ? reply->body : "";
        return response;
    }

    const std::uint16_t node_;
    std::mutex mutex_;
    std::map<std::string, std::set<std::string>> traces_;
    FakeServer server_;  // last: its threads use all of the above
};

TEST(Trace, OfAPostGoesAlongWithItsChecksItsEstimateAndItsTransaction)
{
    RELAYER_NEEDS_CHAIN();
    const Devnet devnet;
    ChainWorld world(devnet);
    Recorder gateway(devnet.gateway().port);
    Recorder host(devnet.chain("host-8009").port);
    ServerOptions options = world.serverOptions();
    for (auto &[name, value] : options.environment)
    {
        for (const auto &[from, to] :
             std::map<std::string, std::string>{{devnet.gateway().http, gateway.url()},
                                                {devnet.chain("host-8009").http, host.url()}})
        {
            if (const std::size_t at = value.find(from); at != std::string::npos)
            {
                value.replace(at, from.size(), to);
            }
        }
    }
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    constexpr std::uint64_t kPublic = 1;
    const ChainRequest request = world.requestOf(kPublic);
    HttpClient client(server.port());
    world.note(kPublic, client.post(request.path, request.body,
                                    {{"traceparent", "00-" + kTraceId + "-b7ad6b7169203331-01"}}));
    ASSERT_EQ(pollToTheEnd(server, world.jobPathOf(kPublic)).status, 200) << server.output();

    const auto sent = gateway.tracesOf("eth_sendRawTransaction");
    const auto sentAndAwaited = gateway.tracesOf("eth_sendRawTransactionSync");
    const auto &whole = sent.empty() ? sentAndAwaited : sent;
    ASSERT_THAT(whole, ElementsAre(StartsWith("00-" + kTraceId + "-")));
    EXPECT_EQ(gateway.tracesOf("eth_estimateGas"), whole);
    EXPECT_EQ(gateway.tracesOf("eth_call"), whole) << "is the ciphertext there";
    EXPECT_EQ(host.tracesOf("eth_call"), whole) << "does the ACL allow it";
    EXPECT_TRUE(gateway.tracesOf("eth_getTransactionReceipt").empty()) << "asked for many at once";
    EXPECT_FALSE(whole.contains("00-" + kTraceId + "-b7ad6b7169203331-01"))
        << "the span is our own";
}

// ERC-1271: what is no signature of the user may be one that its contract takes.
TEST(Trace, OfAPostGoesAlongWithTheQuestionToItsAccount)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    FakeNode account;
    account.answer("eth_call", "\"0x1626ba7e" + std::string(56, '0') + "\"");
    Recorder host(account.server().port());
    ServerOptions options = forDecryptions(database);
    options.environment["RELAYER_HOST_CHAINS__0__URL"] = host.url();
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    core::UnifiedUserDecrypt request = unifiedOf(1);
    request.signature = core::Bytes(65, 3);
    const Post post = postOf(request);
    const auto reply = HttpClient(server.port())
                           .post(post.path, post.body,
                                 {{"traceparent", "00-" + kTraceId + "-b7ad6b7169203331-01"}});
    EXPECT_EQ(reply->status, 202) << reply->body;
    EXPECT_THAT(host.tracesOf("eth_call"), ElementsAre(StartsWith("00-" + kTraceId + "-")));
}
}  // namespace
}  // namespace relayer::test
