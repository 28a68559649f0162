// What is told of a transaction that was sent. A part of tx_attempts.h.
#include "plugins/tx_attempts.h"

#include <chrono>
#include <string>

namespace relayer::plugins
{
using chain::SendAnswer;

void TxAttempts::tellSent(const Attempt &attempt, const Answered &answered) const
{
    if (!context_->milestones)
    {
        return;
    }
    using Error = RequestMetrics::SendError;
    switch (answered.answer)
    {
        case SendAnswer::Mined:
        case SendAnswer::Accepted:
        case SendAnswer::Known: break;
        case SendAnswer::NonceTooLow:
        case SendAnswer::NonceTooHigh:
            context_->milestones->metrics().sendFailed(Error::Nonce);
            break;
        case SendAnswer::InDoubt:
        case SendAnswer::Busy: context_->milestones->metrics().sendFailed(Error::Transport); break;
        default: context_->milestones->metrics().sendFailed(Error::Rpc); break;
    }
    if (attempt.outgoing)
    {
        const auto took =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - attempt.lastSend);
        context_->milestones->passed("tx_sent", attempt.outgoing->request, attempt.outgoing->kind,
                                     "attempt=" + std::to_string(attempt.id) +
                                         " nonce=" + std::to_string(attempt.nonce) +
                                         " sends=" + std::to_string(attempt.sends) +
                                         " answer=" + std::string(chain::name(answered.answer)) +
                                         " duration_ms=" + std::to_string(took.count()));
    }
}
}  // namespace relayer::plugins
