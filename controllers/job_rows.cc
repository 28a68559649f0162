#include "controllers/job_rows.h"

#include "controllers/jobs.h"

#include <chrono>

namespace relayer::controllers
{
using core::Kind;
using plugins::WaitingRoom;

namespace
{
WaitingRoom::Time now()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

// A view of what was read, which must outlive it.
wire::Job jobOf(const models::Poll &poll)
{
    const models::RequestRow &row = poll.row;
    wire::Job job;
    job.id = core::JobId::parse(row.getValueOfJobId()).value_or(core::JobId());
    job.status = core::parseStatus(row.getValueOfStatus()).value_or(core::Status::Failure);
    job.etaSeconds = retryAfterSeconds();
    job.elapsedSeconds = poll.secondsInStatus;
    if (row.getAccepted())
    {
        job.accepted = row.getValueOfAccepted();
    }
    if (row.getErrorCode())
    {
        job.failure = core::parseFailureCode(row.getValueOfErrorCode());
    }
    if (row.getErrorDetail())
    {
        job.told = row.getValueOfErrorDetail();
    }
    if (poll.result)
    {
        job.result = *poll.result;
    }
    return job;
}
}  // namespace

wire::Answer shown(std::string_view requestId, const plugins::JobViewPtr &view)
{
    if (!view)
    {
        return wire::failed(requestId, wire::unknownRequest());
    }
    const wire::Job job = jobOf(view->poll);
    switch (waitedFor(*view).kind)
    {
        case Kind::InputProof: return wire::pollOfInputProof(requestId, job);
        case Kind::PublicDecrypt: return wire::pollOfPublicDecrypt(requestId, job);
        case Kind::UserDecrypt: break;
    }
    return wire::pollOfUserDecrypt(requestId, job, view->shares);
}

wire::Answer shown(std::string_view requestId, const WaitingRoom::Wake &wake)
{
    if (wake.ended || wake.why == WaitingRoom::Wake::Why::Missing)
    {
        return shown(requestId, wake.ended);
    }
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::seconds>(now() - wake.job.since).count();
    return wire::stillQueued(requestId,
                             {wake.job.jobId, wake.job.status, retryAfterSeconds(), elapsed});
}

WaitingRoom::Job waitedFor(const plugins::JobView &view)
{
    return plugins::jobOf(view.poll, now());
}
}  // namespace relayer::controllers
