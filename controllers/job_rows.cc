#include "controllers/job_rows.h"

#include "controllers/plugin_for.h"
#include "plugins/retry_after.h"

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
wire::Job jobOf(const models::Poll &poll, const WaitingRoom::Job &known)
{
    const models::RequestRow &row = poll.row;
    wire::Job job;
    job.id = known.jobId;
    job.status = known.status;
    job.etaSeconds = pluginFor<plugins::RetryAfter>().seconds(known);
    job.elapsedSeconds = std::chrono::floor<std::chrono::seconds>(poll.inStatus).count();
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
    return shown(requestId, *view, waitedFor(*view));
}

wire::Answer shown(std::string_view requestId, const plugins::JobView &view,
                   const WaitingRoom::Job &known)
{
    const wire::Job job = jobOf(view.poll, known);
    switch (known.kind)
    {
        case Kind::InputProof: return wire::pollOfInputProof(requestId, job);
        case Kind::PublicDecrypt: return wire::pollOfPublicDecrypt(requestId, job);
        case Kind::UserDecrypt: break;
    }
    return wire::pollOfUserDecrypt(requestId, job, view.shares);
}

wire::Answer shown(std::string_view requestId, const WaitingRoom::Wake &wake)
{
    if (wake.ended || wake.why == WaitingRoom::Wake::Why::Missing)
    {
        return shown(requestId, wake.ended);
    }
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::seconds>(now() - wake.job.since).count();
    return wire::stillQueued(
        requestId, {wake.job.jobId, wake.job.status, secondsUntilMore(wake.job), elapsed});
}

std::int64_t secondsUntilMore(const WaitingRoom::Job &job)
{
    using Read = plugins::RetryAfter::Read;
    return pluginFor<plugins::RetryAfter>().seconds(job, Read::Before);
}

WaitingRoom::Job waitedFor(const plugins::JobView &view)
{
    return plugins::jobOf(view.poll, now());
}

WaitingRoom::Job waitedFor(Kind kind, const models::Admission &admission)
{
    return {admission.id,     admission.jobId,  kind, admission.status, now() - admission.inStatus,
            admission.ticket, admission.claimed};
}
}  // namespace relayer::controllers
