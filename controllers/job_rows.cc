#include "controllers/job_rows.h"

#include "controllers/jobs.h"
#include "plugins/settings.h"

#include <algorithm>

namespace relayer::controllers
{
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

drogon::Task<wire::Shares> sharesOf(models::RequestRow row, core::Status status)
{
    wire::Shares shares;
    if (status != core::Status::Completed || !row.getGatewayId())
    {
        co_return shares;
    }
    const auto threshold = row.getResolvedThreshold();
    shares.threshold = threshold
                           ? static_cast<std::size_t>(std::max(*threshold, 0))
                           : plugins::Settings::lastStarted().gateway.userDecryptSharesThreshold;
    models::GatewayId id{};
    const auto &stored = *row.getGatewayId();
    std::copy_n(stored.begin(), std::min(stored.size(), id.size()), id.begin());
    shares.arrived = co_await requests().firstShares(id, shares.threshold);
    co_return shares;
}
}  // namespace relayer::controllers
