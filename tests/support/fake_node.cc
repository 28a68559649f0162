#include "support/fake_node.h"

#include "support/json_text.h"

#include <algorithm>

namespace relayer::test
{
namespace
{
std::string notification(const std::string &id, const Json::Value &log)
{
    return R"({"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":")" + id +
           R"(","result":)" + jsonText(log) + "}}";
}

std::string envelope(const Json::Value &id, const FakeNode::Reply &reply)
{
    return R"({"jsonrpc":"2.0","id":)" + jsonText(id) +
           (reply.error.empty() ? R"(,"result":)" + reply.result : R"(,"error":)" + reply.error) +
           "}";
}
}  // namespace

FakeNode::Reply FakeNode::resultOf(const Json::Value &value)
{
    return {.result = jsonText(value)};
}

FakeNode::Reply FakeNode::error(std::int64_t code, const std::string &message,
                                const std::string &data)
{
    return {.error = R"({"code":)" + std::to_string(code) + R"(,"message":)" +
                     jsonText(Json::Value(message)) + (data.empty() ? "" : R"(,"data":)" + data) +
                     "}"};
}

FakeNode::FakeNode()
{
    FakeServer::Handlers handlers;
    handlers.before = [this](const FakeRequest &) { return nextWire(); };
    handlers.http = [this](const FakeRequest &request) { return handleHttp(request); };
    handlers.text = [this](const FakeServer::PeerPtr &peer, const std::string &text) {
        handleText(peer, text);
    };
    handlers.closed = [this](const FakeServer::PeerPtr &peer) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(subscribers_, [&](const Subscriber &one) { return one.peer == peer; });
        changed_.notify_all();
    };
    server_ = std::make_unique<FakeServer>(std::move(handlers));
}

FakeNode::~FakeNode()
{
    server_->stop();
}

std::string FakeNode::url(const std::string &path) const
{
    return "http://127.0.0.1:" + std::to_string(server_->port()) + path;
}

std::string FakeNode::socketUrl(const std::string &path) const
{
    return "ws://127.0.0.1:" + std::to_string(server_->port()) + path;
}

void FakeNode::on(const std::string &method, Handler handler)
{
    const std::scoped_lock lock(mutex_);
    handlers_[method] = std::move(handler);
}

void FakeNode::answer(const std::string &method, const std::string &resultJson)
{
    on(method, [resultJson](const Json::Value &) { return result(resultJson); });
}

void FakeNode::batches(Batches how)
{
    const std::scoped_lock lock(mutex_);
    batches_ = how;
}

void FakeNode::misbehave(Wire wire, std::size_t requests)
{
    const std::scoped_lock lock(mutex_);
    nextWire_ = std::move(wire);
    nextWires_ = requests;
}

void FakeNode::misbehaveAlways(std::optional<Wire> wire)
{
    const std::scoped_lock lock(mutex_);
    always_ = std::move(wire);
}

void FakeNode::onHttp(std::function<FakeResponse(const FakeRequest &)> handler)
{
    const std::scoped_lock lock(mutex_);
    httpHandler_ = std::move(handler);
}

Wire FakeNode::nextWire()
{
    const std::scoped_lock lock(mutex_);
    if (refuseConnections_)
    {
        return {.closeBeforeHandling = true};
    }
    if (nextWires_ > 0)
    {
        --nextWires_;
        return nextWire_;
    }
    return always_.value_or(Wire{});
}

std::size_t FakeNode::calls(const std::string &method)
{
    const std::scoped_lock lock(mutex_);
    return calls_[method].size();
}

std::vector<Json::Value> FakeNode::params(const std::string &method)
{
    const std::scoped_lock lock(mutex_);
    return calls_[method];
}

FakeRequest FakeNode::lastRequest()
{
    const std::scoped_lock lock(mutex_);
    return lastRequest_;
}

std::size_t FakeNode::exchanges()
{
    const std::scoped_lock lock(mutex_);
    return exchanges_;
}

bool FakeNode::waitForCalls(const std::string &method, std::size_t count,
                            std::chrono::milliseconds deadline)
{
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, deadline, [&] { return calls_[method].size() >= count; });
}

FakeNode::Reply FakeNode::call(const std::string &method, const Json::Value &params)
{
    Handler handler;
    {
        const std::scoped_lock lock(mutex_);
        calls_[method].push_back(params);
        changed_.notify_all();
        const auto found = handlers_.find(method);
        if (found == handlers_.end())
        {
            return error(-32601, "Method not found");
        }
        handler = found->second;
    }
    return handler(params);
}

std::string FakeNode::handleOne(const Json::Value &request, Wire &wire)
{
    const Reply reply = call(request["method"].asString(), request["params"]);
    wire = reply.wire;
    return envelope(request["id"], reply);
}

FakeResponse FakeNode::handleBatch(const Json::Value &requests)
{
    Batches how{};
    {
        const std::scoped_lock lock(mutex_);
        how = batches_;
    }
    FakeResponse response;
    if (how == Batches::Refused)
    {
        response.body = envelope(Json::Value(), error(-32600, "batches are not supported"));
        return response;
    }
    if (how == Batches::RefusedByHttp)
    {
        response.wire.status = 400;
        response.body = "no batches here";
        return response;
    }
    std::vector<std::string> answers;
    for (const Json::Value &request : requests)
    {
        answers.push_back(handleOne(request, response.wire));
    }
    if (how == Batches::Backwards)
    {
        std::ranges::reverse(answers);
    }
    if (how == Batches::WithoutLast && !answers.empty())
    {
        answers.pop_back();
    }
    for (const std::string &one : answers)
    {
        response.body += (response.body.empty() ? "[" : ",") + one;
    }
    response.body += response.body.empty() ? "[]" : "]";
    return response;
}

FakeResponse FakeNode::handleHttp(const FakeRequest &request)
{
    std::function<FakeResponse(const FakeRequest &)> raw;
    {
        const std::scoped_lock lock(mutex_);
        lastRequest_ = request;
        ++exchanges_;
        raw = httpHandler_;
    }
    if (raw)
    {
        return raw(request);
    }
    const Json::Value parsed = jsonValue(request.body);
    if (parsed.isArray())
    {
        return handleBatch(parsed);
    }
    FakeResponse response;
    response.body = parsed.isObject() ? handleOne(parsed, response.wire)
                                      : envelope(Json::Value(), error(-32700, "parse error"));
    return response;
}

std::string FakeNode::subscribe(const FakeServer::PeerPtr &peer, const Json::Value &request)
{
    const std::scoped_lock lock(mutex_);
    calls_["eth_subscribe"].push_back(request["params"]);
    changed_.notify_all();
    if (refuseSubscriptions_)
    {
        return envelope(request["id"], error(-32000, "no more subscriptions"));
    }
    const std::string id = "0xsub" + std::to_string(++subscriptions_);
    subscribers_.push_back({.peer = peer, .id = id});
    return envelope(request["id"], result("\"" + id + "\""));
}

void FakeNode::handleText(const FakeServer::PeerPtr &peer, const std::string &text)
{
    const Json::Value request = jsonValue(text);
    {
        const std::scoped_lock lock(mutex_);
        if (silent_)
        {
            return;
        }
    }
    if (!request.isObject())
    {
        return;
    }
    if (request["method"].asString() == "eth_subscribe")
    {
        peer->sendText(subscribe(peer, request));
        return;
    }
    Wire ignored;
    peer->sendText(handleOne(request, ignored));
}

std::vector<FakeNode::Subscriber> FakeNode::audience()
{
    const std::scoped_lock lock(mutex_);
    return silent_ ? std::vector<Subscriber>{} : subscribers_;
}

std::size_t FakeNode::subscribers()
{
    const std::scoped_lock lock(mutex_);
    return subscribers_.size();
}

bool FakeNode::waitForSubscribers(std::size_t count, std::chrono::milliseconds deadline)
{
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, deadline, [&] { return subscribers_.size() == count; });
}

void FakeNode::pushLog(const Json::Value &log)
{
    for (const Subscriber &one : audience())
    {
        one.peer->sendText(notification(one.id, log));
    }
}

void FakeNode::pushText(const std::string &text)
{
    for (const Subscriber &one : audience())
    {
        one.peer->sendText(text);
    }
}

void FakeNode::pushLogAroundPing(const Json::Value &log)
{
    constexpr std::uint8_t kContinuation = 0;
    constexpr std::uint8_t kText = 1;
    constexpr std::uint8_t kPing = 9;
    for (const Subscriber &one : audience())
    {
        const std::string text = notification(one.id, log);
        one.peer->sendFrame(kText, false, text.substr(0, text.size() / 2));
        one.peer->sendFrame(kPing, true, "");
        one.peer->sendFrame(kContinuation, true, text.substr(text.size() / 2));
    }
}

void FakeNode::dropSockets()
{
    std::vector<Subscriber> all;
    {
        const std::scoped_lock lock(mutex_);
        all = subscribers_;
    }
    for (const Subscriber &one : all)
    {
        one.peer->close();
    }
}

void FakeNode::goSilent(bool silent)
{
    const std::scoped_lock lock(mutex_);
    silent_ = silent;
}

void FakeNode::refuseSubscriptions(bool refuse)
{
    const std::scoped_lock lock(mutex_);
    refuseSubscriptions_ = refuse;
}

void FakeNode::refuseConnections(bool refuse)
{
    const std::scoped_lock lock(mutex_);
    refuseConnections_ = refuse;
}
}  // namespace relayer::test
