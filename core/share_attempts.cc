#include "core/share_attempts.h"

namespace relayer::core
{
std::string_view name(AttemptEnd end)
{
    switch (end)
    {
        case AttemptEnd::OnTheChain: return "on_the_chain";
        case AttemptEnd::MayGoBetter: return "may_go_better";
        case AttemptEnd::WillNotChange: return "will_not_change";
        case AttemptEnd::ChainAway: return "chain_away";
        case AttemptEnd::HeldUp: return "held_up";
        case AttemptEnd::Interrupted: break;
    }
    return "interrupted";
}

AfterAttempt afterAttempt(AttemptEnd end, std::size_t failures, const ShareWaits &waits,
                          std::chrono::seconds away)
{
    using Step = AfterAttempt::Step;
    switch (end)
    {
        case AttemptEnd::OnTheChain: return {Step::Submit};
        case AttemptEnd::WillNotChange: return {Step::Fail};
        case AttemptEnd::ChainAway:
        case AttemptEnd::HeldUp: return {Step::GiveBack, away};
        case AttemptEnd::Interrupted: return {Step::GiveBack};
        case AttemptEnd::MayGoBetter: break;
    }
    return failures < waits.size() ? AfterAttempt{Step::Retry, waits[failures]}
                                   : AfterAttempt{Step::Fail};
}
}  // namespace relayer::core
