#include "plugins/sweep_pass.h"

#include "core/overdue.h"
#include "models/store_error.h"

#include <drogon/HttpTypes.h>  // a string_view into the log
#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using core::Kind;
using core::Status;
using drogon::Task;
using models::StoreError;
using std::chrono::milliseconds;

namespace
{
constexpr std::size_t kLeastRows = 10;
// Who has died is noticed soon; what is late by half an hour may be so by half a minute more, and
// looking for it takes a statement for each kind and status.
constexpr int kRoundsPerSearch = 6;
// Pages of old requests that one round looks at: the others are waiting for it.
constexpr int kPagesPerRound = 20;
// Long enough that a name which comes back after a weekend still finds its lane.
constexpr milliseconds kForgetInstancesAfter{std::chrono::hours(24 * 7)};
}  // namespace

SweepPass::SweepPass(Surroundings surroundings, SweepOptions options)
    : surroundings_(std::move(surroundings)),
      options_(options),
      batch_(options.rowsAtATime, kLeastRows)
{
    rowsAtATime_ = batch_.rows();
}

SweepPass::Counts SweepPass::counts() const
{
    return {leads_, timedOut_, failed_, takenOver_, purged_, rowsAtATime_};
}

Task<> SweepPass::runOnce()
{
    const auto claimer = surroundings_.claimer();
    if (!claimer)
    {
        leads_ = false;
        co_return;
    }
    const bool leads = co_await surroundings_.sweeps->lead(*claimer, options_.dutyLease);
    const bool led = leads_.exchange(leads);
    if (!leads)
    {
        co_return;
    }
    if (!led)
    {
        untilSearch_ = 0;
        LOG_INFO << "step=sweeping_here";
    }
    const bool silenceMeansNoAnswer = surroundings_.silenceMeansNoAnswer();
    try
    {
        co_await takeOver(*claimer);
        const bool searches = untilSearch_ == 0;
        if (searches)
        {
            co_await endOverdue(silenceMeansNoAnswer);
            co_await purge();
            co_await surroundings_.sweeps->forgetInstances(kForgetInstancesAfter);
            emptied_.clear();
            untilSearch_ = kRoundsPerSearch;
        }
        --untilSearch_;
        if (searches || unownedLeft_)
        {
            co_await purgeUnowned();
        }
        batch_.went();
        rowsAtATime_ = batch_.rows();
    }
    catch (const StoreError &error)
    {
        if (error.code() == StoreError::Code::Unavailable ||
            error.code() == StoreError::Code::Refused)
        {
            batch_.tookTooLong();
            rowsAtATime_ = batch_.rows();
        }
        throw;
    }
}

Task<> SweepPass::resign()
{
    const auto claimer = surroundings_.claimer();
    if (claimer && leads_.exchange(false))
    {
        co_await surroundings_.sweeps->resign(*claimer);
    }
}

milliseconds SweepPass::patienceWith(Kind kind, Status status) const
{
    switch (status)
    {
        case Status::Queued: return options_.queued;
        case Status::Processing: return options_.processing;
        case Status::TxInFlight: return options_.txInFlight;
        default: return options_.responseTimeout.at(static_cast<std::size_t>(kind));
    }
}

Task<> SweepPass::endOverdue(bool silenceMeansNoAnswer)
{
    for (const Kind kind : core::kAllKinds)
    {
        for (const Status status : core::kOverdueStatuses)
        {
            const bool unheard = status == Status::ReceiptReceived && !silenceMeansNoAnswer;
            if (core::canBeIn(kind, status) && !unheard)
            {
                co_await endOverdue(kind, status);
            }
        }
    }
}

Task<> SweepPass::endOverdue(Kind kind, Status status)
{
    std::size_t ended = 0;
    do
    {
        const auto ids = co_await surroundings_.sweeps->endOverdue(
            kind, status, patienceWith(kind, status), core::failureOfOverdue(status),
            batch_.rows());
        ended = ids.size();
        if (ended > 0)
        {
            LOG_WARN << "step=deadline_passed kind=" << core::name(kind)
                     << " status=" << core::name(status) << " requests=" << ended;
        }
        const bool byTime = core::endOfOverdue(status) == core::Transition::TimeOut;
        (byTime ? timedOut_ : failed_) += ended;
    }
    while (ended == batch_.rows());
}

Task<> SweepPass::takeOver(models::Claimer own)
{
    const auto silent = co_await surroundings_.instances->expired(options_.instanceLease);
    for (const models::Claimer claimer : silent)
    {
        if (claimer == own || emptied_.contains(claimer))
        {
            continue;
        }
        const std::size_t sum =
            co_await surroundings_.sweeps->freeAllAbandoned(claimer, batch_.rows());
        if (sum > 0)
        {
            LOG_WARN << "step=taken_over from_epoch=" << claimer << " requests=" << sum;
        }
        takenOver_ += sum;
        emptied_.insert(claimer);
    }
}

bool SweepPass::keepsAll() const
{
    return std::none_of(options_.keep.begin(), options_.keep.end(),
                        [](const auto &time) { return time.has_value(); });
}

// What no request has: it comes at the pace of others, so what one round leaves the next goes on
// with, and does not wait for the search.
Task<> SweepPass::purgeUnowned()
{
    const auto sweeps = surroundings_.sweeps;
    unownedLeft_ = true;
    for (int page = 0; unownedLeft_ && page < kPagesPerRound; ++page)
    {
        const std::size_t rows = batch_.rows();
        const std::size_t foreign = co_await sweeps->purgeForeign(options_.keepForeign, rows);
        const std::size_t keys = co_await sweeps->purgeKeys(rows);
        unownedLeft_ = foreign >= rows || keys >= rows;
    }
}

Task<> SweepPass::purge()
{
    if (keepsAll())
    {
        co_return;
    }
    for (int page = 0; page < kPagesPerRound; ++page)
    {
        const auto purged =
            co_await surroundings_.sweeps->purge(options_.keep, purgedUpTo_, batch_.rows());
        purged_ += purged.requests;
        if (purged.requests > 0)
        {
            LOG_INFO << "step=forgotten requests=" << purged.requests;
        }
        if (purged.looked == 0 || purged.tooYoung)
        {
            purgedUpTo_ = 0;  // from the oldest again, next time
            co_return;
        }
        purgedUpTo_ = purged.last;
    }
}
}  // namespace relayer::plugins
