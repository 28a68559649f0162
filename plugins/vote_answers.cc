#include "plugins/vote_answers.h"

#include "chain/rpc/json_answers.h"

namespace relayer::plugins::vote
{
using chain::rpc::HttpAnswer;
using chain::rpc::HttpFailure;
using chain::rpc::HttpOutcome;
using core::AttemptEnd;

namespace
{
constexpr int kNotFound = 404;
constexpr int kServerError = 500;
// A thousand heights of leaves are the longest that is asked for.
const chain::rpc::JsonLimits kLimits{.bytes = 64UL << 20U, .depth = 16, .values = 2UL << 20U};

ShareTrouble away(const std::string &why)
{
    return {AttemptEnd::ChainAway, "chain_away", "the vote chain " + why};
}
}  // namespace

ShareTrouble strange(const std::string &why)
{
    return {AttemptEnd::MayGoBetter, "chain_answer", "the vote chain " + why};
}

ShareTrouble unexpected(const HttpAnswer &answer)
{
    const std::string why = "answers HTTP " + std::to_string(answer.status);
    if (answer.status == kServerError)
    {
        return {AttemptEnd::ChainAway, kChainError, "the vote chain " + why};
    }
    return answer.status >= kServerError ? away(why) : strange(why);
}

HttpAnswer answered(HttpOutcome outcome)
{
    if (const auto *failure = std::get_if<HttpFailure>(&outcome))
    {
        switch (failure->kind)
        {
            case HttpFailure::Kind::NotSent: throw away("can not be reached");
            case HttpFailure::Kind::Broken: throw away("broke the connection");
            case HttpFailure::Kind::TimedOut: throw away("does not answer in time");
            case HttpFailure::Kind::AnswerTooBig: break;
        }
        throw strange("answers at too great length");
    }
    return std::get<HttpAnswer>(std::move(outcome));
}

Json::Value documentOf(const HttpAnswer &answer)
{
    auto document = chain::rpc::parseJson(answer.body(), kLimits);
    if (!document || !document->isObject())
    {
        throw strange("answers no JSON object");
    }
    return std::move(*document);
}

std::optional<std::uint64_t> number(const Json::Value &object, const char *name)
{
    const Json::Value &value = object[name];
    const bool whole = value.type() == Json::intValue || value.type() == Json::uintValue;
    return whole && value.isUInt64() ? std::optional(value.asUInt64()) : std::nullopt;
}

// The query layer of the chain makes a server error of every error; this one is none.
bool knowsNoSuchRound(const HttpAnswer &answer)
{
    return answer.status == kNotFound ||
           (answer.status == kServerError &&
            answer.body().find("vote round not found") != std::string_view::npos);
}
}  // namespace relayer::plugins::vote
