#include "plugins/job_view.h"

#include "plugins/settings.h"

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using core::Kind;
using core::Status;

namespace
{
bool hasShares(const models::RequestRow &row)
{
    return core::parseKind(row.getValueOfKind()) == Kind::UserDecrypt &&
           core::parseStatus(row.getValueOfStatus()) == Status::Completed && row.getGatewayId();
}

models::GatewayId gatewayIdOf(const models::RequestRow &row)
{
    models::GatewayId id{};
    const auto &stored = *row.getGatewayId();
    std::copy_n(stored.begin(), std::min(stored.size(), id.size()), id.begin());
    return id;
}

std::size_t thresholdOf(const models::RequestRow &row)
{
    const auto &threshold = row.getResolvedThreshold();
    return threshold ? static_cast<std::size_t>(std::max(*threshold, 0))
                     : Settings::lastStarted().gateway.userDecryptSharesThreshold;
}
}  // namespace

drogon::Task<JobViewPtr> viewOf(std::shared_ptr<Store> store, models::Poll poll)
{
    auto view = std::make_shared<JobView>(JobView{std::move(poll)});
    // None before the end: they say nothing, and may be megabytes.
    if (const models::RequestRow &row = view->poll.row; hasShares(row))
    {
        view->shares.threshold = thresholdOf(row);
        view->shares.arrived =
            co_await store->requests().firstShares(gatewayIdOf(row), view->shares.threshold);
    }
    co_return view;
}

drogon::Task<JobViewPtr> readView(std::shared_ptr<Store> store, core::JobId jobId)
{
    auto poll = co_await store->requests().poll(jobId);
    if (!poll)
    {
        co_return nullptr;
    }
    co_return co_await viewOf(std::move(store), std::move(*poll));
}

core::StatusWaiters::Job jobOf(const models::Poll &poll, core::StatusWaiters::Time now)
{
    const models::RequestRow &row = poll.row;
    core::StatusWaiters::Job job;
    job.id = row.getValueOfId();
    job.jobId = core::JobId::parse(row.getValueOfJobId()).value_or(core::JobId());
    job.kind = core::parseKind(row.getValueOfKind()).value_or(Kind::InputProof);
    job.status = core::parseStatus(row.getValueOfStatus()).value_or(Status::Failure);
    job.since = now - poll.inStatus;
    job.ticket = row.getTicket() ? row.getValueOfTicket() : 0;
    job.claimed = row.getOwner() != nullptr;
    return job;
}
}  // namespace relayer::plugins
