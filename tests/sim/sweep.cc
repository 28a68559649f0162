#include "sim/sweep.h"

#include "core/overdue.h"
#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>

namespace relayer::sim
{
using core::Kind;
using core::Status;

namespace
{
Time patienceWith(Status status)
{
    switch (status)
    {
        case Status::Queued: return timing::kQueuedDeadline;
        case Status::Processing: return timing::kProcessingDeadline;
        case Status::TxInFlight: return timing::kTxDeadline;
        default: return timing::kAnswerDeadline;
    }
}
}  // namespace

Sweep::Sweep(Process &process) : process_(process), batch_(8, 2) {}

void Sweep::over(bool went)
{
    sweeping_ = false;
    went ? batch_.went() : batch_.tookTooLong();
}

void Sweep::tick()
{
    if (sweeping_)
    {
        return;
    }
    sweeping_ = true;
    World &world = process_.world();
    process_.statement(
        [&world, epoch = process_.epoch()] {
            return world.database().lead(epoch, timing::kInstanceLease);
        },
        [this, &world](const bool *leads) {
            if (leads == nullptr || !*leads)
            {
                over(leads != nullptr);
                return;
            }
            silenceMeansNoAnswer_ = process_.listener().silenceMeansNoAnswer();
            process_.statement(
                [&world] { return world.database().expired(timing::kInstanceLease); },
                [this](const std::vector<Epoch> *silent) {
                    if (silent == nullptr)
                    {
                        over(false);
                        return;
                    }
                    takeOver(*silent, LivePlace());
                });
        });
}

void Sweep::takeOver(std::vector<Epoch> silent, LivePlace from)
{
    std::erase_if(silent, [this](Epoch epoch) {
        return epoch == process_.epoch() || emptied_.contains(epoch);
    });
    if (silent.empty())
    {
        if (untilSearch_-- > 0)
        {
            over(true);
            return;
        }
        untilSearch_ = timing::kRoundsPerSearch;
        emptied_.clear();
        endOverdue(0);
        return;
    }
    World &world = process_.world();
    process_.statement(
        [&world, from, epoch = silent.back(), rows = batch_.rows()] {
            return world.database().freeAbandoned(epoch, from, rows);
        },
        [this, silent](const Page *page) {
            if (page == nullptr)
            {
                over(false);
                return;
            }
            if (!page->next)
            {
                emptied_.insert(silent.back());
            }
            takeOver(silent, page->next.value_or(LivePlace()));
        });
}

void Sweep::endOverdue(std::size_t which)
{
    const std::size_t statuses = core::kOverdueStatuses.size();
    if (which >= statuses * core::kKinds)
    {
        over(true);
        return;
    }
    const Kind kind = core::kAllKinds.at(which / statuses);
    const Status status = core::kOverdueStatuses.at(which % statuses);
    const bool unheard = status == Status::ReceiptReceived && !silenceMeansNoAnswer_;
    if (!core::canBeIn(kind, status) || unheard)
    {
        endOverdue(which + 1);
        return;
    }
    World &world = process_.world();
    process_.statement(
        [&world, kind, status, rows = batch_.rows()] {
            return world.database().endOverdue(kind, status, patienceWith(status), rows);
        },
        [this, which, rows = batch_.rows()](const std::size_t *ended) {
            if (ended == nullptr)
            {
                over(false);
                return;
            }
            endOverdue(*ended < rows ? which + 1 : which);
        });
}
}  // namespace relayer::sim
