#include "plugins/milestones.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

#include <optional>
#include <utility>

namespace relayer::plugins
{
using core::Status;
using models::RequestId;

namespace
{
std::string_view stepOf(const models::Move &move)
{
    switch (move.to)
    {
        case Status::TxInFlight: return "tx_signed";
        case Status::ReceiptReceived: return "receipt_received";
        case Status::Completed: return "completed";
        case Status::TimedOut: return "timed_out";
        case Status::Failure:
            return move.failure == core::FailureCode::ProofRejected ? "proof_rejected" : "failed";
        case Status::Queued:
        case Status::Processing: break;
    }
    return move.from == Status::Queued ? "readiness_passed" : "recovered";
}

std::string about(core::Kind kind, RequestId request, const std::optional<core::JobId> &job,
                  const std::optional<RequestOrigin> &origin)
{
    std::string text = "kind=" + std::string(core::name(kind));
    if (job)
    {
        text += " job_id=" + job->text();
    }
    text += " request=" + std::to_string(request);
    if (origin)
    {
        text += " request_id=" + origin->requestId + " trace_id=" + origin->trace.traceId +
                " span_id=" + origin->trace.spanId;
    }
    return text;
}
}  // namespace

void Milestones::admitted(const models::Admission &admission, core::Kind kind,
                          std::string requestId, const core::TraceContext &trace,
                          std::chrono::milliseconds took)
{
    metrics_.admitted(kind, admission.fresh);
    RequestOrigin origin{admission.jobId, std::move(requestId), trace};
    LOG_INFO << "step=" << (admission.fresh ? "admitted" : "joined") << " "
             << about(kind, admission.id, admission.jobId, origin)
             << " duration_ms=" << took.count();
    if (admission.fresh)
    {
        origins_.keep(admission.id, std::move(origin));
    }
}

void Milestones::moved(const models::Move &move)
{
    metrics_.moved(move);
    LOG_INFO << "step=" << stepOf(move) << " "
             << about(move.kind, move.id, move.jobId, origins_.find(move.id))
             << " from=" << core::name(move.from) << " duration_ms=" << move.inStatus.count()
             << " age_ms=" << move.age.count() << (move.failure ? " code=" : "")
             << (move.failure ? core::name(*move.failure) : std::string_view());
    if (core::isTerminal(move.to))
    {
        origins_.forget(move.id);
    }
}

void Milestones::claimed(const models::Claim &claim)
{
    LOG_INFO << "step=" << (claim.status == Status::Queued ? "readiness_started" : "dispatched")
             << " " << about(claim.kind, claim.id, claim.jobId, origins_.find(claim.id))
             << " duration_ms=" << claim.waited.count();
}

void Milestones::passed(std::string_view step, RequestId request, core::Kind kind,
                        const std::string &more) const
{
    const auto origin = origins_.find(request);
    LOG_INFO << "step=" << step << " "
             << about(kind, request, origin ? std::optional(origin->jobId) : std::nullopt, origin)
             << (more.empty() ? "" : " ") << more;
}

std::string Milestones::traceparentOf(RequestId request) const
{
    const auto origin = origins_.find(request);
    return origin ? core::traceparent(origin->trace) : std::string();
}
}  // namespace relayer::plugins
