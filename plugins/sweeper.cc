#include "plugins/sweeper.h"

#include "models/store_error.h"
#include "plugins/gateway_listener.h"
#include "plugins/own_loop.h"
#include "plugins/part.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
namespace
{
SweepOptions optionsFrom(const config::Settings &settings)
{
    const config::SweeperSettings &sweeper = settings.sweeper;
    const auto of = [](const config::TimePerKind &times) {
        return SweepOptions::Times{times.inputProof, times.publicDecrypt, times.userDecrypt};
    };
    SweepOptions options;
    options.responseTimeout = of(sweeper.responseTimeout);
    options.queued = sweeper.queued;
    options.processing = sweeper.processing;
    options.txInFlight = sweeper.txInFlight;
    const SweepOptions::Times keep = of(sweeper.keep);
    for (std::size_t kind = 0; kind < keep.size(); ++kind)
    {
        if (keep.at(kind).count() > 0)
        {
            options.keep.at(kind) = keep.at(kind);
        }
    }
    options.keepForeign = sweeper.keepForeign;
    options.instanceLease = settings.instance.lease;
    options.dutyLease = 3 * sweeper.interval + std::chrono::seconds(5);
    options.rowsAtATime = sweeper.batchRows;
    return options;
}
}  // namespace

void Sweeper::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    auto *const store = part<Store>();
    SweepPass::Surroundings surroundings;
    surroundings.sweeps = store->sweeps();
    surroundings.instances = store->instances();
    surroundings.claimer = [store] { return store->epoch(); };
    surroundings.silenceMeansNoAnswer = [] {
        const auto listener = sharedPart<GatewayListener>();
        return !listener || listener->silenceMeansNoAnswer();
    };
    {
        const std::lock_guard lock(mutex_);
        state_ = std::make_shared<State>(std::move(surroundings), optionsFrom(settings));
    }
    const double period = std::chrono::duration<double>(settings.sweeper.interval).count();
    // Weak: a timer that was taken back is kept until it would have gone.
    const std::weak_ptr<State> weak = state_;
    timer_ = drogon::app().getLoop()->runEvery(period, [weak] {
        if (auto state = weak.lock())
        {
            sweep(std::move(state));
        }
    });
}

drogon::AsyncTask Sweeper::sweep(std::shared_ptr<State> state)
{
    if (state->running.exchange(true))
    {
        co_return;
    }
    try
    {
        const auto inside = state->gate.enter();
        co_await state->pass.runOnce();
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=sweep_broke_off why=" << error.what();
    }
    state->running = false;
}

drogon::AsyncTask Sweeper::resign(std::shared_ptr<State> state)
{
    try
    {
        const auto inside = state->gate.enter();
        co_await state->pass.resign();
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=duty_kept_until_its_lease_ends why=" << error.what();
    }
}

SweepPass::Counts Sweeper::counts() const
{
    const std::lock_guard lock(mutex_);
    return state_ ? state_->pass.counts() : SweepPass::Counts();
}

void Sweeper::drain()
{
    drogon::app().getLoop()->invalidateTimer(timer_);
}

bool Sweeper::sweeping() const
{
    const std::lock_guard lock(mutex_);
    return state_ && state_->running;
}

void Sweeper::shutdown()
{
    drogon::app().getLoop()->invalidateTimer(timer_);
    // A round that is on its way still leads, and gives the duty up by its lease.
    if (!state_->running.exchange(true))
    {
        resign(state_);
    }
    state_->gate.close();
    if (!state_->gate.waitUntilEmpty(OwnLoop::kLastAnswers))
    {
        LOG_WARN << "step=sweep_left_behind";
    }
    // With it go the stores, and with them the connections, which Store waits for.
    const std::lock_guard lock(mutex_);
    state_.reset();
}
}  // namespace relayer::plugins
