// How a call of Node is made: over which endpoints, how often, and what becomes of its answer.
// Free coroutines that share their state, so that the node may go while they are on their way.
#pragma once

#include "chain/rpc/endpoint.h"
#include "chain/rpc/json_answers.h"

#include <drogon/utils/coroutine.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace relayer::chain::rpc
{
struct NodeState
{
    trantor::EventLoop *loop = nullptr;
    NodeOptions options;
    Endpoints read;
    Endpoints write;
    Endpoints all;  // each once, in the order of the configuration

    [[nodiscard]] JsonLimits limits() const { return {.bytes = options.maxAnswer}; }
};
using NodeStatePtr = std::shared_ptr<NodeState>;

// What one exchange with one endpoint came to: the body of an answer, or why there is none.
struct Fetched
{
    std::optional<HttpAnswer> answer;
    std::optional<RpcError> error;
    bool reused = false;         // failed on a connection that had been idle
    bool refusedByHttp = false;  // a status that says no, and no JSON-RPC error
};

struct Exchanged
{
    std::string method;
    std::string body;
    std::chrono::milliseconds timeout{10'000};
    std::chrono::milliseconds idleAtMost{4'000};
    std::string traceparent;  // empty: no header
};

[[nodiscard]] drogon::Task<Fetched> fetch(EndpointPtr endpoint, Exchanged exchanged,
                                          JsonLimits limits);

[[nodiscard]] RpcError errorOf(const Endpoint &endpoint, const std::string &method,
                               RpcError::Kind kind, const std::string &why);
[[nodiscard]] RpcError errorOf(const Endpoint &endpoint, const std::string &method,
                               const NodeError &error);

template <typename Value>
using Open = std::function<Answer<Value>(std::string_view body)>;

template <typename Value>
struct Attempt
{
    std::optional<Value> value;
    std::optional<RpcError> error;
    bool reused = false;
    bool refusedByHttp = false;
};

template <typename Value>
drogon::Task<Attempt<Value>> attempt(EndpointPtr endpoint, Exchanged exchanged, JsonLimits limits,
                                     Open<Value> open)
{
    const std::string method = exchanged.method;
    Fetched fetched = co_await fetch(endpoint, std::move(exchanged), limits);
    Attempt<Value> result;
    result.reused = fetched.reused;
    result.refusedByHttp = fetched.refusedByHttp;
    result.error = std::move(fetched.error);
    if (fetched.answer)
    {
        Answer<Value> answer = open(fetched.answer->body());
        if (auto *value = std::get_if<Value>(&answer))
        {
            result.value = std::move(*value);
        }
        else if (const auto *error = std::get_if<NodeError>(&answer))
        {
            result.error = errorOf(*endpoint, method, *error);
        }
        else
        {
            result.error = errorOf(*endpoint, method, RpcError::Kind::Undecodable,
                                   std::get<Undecodable>(answer).why);
        }
    }
    co_return result;
}

// Tells the endpoint how it went.
void book(Endpoint &endpoint, const std::optional<RpcError> &error);

// A call that may be repeated: once more on a fresh connection where an idle one had broken, then
// on the next endpoint. The node's own "no" is final.
template <typename Value>
drogon::Task<Value> ask(NodeStatePtr state, Endpoints endpoints, Exchanged exchanged,
                        Open<Value> open)
{
    if (!state->loop->isInLoopThread())
    {
        co_await drogon::switchThreadCoro(state->loop);
    }
    Endpoints tried;
    std::optional<RpcError> last;
    for (EndpointPtr endpoint = chooseEndpoint(endpoints, tried, EndpointHealth::Clock::now());
         endpoint; endpoint = chooseEndpoint(endpoints, tried, EndpointHealth::Clock::now()))
    {
        tried.push_back(endpoint);
        endpoint->started();
        const JsonLimits limits = state->limits();
        Exchanged first = exchanged;
        Attempt<Value> result = co_await attempt<Value>(endpoint, std::move(first), limits, open);
        if (result.error && result.reused)
        {
            Exchanged fresh = exchanged;
            fresh.idleAtMost = std::chrono::milliseconds(-1);
            result = co_await attempt<Value>(endpoint, std::move(fresh), limits, open);
        }
        book(*endpoint, result.error);
        if (result.value)
        {
            co_return std::move(*result.value);
        }
        last = std::move(result.error);
        if (last->kind() == RpcError::Kind::Rpc)
        {
            break;
        }
    }
    throw RpcError(*last);
}

// A call that is made once. It goes to another endpoint only where it can not have been sent.
template <typename Value>
drogon::Task<Value> tell(NodeStatePtr state, Exchanged exchanged, Open<Value> open)
{
    if (!state->loop->isInLoopThread())
    {
        co_await drogon::switchThreadCoro(state->loop);
    }
    Endpoints tried;
    std::optional<RpcError> last;
    for (EndpointPtr endpoint = chooseEndpoint(state->write, tried, EndpointHealth::Clock::now());
         endpoint; endpoint = chooseEndpoint(state->write, tried, EndpointHealth::Clock::now()))
    {
        tried.push_back(endpoint);
        endpoint->started();
        const JsonLimits limits = state->limits();
        Exchanged once = exchanged;
        Attempt<Value> result = co_await attempt<Value>(endpoint, std::move(once), limits, open);
        if (result.error && result.error->kind() == RpcError::Kind::Timeout)
        {
            endpoint->endedInconclusive(RpcError::Kind::Timeout);
        }
        else
        {
            book(*endpoint, result.error);
        }
        if (result.value)
        {
            co_return std::move(*result.value);
        }
        last = std::move(result.error);
        if (last->sent)
        {
            break;
        }
    }
    throw RpcError(*last);
}
}  // namespace relayer::chain::rpc
