#include "plugins/share_scheduler.h"

#include "plugins/metrics.h"
#include "plugins/part.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <trantor/utils/Logger.h>

#include <condition_variable>
#include <mutex>
#include <utility>

namespace relayer::plugins
{
namespace
{
constexpr std::chrono::milliseconds kEachLook{5};

bool awaitEnd(const ShareService &service)
{
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const auto end = std::chrono::steady_clock::now() + OwnLoop::kLastAnswers;
    while (service.left() > 0 && std::chrono::steady_clock::now() < end)
    {
        never.wait_for(lock, kEachLook);
    }
    return service.left() == 0;
}
}  // namespace

void ShareScheduler::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    settings_ = settings.shares;
    if (!settings_.enabled)
    {
        LOG_INFO << "step=shares_off: share_scheduler.enabled is false";
        return;
    }
    if (settings_.proverLibrary.empty() && settings_.proverCommand.empty())
    {
        LOG_WARN << "step=shares_off: there is no prover (share_scheduler.prover_library or "
                    "prover_command), and shares that nobody can prove are not taken";
        return;
    }
    const auto store = sharedPart<Store>();
    part<Metrics>()->add([metrics = metrics_](MetricsText &text) { metrics->write(text); });
    ShareService::Surroundings around;
    around.settings = settings_;
    around.lease = settings.instance.lease;
    around.shares = store->shares();
    around.channel = store->shareChannel();
    around.claimer = [store] { return store->epoch(); };
    around.alone = [store] { return store->alone(); };
    around.metrics = metrics_;
    loop_ = std::make_unique<OwnLoop>("Shares");
    around.loop = loop_->get();
    loop_->run([&] {
        service_ = std::make_shared<ShareService>(std::move(around));
        service_->start();
    });
}

std::shared_ptr<ShareService> ShareScheduler::ready() const
{
    return service_ && service_->ready() ? service_ : nullptr;
}

void ShareScheduler::drain()
{
    if (service_)
    {
        service_->stop();
    }
}

void ShareScheduler::shutdown()
{
    if (!service_)
    {
        return;
    }
    service_->stop();
    const bool answered = service_->close(OwnLoop::kLastAnswers);
    if (!awaitEnd(*service_) || !answered)
    {
        // The chain has not answered; what waits for it stays until the process ends.
        LOG_WARN << "step=shares_left_behind";
        keepForGood(std::move(loop_), {std::move(service_)});
        return;
    }
    loop_->run([this] { service_->letGo(); });
    service_.reset();
    loop_.reset();
}
}  // namespace relayer::plugins
