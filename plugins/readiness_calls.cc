#include "plugins/readiness_calls.h"

#include "chain/contract_views.h"
#include "chain/gateway.h"
#include "plugins/node_text.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace relayer::plugins
{
using chain::rpc::RpcError;
using drogon::Task;

namespace
{
const std::string kLatest = "latest";

std::string inOurWords(const RpcError &error)
{
    switch (error.kind())
    {
        case RpcError::Kind::Transport: return "the node can not be reached";
        case RpcError::Kind::Timeout: return "the node did not answer in time";
        case RpcError::Kind::Busy: return "the node is busy";
        case RpcError::Kind::Undecodable: return "the answer of the node could not be read";
        case RpcError::Kind::Rpc: break;
    }
    return "the node answered with error " + std::to_string(error.code);
}

std::string forTheLog(const RpcError &error)
{
    return std::string(error.what()) + (error.message.empty() ? "" : ": ") +
           nodeText(error.message);
}

AclAnswer failedCall(std::uint64_t hostChain, const std::string &inOurWords, std::string why)
{
    AclAnswer answer;
    answer.told = "Host ACL check failed: Host chain " + std::to_string(hostChain) +
                  " call failed: " + inOurWords;
    answer.why = std::move(why);
    return answer;
}

// What one call for these came to: all their answers, or why there are none.
struct Combined
{
    std::optional<std::vector<bool>> allowed;
    AclAnswer failed;
    bool unreached = false;
};

Task<Combined> callFor(HostChain chain, std::vector<AclQuestions> requests, std::string traceparent)
{
    std::vector<core::ByteView> calls;
    for (const AclQuestions &questions : requests)
    {
        for (const chain::AclQuestion &question : *questions)
        {
            calls.emplace_back(question.call);
        }
    }
    Combined combined;
    try
    {
        chain::rpc::Call call;
        call.to = chain.acl;
        call.input = chain::multicall(calls);
        call.traceparent = std::move(traceparent);
        const core::Bytes answer = co_await chain.node->call(std::move(call), kLatest);
        combined.allowed = chain::multicallAnswer(answer, calls.size());
        if (!combined.allowed)
        {
            combined.failed = failedCall(chain.chainId, "the answer of the node could not be read",
                                         "not as many answers as questions");
        }
    }
    catch (const RpcError &error)
    {
        combined.failed = failedCall(chain.chainId, inOurWords(error), forTheLog(error));
        combined.unreached = error.kind() == RpcError::Kind::Transport ||
                             error.kind() == RpcError::Kind::Timeout ||
                             error.kind() == RpcError::Kind::Busy;
    }
    co_return combined;
}

AclAnswer answerFrom(Combined combined)
{
    AclAnswer answer = std::move(combined.failed);
    answer.allowed = std::move(combined.allowed);
    return answer;
}

std::vector<AclAnswer> split(const std::vector<bool> &allowed,
                             const std::vector<AclQuestions> &requests)
{
    std::vector<AclAnswer> answers(requests.size());
    auto next = allowed.begin();
    for (std::size_t i = 0; i < requests.size(); ++i)
    {
        const auto end = next + static_cast<std::ptrdiff_t>(requests[i]->size());
        answers[i].allowed.emplace(next, end);
        next = end;
    }
    return answers;
}

CiphertextAnswer answerFrom(const chain::rpc::CallOutcome &outcome)
{
    CiphertextAnswer answer;
    if (const auto *error = std::get_if<RpcError>(&outcome))
    {
        core::FailureCode code = core::FailureCode::ReadinessFailed;
        if (error->kind() == RpcError::Kind::Rpc)
        {
            const core::ByteView data =
                error->data ? core::ByteView(*error->data) : core::ByteView();
            const chain::Revert revert = chain::decodeRevert(data, error->message);
            code = revert.code == core::FailureCode::TransactionFailed ? code : revert.code;
        }
        answer.failure = core::Failure{code, "Contract call failed: " + forTheLog(*error)};
        return answer;
    }
    answer.ready = chain::boolAnswer(std::get<core::Bytes>(outcome));
    if (!answer.ready)
    {
        answer.failure = core::Failure{core::FailureCode::ReadinessFailed,
                                       "Contract call failed: the answer is neither yes nor no"};
    }
    return answer;
}
}  // namespace

Task<AclRound> askAcl(HostChain chain, std::vector<AclQuestions> requests, bool lastTry,
                      std::string traceparent)
{
    AclRound round;
    Combined combined = co_await callFor(chain, requests, std::move(traceparent));
    if (combined.allowed)
    {
        round.answers = split(*combined.allowed, requests);
        co_return round;
    }
    if (requests.size() == 1 || (combined.unreached && !lastTry))
    {
        round.answers.assign(requests.size(), combined.failed);
        co_return round;
    }
    std::vector<Task<Combined>> alone;
    alone.reserve(requests.size());
    for (const AclQuestions &questions : requests)
    {
        std::vector<AclQuestions> one = {questions};
        alone.push_back(callFor(chain, std::move(one), std::string()));
    }
    auto all = drogon::when_all(std::move(alone));
    std::vector<Combined> each = co_await all;
    for (Combined &one : each)
    {
        round.answers.push_back(answerFrom(std::move(one)));
    }
    round.tooMany =
        !combined.unreached && std::ranges::all_of(round.answers, [](const AclAnswer &answer) {
            return answer.allowed.has_value();
        });
    co_return round;
}

Task<std::vector<CiphertextAnswer>> askCiphertexts(std::shared_ptr<chain::rpc::Node> node,
                                                   core::Address decryption,
                                                   std::vector<ReadyCall> requests,
                                                   std::string traceparent)
{
    std::vector<chain::rpc::Call> calls(requests.size());
    if (calls.size() == 1)
    {
        calls.front().traceparent = std::move(traceparent);
    }
    for (std::size_t i = 0; i < requests.size(); ++i)
    {
        calls[i].to = decryption;
        calls[i].input = *requests[i];
    }
    const auto outcomes = co_await node->calls(std::move(calls), kLatest);
    std::vector<CiphertextAnswer> answers;
    answers.reserve(outcomes.size());
    for (const chain::rpc::CallOutcome &outcome : outcomes)
    {
        answers.push_back(answerFrom(outcome));
    }
    co_return answers;
}
}  // namespace relayer::plugins
