// A JSON-RPC node that a test scripts, over HTTP and WebSocket on one port and any path.
//
//     FakeNode node;
//     node.answer("eth_chainId", "\"0x1\"");
//     node.on("eth_call", [](const Json::Value &params) { return FakeNode::error(3, "reverted");
//     }); node.misbehave({.neverAnswer = true});
//
// Handlers run on the threads of the connections, several at a time; one that waits has to be
// woken before the node is destroyed. A method without a handler is answered with -32601.
#pragma once

#include "support/fake_node_server.h"

#include <json/value.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayer::test
{
class FakeNode
{
  public:
    // GCC misses fields without an initializer in designated ones.
    // NOLINTBEGIN(readability-redundant-member-init)
    struct Reply
    {
        std::string result = {};  // JSON text
        std::string error = {};   // JSON text of the error object; then there is no result
        Wire wire = {};
    };
    // NOLINTEND(readability-redundant-member-init)
    using Handler = std::function<Reply(const Json::Value &params)>;

    enum class Batches
    {
        Taken,
        Backwards,    // taken, and answered in reverse order
        WithoutLast,  // taken, and the last answer is missing
        Refused,      // with one error object
        RefusedByHttp
    };

    FakeNode();
    ~FakeNode();
    FakeNode(const FakeNode &) = delete;
    FakeNode &operator=(const FakeNode &) = delete;

    [[nodiscard]] static Reply result(std::string json) { return {.result = std::move(json)}; }
    [[nodiscard]] static Reply resultOf(const Json::Value &value);
    // `data` is JSON text.
    [[nodiscard]] static Reply error(std::int64_t code, const std::string &message,
                                     const std::string &data = "");

    [[nodiscard]] std::string url(const std::string &path = "/") const;
    [[nodiscard]] std::string socketUrl(const std::string &path = "/ws") const;
    [[nodiscard]] FakeServer &server() { return *server_; }

    void on(const std::string &method, Handler handler);
    void answer(const std::string &method, const std::string &resultJson);
    void batches(Batches how);
    // The next so many HTTP requests.
    void misbehave(Wire wire, std::size_t requests = 1);
    // Until it is called again with nothing.
    void misbehaveAlways(std::optional<Wire> wire);

    // How often a method was called, and with what; a batch counts each of its items.
    [[nodiscard]] std::size_t calls(const std::string &method);
    [[nodiscard]] std::vector<Json::Value> params(const std::string &method);
    [[nodiscard]] FakeRequest lastRequest();
    // How many HTTP requests came; a batch is one.
    [[nodiscard]] std::size_t exchanges();
    // False: not by the deadline.
    bool waitForCalls(const std::string &method, std::size_t count,
                      std::chrono::milliseconds deadline = std::chrono::seconds(10));

    // WebSocket. eth_subscribe is answered by the node itself unless it has a handler for it.
    [[nodiscard]] std::size_t subscribers();
    bool waitForSubscribers(std::size_t count,
                            std::chrono::milliseconds deadline = std::chrono::seconds(10));
    void pushLog(const Json::Value &log);  // to every subscriber, whatever its filter
    void pushText(const std::string &text);
    // In two frames with a control frame between them, as servers may do.
    void pushLogAroundPing(const Json::Value &log);
    void dropSockets();
    // Connections stay open, but nothing comes any more.
    void goSilent(bool silent);
    void refuseSubscriptions(bool refuse);
    void refuseConnections(bool refuse);

    // Takes HTTP requests before they are looked at as JSON-RPC.
    void onHttp(std::function<FakeResponse(const FakeRequest &)> handler);

  private:
    struct Subscriber
    {
        FakeServer::PeerPtr peer;
        std::string id;
    };

    [[nodiscard]] Wire nextWire();
    [[nodiscard]] FakeResponse handleHttp(const FakeRequest &request);
    [[nodiscard]] Reply call(const std::string &method, const Json::Value &params);
    [[nodiscard]] std::string handleOne(const Json::Value &request, Wire &wire);
    [[nodiscard]] FakeResponse handleBatch(const Json::Value &requests);
    void handleText(const FakeServer::PeerPtr &peer, const std::string &text);
    [[nodiscard]] std::string subscribe(const FakeServer::PeerPtr &peer,
                                        const Json::Value &request);
    [[nodiscard]] std::vector<Subscriber> audience();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Handler> handlers_;
    std::map<std::string, std::vector<Json::Value>> calls_;
    FakeRequest lastRequest_;
    std::size_t exchanges_ = 0;
    std::function<FakeResponse(const FakeRequest &)> httpHandler_;
    Batches batches_ = Batches::Taken;
    Wire nextWire_;
    std::size_t nextWires_ = 0;
    std::optional<Wire> always_;
    std::vector<Subscriber> subscribers_;
    std::size_t subscriptions_ = 0;
    bool silent_ = false;
    bool refuseSubscriptions_ = false;
    bool refuseConnections_ = false;
    std::unique_ptr<FakeServer> server_;  // last: its threads use all of the above
};
}  // namespace relayer::test
