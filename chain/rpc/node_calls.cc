// One exchange with one endpoint, and what its failures are called.
#include "chain/rpc/node_calls.h"

namespace relayer::chain::rpc
{
namespace
{
constexpr int kOk = 200;
constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;

RpcError errorOfHttp(const Endpoint &endpoint, const std::string &method,
                     const HttpFailure &failure)
{
    using Kind = HttpFailure::Kind;
    switch (failure.kind)
    {
        case Kind::NotSent:
        {
            RpcError error = errorOf(endpoint, method, RpcError::Kind::Transport, "no connection");
            error.sent = false;
            return error;
        }
        case Kind::TimedOut:
            return errorOf(endpoint, method, RpcError::Kind::Timeout, "no answer in time");
        case Kind::AnswerTooBig:
            return errorOf(endpoint, method, RpcError::Kind::Undecodable, "the answer is too big");
        case Kind::Broken: break;
    }
    return errorOf(endpoint, method, RpcError::Kind::Transport, "the connection broke");
}

// An answer with another status than 200 counts when it is a JSON-RPC error, as several nodes send
// them; anything else comes from something that stands before the node.
void judgeStatus(const Endpoint &endpoint, const std::string &method, const JsonLimits &limits,
                 Fetched &fetched)
{
    const int status = fetched.answer->status;
    if (status == kOk)
    {
        return;
    }
    const auto opened = openAnswer(fetched.answer->body(), limits);
    const auto *nodeError = std::get_if<NodeError>(&opened);
    const std::string why = "HTTP status " + std::to_string(status);
    if (status == kTooManyRequests || status == kUnavailable)
    {
        fetched.error = errorOf(endpoint, method, RpcError::Kind::Busy, why);
        fetched.error->code = nodeError != nullptr ? nodeError->code : 0;
        fetched.error->message = nodeError != nullptr ? nodeError->message : "";
    }
    else if (nodeError == nullptr)
    {
        fetched.error = errorOf(endpoint, method, RpcError::Kind::Transport, why);
        fetched.refusedByHttp = true;
    }
    if (fetched.error)
    {
        fetched.answer.reset();
    }
}
}  // namespace

drogon::Task<Fetched> fetch(EndpointPtr endpoint, Exchanged exchanged, JsonLimits limits)
{
    const std::string method = std::move(exchanged.method);
    HttpQuestion question;
    question.body = std::move(exchanged.body);
    question.timeout = exchanged.timeout;
    question.idleAtMost = exchanged.idleAtMost;
    if (!exchanged.traceparent.empty())
    {
        question.headers.emplace("traceparent", std::move(exchanged.traceparent));
    }
    HttpEndpoint::Exchange exchange = endpoint->http->ask(std::move(question));
    HttpOutcome outcome = co_await exchange;
    Fetched fetched;
    if (const auto *failure = std::get_if<HttpFailure>(&outcome))
    {
        fetched.reused = failure->reused && failure->kind == HttpFailure::Kind::Broken;
        fetched.error = errorOfHttp(*endpoint, method, *failure);
        co_return fetched;
    }
    fetched.answer = std::move(std::get<HttpAnswer>(outcome));
    judgeStatus(*endpoint, method, limits, fetched);
    co_return fetched;
}

RpcError errorOf(const Endpoint &endpoint, const std::string &method, RpcError::Kind kind,
                 const std::string &why)
{
    return {kind, endpoint.name, endpoint.name + ": " + method + ": " + why};
}

// The node's own text stays in `message`: nobody knows what it holds.
RpcError errorOf(const Endpoint &endpoint, const std::string &method, const NodeError &error)
{
    RpcError made = errorOf(endpoint, method, RpcError::Kind::Rpc,
                            "the node answers error " + std::to_string(error.code));
    made.code = error.code;
    made.message = error.message;
    made.data = error.data;
    return made;
}

void book(Endpoint &endpoint, const std::optional<RpcError> &error)
{
    const bool answered = !error || error->kind() == RpcError::Kind::Rpc;
    endpoint.ended(answered ? std::nullopt : std::optional(error->kind()));
}
}  // namespace relayer::chain::rpc
