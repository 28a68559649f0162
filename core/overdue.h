// How a request ends that has been in its status for too long.
#pragma once

#include "core/failure.h"
#include "core/lifecycle.h"

#include <array>

namespace relayer::core
{
// The order in which overdue requests are looked for: the furthest along first.
inline constexpr std::array kOverdueStatuses = {Status::ReceiptReceived, Status::TxInFlight,
                                                Status::Processing, Status::Queued};

// A transaction on its way is given up by who sends it, once its nonce is closed; also where a
// start has set its request back, and nobody has been able to ask the chain since.
[[nodiscard]] constexpr bool isLeftToItsSender(Status status, bool hasOpenAttempt)
{
    return hasOpenAttempt && (status == Status::TxInFlight || status == Status::Processing);
}

// Nobody's in particular. Throws for a status that is an end.
[[nodiscard]] Transition endOfOverdue(Status status);
[[nodiscard]] Failure failureOfOverdue(Status status);

// What a start gives back of what its predecessor had claimed, in this order; before it, what was
// in flight is set back. Whatever has an open attempt stays: the engine finds it with its lane.
inline constexpr std::array kGivenBackByAStart = {Status::Processing, Status::Queued};
}  // namespace relayer::core
