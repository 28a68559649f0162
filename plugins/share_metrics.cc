#include "plugins/share_metrics.h"

namespace relayer::plugins
{
using core::ShareState;

namespace
{
const std::vector<double> kLateness = {0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25,
                                       0.5,   1,      2,     5,    10,   30,   60};

// A real proof takes 5 to 15 seconds of a core.
const std::vector<double> kProof = {0.01, 0.1, 0.5, 1, 2, 5, 7.5, 10, 15, 20, 30, 60, 120};

std::vector<std::string_view> endNames()
{
    using core::AttemptEnd;
    std::vector<std::string_view> names;
    for (const auto end :
         {AttemptEnd::OnTheChain, AttemptEnd::MayGoBetter, AttemptEnd::WillNotChange,
          AttemptEnd::ChainAway, AttemptEnd::HeldUp, AttemptEnd::Interrupted})
    {
        names.push_back(name(end));
    }
    return names;
}
}  // namespace

ShareMetrics::ShareMetrics()
    : posts_("relayer_share_posts_total", "Shares that were posted, by what became of the post.",
             {{"outcome", {"queued", "duplicate", "conflict", "refused", "failed"}}}),
      withoutTime_("relayer_share_posts_without_time_total",
                   "Posts that named no time, and so have no privacy of timing.", {}),
      lateness_("relayer_share_lateness_seconds",
                "From the second that a share was due until its claim was committed.", {},
                kLateness),
      proofs_("relayer_share_proof_seconds", "What the proof of a share took that was made.", {},
              kProof),
      attempts_("relayer_share_attempts_total", "Attempts to bring a share to the chain.",
                {{"end", endNames()}}),
      closedRounds_("relayer_share_rounds_closed_unsubmitted_total",
                    "Rounds that were over with shares that are not on the chain.", {}),
      unsubmitted_("relayer_share_unsubmitted_total", "Those shares.", {})
{}

void ShareMetrics::closedUnsubmitted(const models::RoundShares &round)
{
    closedRounds_.add({});
    unsubmitted_.add({}, static_cast<std::uint64_t>(round.of(ShareState::Received) +
                                                    round.of(ShareState::Witnessed) +
                                                    round.of(ShareState::Failed)));
}

void ShareMetrics::now(std::uint64_t proving, std::uint64_t held, bool chainAway)
{
    proving_ = proving;
    held_ = held;
    chainAway_ = chainAway;
}

void ShareMetrics::write(MetricsText &text) const
{
    lateness_.write(text);
    proofs_.write(text);
    posts_.write(text);
    withoutTime_.write(text);
    attempts_.write(text);
    closedRounds_.write(text);
    unsubmitted_.write(text);
    text.single("relayer_share_proving", "gauge", "Shares that are being proved.", proving_.load());
    text.single("relayer_share_held", "gauge", "Shares that are worked on.", held_.load());
    text.single("relayer_share_chain_away", "gauge", "Whether the vote chain does not answer.",
                std::uint64_t{chainAway_ ? 1U : 0U});
}
}  // namespace relayer::plugins
