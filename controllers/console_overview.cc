#include "controllers/console_overview.h"

#include "controllers/operator_actions.h"
#include "controllers/plugin_for.h"
#include "plugins/gateway_listener.h"
#include "plugins/health_checks.h"
#include "plugins/readiness_gate.h"
#include "plugins/store.h"
#include "plugins/tx_engine.h"
#include "plugins/tx_throttler.h"

#include <algorithm>
#include <chrono>

namespace relayer::controllers
{
using core::Kind;
using views::OverviewPage;

namespace
{
views::QueueLine queueOf(Kind kind)
{
    const auto queue = pluginFor<plugins::TxThrottler>().snapshot(kind);
    views::QueueLine line;
    line.kind = kind;
    line.waiting = queue.waiting;
    line.capacity = queue.capacity;
    line.softLimit = queue.softLimit;
    line.perSecond = queue.perSecond;
    line.hasReadiness = core::initialStatus(kind) == core::Status::Queued;
    if (line.hasReadiness)
    {
        const auto readiness = pluginFor<plugins::ReadinessGate>().snapshot(kind);
        line.notReady = readiness.line.waiting;
        line.readinessCapacity = readiness.line.capacity;
        line.checking = readiness.checks.checking;
    }
    return line;
}

void addThisInstance(OverviewPage &page)
{
    for (const auto &each : pluginFor<plugins::HealthChecks>().dependencies())
    {
        page.dependencies.push_back({std::string(each.name), each.ok, each.needed});
    }
    for (const Kind kind : core::kAllKinds)
    {
        page.queues.push_back(queueOf(kind));
    }
    const auto engine = pluginFor<plugins::TxEngine>().snapshot();
    page.engine = {engine.held,    engine.paused, engine.pausedByAdmin,  engine.preparing,
                   engine.signing, engine.inAir,  engine.waitingToResend};
    for (const auto &source : pluginFor<plugins::GatewayListener>().snapshot())
    {
        page.sources.push_back({source.name, source.subscription, source.connected, source.lag(),
                                source.cursor, source.stored, source.reorgs, source.lastError});
    }
}

// Of a day, with those of the last hour beside them.
drogon::Task<std::vector<views::ErrorLine>> errorLines()
{
    const auto operators = operatorStore();
    const auto day = co_await operators->errors(std::chrono::hours(24));
    const auto hour = co_await operators->errors(std::chrono::hours(1));
    std::vector<views::ErrorLine> lines;
    for (const auto &each : day)
    {
        const auto recent = std::ranges::find_if(hour, [&each](const auto &other) {
            return other.kind == each.kind && other.code == each.code;
        });
        lines.push_back(
            {each.kind, each.code, recent == hour.end() ? 0 : recent->count, each.count});
    }
    co_return lines;
}
}  // namespace

drogon::Task<OverviewPage> overviewPage()
{
    const auto operators = operatorStore();
    OverviewPage page;
    addThisInstance(page);
    addPauses(page);
    page.live = co_await pluginFor<plugins::Store>().requests().countByStatus(true);
    page.errors = co_await errorLines();
    page.lanes = co_await operators->lanes();
    page.instances = co_await operators->instances();
    co_return page;
}
}  // namespace relayer::controllers
