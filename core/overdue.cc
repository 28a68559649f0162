#include "core/overdue.h"

#include <stdexcept>

namespace relayer::core
{
Transition endOfOverdue(Status status)
{
    switch (status)
    {
        case Status::Queued:
        case Status::ReceiptReceived: return Transition::TimeOut;
        case Status::Processing:
        case Status::TxInFlight: return Transition::FailInternally;
        default: throw std::logic_error("what has ended is not overdue");
    }
}

Failure failureOfOverdue(Status status)
{
    switch (status)
    {
        case Status::Queued:
            return {FailureCode::ReadinessTimedOut, "not ready before its deadline"};
        case Status::ReceiptReceived:
            return {FailureCode::ResponseTimedOut, "no answer before its deadline"};
        default: return {FailureCode::TransactionFailed, "not mined before its deadline"};
    }
}
}  // namespace relayer::core
