#include "plugins/readiness_gate.h"

#include "plugins/store.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

namespace relayer::plugins
{
namespace
{
constexpr double kEachSecond = 1.0;
// A run ends with the batch it is at; a database that does not answer is not waited for longer.
constexpr std::chrono::seconds kForTheRun{5};
}  // namespace

void ReadinessGate::initAndStart(const Json::Value &)
{
    auto *const store = drogon::app().getPlugin<Store>();
    ReadinessPass::Surroundings surroundings;
    surroundings.requests = [store]() -> models::RequestStore & { return store->requests(); };
    surroundings.claimer = [store] { return store->epoch(); };
    surroundings.queues = drogon::app().getPlugin<TxThrottler>()->queues();
    pass_ = std::make_shared<ReadinessPass>(std::move(surroundings));
    timer_ = drogon::app().getLoop()->runEvery(kEachSecond, [pass = pass_] { pass->wake(); });
}

void ReadinessGate::shutdown()
{
    drogon::app().getLoop()->invalidateTimer(timer_);
    if (!pass_->finish(kForTheRun))
    {
        LOG_WARN << "step=readiness_run_left_behind";
    }
}

void ReadinessGate::accept(const RequestRef &request)
{
    LOG_DEBUG << "step=readiness_queued kind=" << core::name(request.kind) << " id=" << request.id;
    pass_->wake();
}

void ReadinessGate::drain(std::chrono::steady_clock::time_point)
{
    pass_->stop();
}
}  // namespace relayer::plugins
