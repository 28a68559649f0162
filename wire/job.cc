#include "wire/job.h"

#include "wire/input_proof_result.h"

namespace relayer::wire
{
using core::FailureCode;
using core::Status;

Answer pollOfInputProof(std::string_view requestId, const Job &job)
{
    const bool rejected = job.status == Status::Failure &&
                          (job.accepted == false || job.failure == FailureCode::ProofRejected);
    if (rejected)
    {
        return succeeded(requestId, rejectedProof());
    }
    switch (job.status)
    {
        case Status::Queued:
        case Status::Processing:
        case Status::TxInFlight:
        case Status::ReceiptReceived:
            return stillQueued(requestId, {job.id, job.status, job.etaSeconds, job.elapsedSeconds});
        case Status::Completed:
        {
            const auto result = decodeInputProofResult(job.result);
            return result ? succeeded(requestId, acceptedProof(*result))
                          : failed(requestId, problemOf(FailureCode::Undecodable));
        }
        // An input proof has no readiness to wait for: whatever timed out, it was the answer.
        case Status::TimedOut: return failed(requestId, problemOf(FailureCode::ResponseTimedOut));
        case Status::Failure: break;
    }
    return failed(requestId, problemOf(job.failure.value_or(FailureCode::Internal)));
}
}  // namespace relayer::wire
