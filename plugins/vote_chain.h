// The vote chain as the share scheduler sees it, over REST: rounds, the reveal of a share, and what
// became of it. Whether a nullifier is on the chain is asked of the chain's node (CometBFT), which
// answers from its blocks; without a node nobody is asked.
//
// On one loop. What the chain says in words stays here: it may repeat what was sent.
#pragma once

#include "chain/rpc/http_endpoint.h"
#include "plugins/share_parts.h"

#include <trantor/net/EventLoop.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace relayer::plugins
{
struct VoteChainOptions
{
    chain::rpc::Url rest;
    std::optional<chain::rpc::Url> node;
    // The chain's own route waits up to 30 s for its node.
    std::chrono::milliseconds submitTimeout{180'000};
    std::chrono::milliseconds timeout{10'000};
};

class VoteChain : public VotingRounds, public ShareSubmitter, public ShareNullifiers
{
  public:
    VoteChain(trantor::EventLoop *loop, const VoteChainOptions &options);

    drogon::Task<std::optional<VotingRound>> find(core::Hash32 round) override;
    drogon::Task<Answer> submit(RevealMessage message) override;
    drogon::Task<std::optional<core::ChainVerdict>> inBlock(core::Hash32 txHash) override;
    // False without a node.
    drogon::Task<bool> spent(core::Hash32 round, core::Hash32 nullifier) override;
    [[nodiscard]] bool canTell() const override { return node_ != nullptr; }

  private:
    using EndpointPtr = std::shared_ptr<chain::rpc::HttpEndpoint>;

    drogon::Task<chain::rpc::HttpAnswer> get(EndpointPtr endpoint, std::string target);

    const VoteChainOptions options_;
    const EndpointPtr rest_;
    const EndpointPtr node_;  // or none
};

// The body of a reveal, as the chain's route takes it.
[[nodiscard]] std::string revealBody(const RevealMessage &message);
}  // namespace relayer::plugins
