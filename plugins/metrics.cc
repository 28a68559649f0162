#include "plugins/metrics.h"

#include "core/path_below.h"
#include "plugins/gateway_listener.h"
#include "plugins/loop_lag.h"
#include "plugins/loop_pulse.h"
#include "plugins/metrics_sources.h"
#include "plugins/part.h"
#include "plugins/process_metrics.h"
#include "plugins/readiness_gate.h"
#include "plugins/retry_after.h"
#include "plugins/settings.h"
#include "plugins/signature_check.h"
#include "plugins/startup_recovery.h"
#include "plugins/status_watch.h"
#include "plugins/store.h"
#include "plugins/tx_engine.h"
#include "plugins/tx_throttler.h"

#include <drogon/HttpAppFramework.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace relayer::plugins
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
std::optional<HttpMetrics::Route> routeOf(const HttpRequestPtr &request)
{
    const std::string_view ours =
        core::pathBelow(Settings::lastStarted().http.pathPrefix, request->matchedPathPattern());
    return HttpMetrics::routeOf(ours, request->method() == drogon::Post);
}

// getHeader() makes a copy of the name each time.
std::string_view headerOf(const HttpRequestPtr &request, const std::string &name)
{
    const auto &headers = request->headers();
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

// Before a request is handled and before its answer goes.
void countHttp(const std::shared_ptr<HttpMetrics> &http)
{
    drogon::app().registerPreHandlingAdvice([http](const HttpRequestPtr &request) {
        if (const auto route = routeOf(request))
        {
            static const std::string kName = "zama-sdk-name";
            static const std::string kVersion = "zama-sdk-version";
            http->began(*route, headerOf(request, kName), headerOf(request, kVersion));
        }
    });
    drogon::app().registerPreSendingAdvice(
        [http](const HttpRequestPtr &request, const HttpResponsePtr &response) {
            if (const auto route = routeOf(request))
            {
                const std::int64_t micros = trantor::Date::now().microSecondsSinceEpoch() -
                                            request->creationDate().microSecondsSinceEpoch();
                http->ended(*route, response->statusCode(),
                            static_cast<std::uint64_t>(std::max<std::int64_t>(0, micros)));
            }
        });
}

}  // namespace

void Metrics::initAndStart(const Json::Value &)
{
    const bool count = part<Settings>()->values().metrics.count;
    add(writeBuild);
    add(writeProcessMetrics);
    if (count)
    {
        http_ = std::make_shared<HttpMetrics>();
        countHttp(http_);
        add([http = http_](MetricsText &text) { http->write(text); });
        watchLoops();
    }
    const auto store = sharedPart<Store>();
    add([store](MetricsText &text) { store->writeMetrics(text); });
    gauges_ = std::make_shared<DatabaseGauges>(DatabaseGauges::Stores{
        [store]() -> models::RequestStore & { return store->requests(); }, store->inbox()});
    add([gauges = gauges_](MetricsText &text) { gauges->write(text); });
    add([throttler = sharedPart<TxThrottler>(), readiness = sharedPart<ReadinessGate>()](
            MetricsText &text) { writeQueues(text, *throttler, *readiness); });
    add([engine = sharedPart<TxEngine>()](MetricsText &text) { writeLane(text, *engine); });
    add([retryAfter = sharedPart<RetryAfter>()](MetricsText &text) { retryAfter->write(text); });
    add([listener = sharedPart<GatewayListener>()](MetricsText &text) {
        writeSources(text, *listener);
    });
    add([recovery = sharedPart<StartupRecovery>()](MetricsText &text) {
        writeRecovery(text, *recovery);
    });
    add([watch = sharedPart<StatusWatch>()](MetricsText &text) { writeWaiters(text, *watch); });
    add([check = sharedPart<SignatureCheck>()](MetricsText &text) {
        writeSignatures(text, *check);
    });
}

void Metrics::watchLoops()
{
    const auto lag = std::make_shared<LoopLag>();
    add([lag](MetricsText &text) { lag->write(text); });
    lagTimer_ = drogon::app().getLoop()->runEvery(1.0, [weak = std::weak_ptr(lag)] {
        if (const auto alive = weak.lock())
        {
            alive->ask(LoopPulse::eachOfTheProgram);
        }
    });
}

void Metrics::shutdown()
{
    drogon::app().getLoop()->invalidateTimer(lagTimer_);
    const std::lock_guard lock(mutex_);
    sources_.clear();
    gauges_.reset();
}

void Metrics::add(Source source)
{
    const std::lock_guard lock(mutex_);
    sources_.push_back(std::move(source));
}

drogon::Task<std::string> Metrics::collect()
{
    std::shared_ptr<DatabaseGauges> gauges;
    {
        const std::lock_guard lock(mutex_);
        gauges = gauges_;
    }
    if (gauges)
    {
        co_await DatabaseGauges::refresh(gauges, DatabaseGauges::Clock::now());
    }
    co_return text();
}

std::string Metrics::text() const
{
    MetricsText text;
    const std::lock_guard lock(mutex_);
    for (const Source &source : sources_)
    {
        source(text);
    }
    return std::move(text).take();
}
}  // namespace relayer::plugins
