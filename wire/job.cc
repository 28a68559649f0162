#include "wire/job.h"

#include "wire/decrypt_results.h"
#include "wire/input_proof_result.h"

#include <utility>

namespace relayer::wire
{
using core::FailureCode;
using core::Kind;
using core::Status;

namespace
{
// What all kinds say as long as there is no result, and when there will be none.
Answer withoutResult(std::string_view requestId, Kind kind, const Job &job)
{
    switch (job.status)
    {
        case Status::Queued:
        case Status::Processing:
        case Status::TxInFlight:
        case Status::ReceiptReceived:
            return stillQueued(requestId, {job.id, job.status, job.etaSeconds, job.elapsedSeconds});
        case Status::TimedOut: return failed(requestId, timedOut(kind, job.failure));
        case Status::Completed: return failed(requestId, problemOf(FailureCode::Undecodable));
        case Status::Failure: break;
    }
    return failed(requestId, problemOf(job.failure.value_or(FailureCode::Internal), job.told));
}
}  // namespace

Answer pollOfInputProof(std::string_view requestId, const Job &job)
{
    const bool rejected = job.status == Status::Failure &&
                          (job.accepted == false || job.failure == FailureCode::ProofRejected);
    if (rejected)
    {
        return succeeded(requestId, rejectedProof());
    }
    const auto result =
        job.status == Status::Completed ? decodeInputProofResult(job.result) : std::nullopt;
    return result ? succeeded(requestId, acceptedProof(*result))
                  : withoutResult(requestId, Kind::InputProof, job);
}

Answer pollOfPublicDecrypt(std::string_view requestId, const Job &job)
{
    const auto result = job.status == Status::Completed
                            ? core::decodePublicDecryptResult(job.result)
                            : std::nullopt;
    return result ? succeeded(requestId, publicDecryptResult(*result))
                  : withoutResult(requestId, Kind::PublicDecrypt, job);
}

Answer pollOfUserDecrypt(std::string_view requestId, const Job &job, Shares shares)
{
    const auto shown = job.status == Status::Completed
                           ? core::earliestShares(std::move(shares.arrived), shares.threshold)
                           : std::nullopt;
    return shown ? succeeded(requestId, userDecryptResult(*shown))
                 : withoutResult(requestId, Kind::UserDecrypt, job);
}
}  // namespace relayer::wire
