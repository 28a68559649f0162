#include "plugins/runtime_settings.h"

#include "models/store_error.h"
#include "plugins/client_limits.h"
#include "plugins/log_level.h"
#include "plugins/metrics.h"
#include "plugins/part.h"
#include "plugins/readiness_gate.h"
#include "plugins/resumed_on.h"
#include "plugins/retry_after.h"
#include "plugins/settings.h"
#include "plugins/status_watch.h"
#include "plugins/store.h"
#include "plugins/tx_engine.h"
#include "plugins/tx_throttler.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <cstdint>
#include <utility>

namespace relayer::plugins
{
using core::Kind;
using drogon::Task;

namespace
{
constexpr double kLookAgain = 2.0;

// Those that do something with what is changed. The application owns them, and outlives the calls:
// they are made while Drogon's plugins run.
class Appliers
{
  public:
    explicit Appliers(config::Settings configured)
        : applied_(std::move(configured)),
          throttler_(sharedPart<TxThrottler>()),
          readiness_(sharedPart<ReadinessGate>()),
          retryAfter_(sharedPart<RetryAfter>()),
          clients_(sharedPart<ClientLimits>()),
          engine_(sharedPart<TxEngine>())
    {}

    // What did not change is left alone. Of an application that embeds the module the log is its
    // own, also when another instance has been given another level.
    void apply(const RuntimeValues::State &state)
    {
        const config::Settings &next = state.settings;
        rate(Kind::InputProof, applied_.txThrottler.inputProof, next.txThrottler.inputProof);
        rate(Kind::PublicDecrypt, applied_.txThrottler.publicDecrypt,
             next.txThrottler.publicDecrypt);
        rate(Kind::UserDecrypt, applied_.txThrottler.userDecrypt, next.txThrottler.userDecrypt);
        concurrency(Kind::PublicDecrypt, applied_.gateway.readiness.publicDecrypt,
                    next.gateway.readiness.publicDecrypt);
        concurrency(Kind::UserDecrypt, applied_.gateway.readiness.userDecrypt,
                    next.gateway.readiness.userDecrypt);
        retryAfter_->change(next.http.retryAfter);
        const auto &limits = next.http.clientLimits;
        if (limits.requestsPerMinute != applied_.http.clientLimits.requestsPerMinute ||
            limits.burst != applied_.http.clientLimits.burst)
        {
            clients_->change(limits.requestsPerMinute, limits.burst);
        }
        if (next.log.level != applied_.log.level && !Settings::embedded())
        {
            setLogLevel(next.log.level);
        }
        engine_->pauseLane(state.lanes.contains(engine_->laneName()));
        applied_ = next;
    }

  private:
    void rate(Kind kind, const config::QueueSettings &before, const config::QueueSettings &next)
    {
        if (next.perSecond != before.perSecond)
        {
            throttler_->setRate(kind, next.perSecond);
        }
    }
    void concurrency(Kind kind, const config::ReadinessQueueSettings &before,
                     const config::ReadinessQueueSettings &next)
    {
        if (next.maxConcurrency != before.maxConcurrency)
        {
            readiness_->setMaxConcurrency(kind, next.maxConcurrency);
        }
    }

    config::Settings applied_;
    const std::shared_ptr<TxThrottler> throttler_;
    const std::shared_ptr<ReadinessGate> readiness_;
    const std::shared_ptr<RetryAfter> retryAfter_;
    const std::shared_ptr<ClientLimits> clients_;
    const std::shared_ptr<TxEngine> engine_;
};

Task<> readOnce(std::shared_ptr<RuntimeValues> values)
{
    try
    {
        co_await values->refresh();
    }
    catch (const models::StoreError &error)
    {
        LOG_WARN << "step=settings_not_read why=" << error.what() << "; it is tried again";
    }
}
}  // namespace

void RuntimeSettings::initAndStart(const Json::Value &)
{
    const config::Settings &configured = part<Settings>()->values();
    const auto store = sharedPart<Store>();
    const auto appliers = std::make_shared<Appliers>(configured);
    values_ = std::make_shared<RuntimeValues>(
        configured, store->settings(),
        [appliers](const RuntimeValues::State &state) { appliers->apply(state); },
        Settings::embedded()
            ? RuntimeValues::Fixed{{"log_level", "the log is of the application that embeds us"}}
            : RuntimeValues::Fixed{});
    part<Metrics>()->add([weak = std::weak_ptr(values_)](MetricsText &text) {
        if (const auto values = weak.lock())
        {
            text.single("relayer_intake_paused", "gauge",
                        "Whether an operator has paused the intake of requests.",
                        std::uint64_t{values->intakePaused() ? 1U : 0U});
        }
    });
    if (store->ready())
    {
        // Before the first request is taken in.
        drogon::sync_wait(readOnce(values_));  // tidy: allow blocking: main, which runs no loop yet
    }
    const auto looking = std::make_shared<Looking>();
    const auto lookNow = [weak = std::weak_ptr(values_), looking, store = std::weak_ptr(store)] {
        const auto values = weak.lock();
        const auto there = store.lock();
        if (values && there && there->ready())
        {
            look(values, looking);
        }
    };
    notices_ = sharedPart<StatusWatch>();
    notices_->onSettings(lookNow);
    timer_ = drogon::app().getLoop()->runEvery(kLookAgain, lookNow);
}

drogon::AsyncTask RuntimeSettings::look(std::shared_ptr<RuntimeValues> values,
                                        std::shared_ptr<Looking> looking)
{
    if (std::exchange(looking->now, true))
    {
        looking->again = true;
        co_return;
    }
    do
    {
        looking->again = false;
        try
        {
            co_await resumedOn(drogon::app().getLoop(), values->refresh());
        }
        catch (const models::StoreError &error)
        {
            LOG_DEBUG << "step=settings_not_read why=" << error.what();
        }
    }
    while (looking->again);
    looking->now = false;
}

void RuntimeSettings::shutdown()
{
    drogon::app().getLoop()->invalidateTimer(timer_);
    notices_->onSettings({});
    notices_.reset();
    // Requests that are still being answered ask on.
    values_->close();
}
}  // namespace relayer::plugins
