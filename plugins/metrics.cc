#include "plugins/metrics.h"

#include "plugins/gateway_listener.h"
#include "plugins/process_metrics.h"
#include "plugins/retry_after.h"
#include "plugins/tx_engine.h"
#include "plugins/tx_throttler.h"
#include "wire/build_info.h"

#include <drogon/HttpAppFramework.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace relayer::plugins
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;

namespace
{
std::optional<HttpMetrics::Route> routeOf(const HttpRequestPtr &request)
{
    return HttpMetrics::routeOf(request->matchedPathPattern(), request->method() == drogon::Post);
}

// Before a request is handled and before its answer goes.
void countHttp(const std::shared_ptr<HttpMetrics> &http)
{
    drogon::app().registerPreHandlingAdvice([http](const HttpRequestPtr &request) {
        if (const auto route = routeOf(request))
        {
            http->began(*route, request->getHeader("zama-sdk-name"),
                        request->getHeader("zama-sdk-version"));
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

void writeBuild(MetricsText &text)
{
    const wire::BuildInfo &build = wire::buildInfo();
    text.family("relayer_build_info", "gauge", "Which program this is.");
    text.sample("relayer_build_info", {{"version", build.version}, {"build", build.build}},
                std::uint64_t{1});
    text.single(
        "relayer_http_connections", "gauge", "Open connections of clients.",
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, drogon::app().getConnectionCount())));
}

void writeQueues(MetricsText &text, const TxThrottler &throttler)
{
    struct Queue
    {
        core::Kind kind;
        std::string_view name;
    };
    static constexpr std::array<Queue, core::kKinds> kQueues = {
        {{core::Kind::InputProof, "input_proof_tx_throttler"},
         {core::Kind::PublicDecrypt, "public_decrypt_tx_throttler"},
         {core::Kind::UserDecrypt, "user_decrypt_tx_throttler"}}};
    const auto each = [&](std::string_view name, std::string_view help, auto value) {
        text.family(name, "gauge", help);
        for (const Queue &queue : kQueues)
        {
            text.sample(name, {{"queue_type", queue.name}},
                        static_cast<std::uint64_t>(value(throttler.snapshot(queue.kind))));
        }
    };
    using Snapshot = TxThrottler::Snapshot;
    each("relayer_queue_size_count", "Requests that wait before the chain.",
         [](const Snapshot &queue) { return queue.waiting; });
    each("relayer_queue_soft_limit", "From how many on new requests are turned away.",
         [](const Snapshot &queue) { return queue.softLimit; });
    each("relayer_queue_rate", "How many go in a second.",
         [](const Snapshot &queue) { return queue.perSecond; });
}

void writeLane(MetricsText &text, const TxEngine &engine)
{
    const auto lane = engine.snapshot();
    const auto gauge = [&text](std::string_view name, std::string_view help, auto value) {
        text.single(name, "gauge", help, static_cast<std::uint64_t>(value));
    };
    gauge("relayer_lane_held", "Whether this instance holds its lane.", lane.held);
    gauge("relayer_lane_paused", "Whether the lane waits for its chain.", lane.paused);
    gauge("relayer_lane_next_nonce", "The next nonce of the lane.", lane.nextNonce);
    gauge("relayer_tx_preparing", "Requests whose gas is being estimated.", lane.preparing);
    gauge("relayer_tx_signing", "Requests that wait for a nonce.", lane.signing);
    gauge("relayer_tx_in_air", "Transactions that were sent and are not mined.", lane.inAir);
    gauge("relayer_tx_open_attempts", "Attempts that are not closed.", lane.open);
    gauge("relayer_tx_waiting_to_resend", "Decryptions that are sent once more.",
          lane.waitingToResend);
}

void writeSources(MetricsText &text, const GatewayListener &listener)
{
    const auto sources = listener.snapshot();
    const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
        text.family(name, type, help);
        for (const SourceState &source : sources)
        {
            if (const std::optional<std::uint64_t> number = value(source))
            {
                text.sample(name, {{"listener", source.name}}, *number);
            }
        }
    };
    using Number = std::optional<std::uint64_t>;
    each("relayer_listener_connected", "gauge", "Whether it hears of events.",
         [](const SourceState &source) { return Number(source.connected ? 1U : 0U); });
    each("relayer_listener_lag_blocks", "gauge", "Blocks between the chain's head and the cursor.",
         [](const SourceState &source) {
             const auto lag = source.lag();
             return lag ? Number(static_cast<std::uint64_t>(std::max<std::int64_t>(0, *lag)))
                        : Number();
         });
    each("relayer_listener_events_stored_total", "counter", "Events that went into the inbox.",
         [](const SourceState &source) { return Number(source.stored); });
    each("relayer_listener_events_known_total", "counter", "Events that were there already.",
         [](const SourceState &source) { return Number(source.known); });
    each("relayer_listener_reorgs_total", "counter", "Reorganisations that it saw.",
         [](const SourceState &source) { return Number(source.reorgs); });
    each("relayer_listener_failures", "gauge", "Failures in a row.",
         [](const SourceState &source) { return Number(source.failures); });
}
}  // namespace

void Metrics::initAndStart(const Json::Value &)
{
    http_ = std::make_shared<HttpMetrics>();
    countHttp(http_);
    add(writeBuild);
    add(writeProcessMetrics);
    add([http = http_](MetricsText &text) { http->write(text); });
    add([throttler = drogon::app().getSharedPlugin<TxThrottler>()](MetricsText &text) {
        writeQueues(text, *throttler);
    });
    add([engine = drogon::app().getSharedPlugin<TxEngine>()](MetricsText &text) {
        writeLane(text, *engine);
    });
    add([retryAfter = drogon::app().getSharedPlugin<RetryAfter>()](MetricsText &text) {
        retryAfter->write(text);
    });
    add([listener = drogon::app().getSharedPlugin<GatewayListener>()](MetricsText &text) {
        writeSources(text, *listener);
    });
}

void Metrics::shutdown()
{
    const std::lock_guard lock(mutex_);
    sources_.clear();
}

void Metrics::add(Source source)
{
    const std::lock_guard lock(mutex_);
    sources_.push_back(std::move(source));
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
