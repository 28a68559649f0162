#include "support/vote_shares.h"

#include "core/base64.h"

#include <random>

namespace relayer::test
{
namespace
{
std::string quoted(const std::string &text)
{
    return "\"" + text + "\"";
}
}  // namespace

core::VoteShare voteShare(std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto fill = [&random](core::Hash32 &bytes) {
        for (auto &byte : bytes)
        {
            byte = static_cast<std::uint8_t>(random());
        }
    };
    core::VoteShare share;
    share.key.round.fill(0x11);
    share.key.treePosition = seed;
    share.key.proposal = static_cast<std::uint8_t>(1 + random() % core::kMaxProposal);
    share.key.shareIndex = static_cast<std::uint8_t>(random() % (core::kMaxShareIndex + 1));
    share.voteDecision = static_cast<std::uint8_t>(random() % (core::kMaxVoteDecision + 1));
    fill(share.sharesHash);
    fill(share.c1);
    fill(share.c2);
    for (auto &commitment : share.commitments)
    {
        fill(commitment);
    }
    fill(share.primaryBlind);
    return share;
}

std::string encShare(const std::string &c1, const std::string &c2, const std::string &index)
{
    return R"({"c1":)" + c1 + R"(,"c2":)" + c2 + R"(,"share_index":)" + index + "}";
}

ShareMembers membersOf(const core::VoteShare &share, std::uint64_t submitAt)
{
    std::string commitments;
    for (const auto &commitment : share.commitments)
    {
        commitments += (commitments.empty() ? "" : ",") + quoted(core::toBase64(commitment));
    }
    return {
        {"shares_hash", quoted(core::toBase64(share.sharesHash))},
        {"proposal_id", std::to_string(share.key.proposal)},
        {"vote_decision", std::to_string(share.voteDecision)},
        {"enc_share", encShare(quoted(core::toBase64(share.c1)), quoted(core::toBase64(share.c2)),
                               std::to_string(share.key.shareIndex))},
        {"tree_position", std::to_string(share.key.treePosition)},
        {"vote_round_id", quoted(core::toHex(share.key.round))},
        {"share_comms", "[" + commitments + "]"},
        {"primary_blind", quoted(core::toBase64(share.primaryBlind))},
        {"submit_at", std::to_string(submitAt)},
    };
}

std::string shareBody(const ShareMembers &members)
{
    std::string body;
    for (const auto &[name, value] : members)
    {
        body += (body.empty() ? "{\"" : ",\"") + name + "\":" + value;
    }
    return (body.empty() ? "{" : body) + "}";
}

std::string shareBody(const core::VoteShare &share, std::uint64_t submitAt)
{
    return shareBody(membersOf(share, submitAt));
}
}  // namespace relayer::test
