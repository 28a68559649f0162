#include "core/share_verdict.h"

#include <array>

namespace relayer::core
{
namespace
{
enum class Rule
{
    Better,     // another attempt, with a fresh anchor, may succeed
    Once,       // so may one, but not a second one
    UntilOver,  // as long as the round goes on
    Never,
    Away,  // the chain takes nothing from anybody
};

struct Row
{
    std::string_view codespace;
    std::uint32_t code;
    Rule rule;
    std::string_view name;
};

constexpr std::string_view kVote = "vote";
constexpr std::uint32_t kNullifierSpent = 2;

constexpr auto kRows = std::to_array<Row>({
    {kVote, 3, Rule::UntilOver, "round_not_found"},
    {kVote, 4, Rule::UntilOver, "round_not_active"},
    {kVote, 5, Rule::Once, "invalid_proof"},
    {kVote, 7, Rule::Better, "bad_anchor_height"},
    {kVote, 8, Rule::Never, "bad_round_id"},
    {kVote, 9, Rule::Never, "bad_field"},
    {kVote, 13, Rule::Never, "bad_proposal"},
    {"sdk", 2, Rule::Never, "not_a_transaction"},
    {"sdk", 20, Rule::Away, "mempool_full"},
});

AttemptEnd endBy(Rule rule, std::size_t failures, bool roundIsOver)
{
    switch (rule)
    {
        case Rule::Better: return AttemptEnd::MayGoBetter;
        case Rule::Once: return failures == 0 ? AttemptEnd::MayGoBetter : AttemptEnd::WillNotChange;
        case Rule::UntilOver:
            return roundIsOver ? AttemptEnd::WillNotChange : AttemptEnd::MayGoBetter;
        case Rule::Never: return AttemptEnd::WillNotChange;
        case Rule::Away: break;
    }
    return AttemptEnd::ChainAway;
}
}  // namespace

Verdict verdictOf(const ChainVerdict &said, std::size_t failures, bool roundIsOver)
{
    if (said.code == 0)
    {
        return {VerdictMeans::Accepted, AttemptEnd::OnTheChain, "accepted"};
    }
    if (said.code == kNullifierSpent && (said.codespace == kVote || said.codespace.empty()))
    {
        return {said.codespace.empty() ? VerdictMeans::PerhapsSpent : VerdictMeans::AlreadySpent,
                AttemptEnd::OnTheChain, "nullifier_spent"};
    }
    // Who says nothing of codespaces is the vote module's own route.
    const std::string_view codespace = said.codespace.empty() ? kVote : said.codespace;
    for (const Row &row : kRows)
    {
        if (row.code == said.code && row.codespace == codespace)
        {
            return {VerdictMeans::Ended, endBy(row.rule, failures, roundIsOver), row.name};
        }
    }
    return {VerdictMeans::Ended, AttemptEnd::MayGoBetter, "chain_refused"};
}
}  // namespace relayer::core
