#include "plugins/startup_recovery.h"

#include "core/overdue.h"
#include "plugins/store.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
using core::Status;
using drogon::Task;
using models::SweepStore;

namespace
{
// Each page goes through all that lives, so they are not small.
constexpr std::size_t kPage = 2000;

void note(StartupRecovery::State &state, std::size_t StartupRecovery::Progress::*member,
          std::size_t rows)
{
    const std::lock_guard lock(state.mutex);
    state.progress.*member += rows;
}

Task<> giveBack(std::shared_ptr<SweepStore> sweeps, std::shared_ptr<StartupRecovery::State> state,
                models::Claimer epoch, Status status,
                std::size_t StartupRecovery::Progress::*member)
{
    std::size_t rows = kPage;
    while (rows == kPage)
    {
        rows = co_await sweeps->release(epoch, status, kPage);
        note(*state, member, rows);
    }
}
}  // namespace

void StartupRecovery::initAndStart(const Json::Value &)
{
    auto *const store = drogon::app().getPlugin<Store>();
    store->recoverWith([sweeps = store->sweeps(), state = state_](models::Claimer epoch) {
        return recover(sweeps, state, epoch);
    });
}

void StartupRecovery::shutdown() {}

StartupRecovery::Progress StartupRecovery::progress() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->progress;
}

Task<> StartupRecovery::recover(std::shared_ptr<SweepStore> sweeps, std::shared_ptr<State> state,
                                models::Claimer epoch)
{
    std::size_t rows = kPage;
    while (rows == kPage)
    {
        const auto ids = co_await sweeps->recoverHeld(epoch, kPage);
        rows = ids.size();
        note(*state, &Progress::reset, rows);
        if (rows > 0)
        {
            LOG_INFO << "step=recovery_reset rows=" << rows;
        }
    }
    // These wait for their answers whoever has them; but what is nobody's needs no taking over.
    co_await giveBack(sweeps, state, epoch, Status::ReceiptReceived, &Progress::letGo);
    for (const Status status : core::kGivenBackByAStart)
    {
        co_await giveBack(
            sweeps, state, epoch, status,
            status == Status::Queued ? &Progress::givenBackQueued : &Progress::givenBackProcessing);
    }
    Progress done;
    {
        const std::lock_guard lock(state->mutex);
        state->progress.done = true;
        done = state->progress;
    }
    LOG_INFO << "step=recovered reset=" << done.reset
             << " processing_given_back=" << done.givenBackProcessing
             << " queued_given_back=" << done.givenBackQueued << " let_go=" << done.letGo;
}
}  // namespace relayer::plugins
