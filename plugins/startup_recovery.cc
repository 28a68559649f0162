#include "plugins/startup_recovery.h"

#include "core/overdue.h"
#include "plugins/part.h"
#include "plugins/store.h"

#include <trantor/utils/Logger.h>

#include <chrono>
#include <optional>
#include <utility>

namespace relayer::plugins
{
using core::Status;
using drogon::Task;
using models::LivePlace;
using models::SweepStore;

namespace
{
constexpr std::size_t kPage = 1000;

constexpr std::chrono::seconds kBetweenWords{1};

void note(StartupRecovery::State &state, std::size_t StartupRecovery::Progress::*member,
          std::size_t rows)
{
    const std::lock_guard lock(state.mutex);
    StartupRecovery::Progress &progress = state.progress;
    progress.*member += rows;
    const auto now = std::chrono::steady_clock::now();
    if (rows > 0 && now - state.saidAt >= kBetweenWords)
    {
        state.saidAt = now;
        LOG_INFO << "step=recovering reset=" << progress.reset
                 << " processing_given_back=" << progress.givenBackProcessing
                 << " queued_given_back=" << progress.givenBackQueued
                 << " let_go=" << progress.letGo;
    }
}

Task<> giveBack(std::shared_ptr<SweepStore> sweeps, std::shared_ptr<StartupRecovery::State> state,
                models::Claimer epoch, Status status,
                std::size_t StartupRecovery::Progress::*member)
{
    std::optional<LivePlace> from(std::in_place);
    while (from)
    {
        const auto page = co_await sweeps->release(epoch, status, *from, kPage);
        note(*state, member, page.rows);
        from = page.next;
    }
}
}  // namespace

void StartupRecovery::initAndStart(const Json::Value &)
{
    auto *const store = part<Store>();
    store->recoverWith(
        [sweeps = store->sweeps(), state = state_](models::Claimer epoch, StartStage stage) {
            return recover(sweeps, state, epoch, stage);
        });
}

void StartupRecovery::shutdown() {}

StartupRecovery::Progress StartupRecovery::progress() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->progress;
}

Task<> StartupRecovery::recover(std::shared_ptr<SweepStore> sweeps, std::shared_ptr<State> state,
                                models::Claimer epoch, StartStage stage)
{
    {
        // It may have been done before: who was replaced and is back enrols anew.
        const std::lock_guard lock(state->mutex);
        state->progress.done = false;
    }
    std::optional<LivePlace> from(std::in_place);
    while (from)
    {
        const auto page = co_await sweeps->recoverHeld(epoch, *from, kPage);
        note(*state, &Progress::reset, page.rows);
        from = page.next;
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
        state->progress.done = stage == StartStage::Enrolled;
        done = state->progress;
    }
    LOG_INFO << "step=recovered epoch=" << epoch << " reset=" << done.reset
             << " processing_given_back=" << done.givenBackProcessing
             << " queued_given_back=" << done.givenBackQueued << " let_go=" << done.letGo;
}
}  // namespace relayer::plugins
