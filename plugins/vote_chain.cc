#include "plugins/vote_chain.h"

#include "core/base64.h"
#include "plugins/vote_answers.h"
#include "wire/json_writer.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace relayer::plugins
{
using chain::rpc::HttpAnswer;
using chain::rpc::HttpEndpoint;
using chain::rpc::HttpQuestion;
using core::AttemptEnd;
using core::Hash32;
using drogon::Task;

namespace
{
constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kNotFound = 404;
constexpr int kRefused = 422;
// No answer to one share is longer.
constexpr chain::rpc::HttpLimits kLimits{.maxAnswer = 1UL << 20U};

std::optional<core::ChainVerdict> verdictIn(const Json::Value &document)
{
    const auto code = vote::number(document, "code");
    if (!code || *code > UINT32_MAX)
    {
        return std::nullopt;
    }
    const Json::Value &codespace = document["codespace"];
    return core::ChainVerdict{static_cast<std::uint32_t>(*code),
                              codespace.isString() ? codespace.asString() : std::string()};
}

std::optional<Hash32> hashIn(const Json::Value &value)
{
    const auto bytes = value.isString() ? core::fromHex(value.asString()) : std::nullopt;
    Hash32 hash{};
    if (!bytes || bytes->size() != hash.size())
    {
        return std::nullopt;
    }
    std::copy(bytes->begin(), bytes->end(), hash.begin());
    return hash;
}

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}
}  // namespace

VoteChain::VoteChain(trantor::EventLoop *loop, const VoteChainOptions &options)
    : options_(options),
      rest_(std::make_shared<HttpEndpoint>(loop, options.rest, kLimits)),
      node_(options.node ? std::make_shared<HttpEndpoint>(loop, *options.node, kLimits) : nullptr)
{}

Task<HttpAnswer> VoteChain::get(EndpointPtr endpoint, std::string target)
{
    HttpQuestion question;
    question.target = std::move(target);
    question.timeout = options_.timeout;
    HttpEndpoint::Exchange exchange = endpoint->ask(std::move(question));
    co_return vote::answered(co_await exchange);
}

Task<std::optional<VotingRound>> VoteChain::find(Hash32 round)
{
    const HttpAnswer answer = co_await get(rest_, vote::kBase + "round/" + core::toHex(round));
    if (vote::knowsNoSuchRound(answer))
    {
        co_return std::nullopt;
    }
    if (answer.status != kOk)
    {
        throw vote::unexpected(answer);
    }
    const Json::Value document = vote::documentOf(answer);
    const Json::Value &said = document["round"];
    if (!said.isObject() ||
        (said.isMember("vote_end_time") && !vote::number(said, "vote_end_time")))
    {
        throw vote::strange("answers no round");
    }
    constexpr std::uint64_t active = 1;
    constexpr std::uint64_t latest = INT64_MAX;
    VotingRound found;
    found.voteEndTime = static_cast<std::int64_t>(
        std::min(vote::number(said, "vote_end_time").value_or(0), latest));
    found.active = vote::number(said, "status") == active;
    co_return found;
}

std::string revealBody(const RevealMessage &message)
{
    const core::VoteShare &share = message.share;
    core::Bytes encrypted(share.c1.begin(), share.c1.end());
    encrypted.insert(encrypted.end(), share.c2.begin(), share.c2.end());
    wire::JsonWriter json;
    json.beginObject();
    json.key("share_nullifier").text(core::toBase64(message.reveal.nullifier));
    json.key("enc_share").text(core::toBase64(encrypted));
    json.key("proposal_id").number(share.key.proposal);
    json.key("vote_decision").number(share.voteDecision);
    json.key("proof").text(core::toBase64(message.reveal.proof));
    json.key("vote_round_id").text(core::toBase64(share.key.round));
    json.key("vote_comm_tree_anchor_height")
        .number(static_cast<std::int64_t>(message.anchorHeight));
    json.endObject();
    return std::move(json).take();
}

Task<ShareSubmitter::Answer> VoteChain::submit(RevealMessage message)
{
    HttpQuestion question;
    question.target = vote::kBase + "reveal-share";
    question.body = revealBody(message);
    question.timeout = options_.submitTimeout;
    HttpEndpoint::Exchange exchange = rest_->ask(std::move(question));
    const HttpAnswer answer = vote::answered(co_await exchange);
    if (answer.status == kBadRequest)
    {
        throw ShareTrouble(AttemptEnd::WillNotChange, "message_refused",
                           "the vote chain does not take the message");
    }
    if (answer.status != kOk && answer.status != kRefused)
    {
        throw vote::unexpected(answer);
    }
    const Json::Value document = vote::documentOf(answer);
    const auto verdict = verdictIn(document);
    if (!verdict)
    {
        throw vote::strange("answers no code");
    }
    co_return Answer{*verdict, hashIn(document["tx_hash"])};
}

Task<std::optional<core::ChainVerdict>> VoteChain::inBlock(Hash32 txHash)
{
    const HttpAnswer answer = co_await get(rest_, vote::kBase + "tx/" + upper(core::toHex(txHash)));
    if (answer.status == kNotFound)
    {
        co_return std::nullopt;
    }
    if (answer.status != kOk && answer.status != kRefused)
    {
        throw vote::unexpected(answer);
    }
    const auto verdict = verdictIn(vote::documentOf(answer));
    if (!verdict)
    {
        throw vote::strange("answers no code");
    }
    co_return verdict;
}

Task<bool> VoteChain::spent(Hash32 round, Hash32 nullifier)
{
    if (!node_)
    {
        co_return false;
    }
    // The key of a share's nullifier in the store of the vote module.
    const std::string key = "0102" + core::toHex(round) + core::toHex(nullifier);
    const HttpAnswer answer =
        co_await get(node_, "/abci_query?path=%22/store/vote/key%22&data=0x" + key);
    if (answer.status != kOk)
    {
        throw vote::unexpected(answer);
    }
    const Json::Value document = vote::documentOf(answer);
    const Json::Value &result = document["result"];
    const Json::Value &response = result.isObject() ? result["response"] : result;
    if (!response.isObject() || vote::number(response, "code").value_or(0) != 0)
    {
        throw vote::strange("answers no state of a nullifier");
    }
    const Json::Value &value = response["value"];
    co_return value.isString() && !value.asString().empty();
}
}  // namespace relayer::plugins
