#include "controllers/operations.h"

#include "controllers/admin_answers.h"
#include "controllers/plugin_for.h"
#include "filters/admin_access.h"
#include "models/store_error.h"
#include "plugins/drain.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <trantor/utils/Logger.h>

#include <utility>
#include <vector>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::Task;
using filters::AdminAccess;

namespace
{
constexpr double kAnswerFirst = 0.1;

const std::string &thisInstance()
{
    return plugins::Settings::lastStarted().instance.name;
}
}  // namespace

Answer listInstances(HttpRequestPtr request)
{
    const auto &store = sharedPluginFor<plugins::Store>();
    (void)store->requests();  // throws while there is no schema
    std::vector<wire::InstanceView> views;
    const auto registry = store->instances();
    auto instances = co_await registry->all();
    for (auto &each : instances)
    {
        const bool mine = each.name == thisInstance();
        views.push_back({std::move(each.name), each.epoch, each.startedAtMs, each.heartbeatAgeMs,
                         std::move(each.version), mine});
    }
    co_return adminAnswer(request, wire::instanceList(views));
}

Answer beginDrain(HttpRequestPtr request, std::string instance)
{
    if (!instance.empty() && instance != thisInstance())
    {
        co_return adminRefusal(request, drogon::k409Conflict,
                               "This is the instance " + thisInstance());
    }
    try
    {
        models::AuditEntry entry;
        entry.actor = AdminAccess::actorOf(request);
        entry.action = "drain";
        entry.subject = thisInstance();
        const auto settings = sharedPluginFor<plugins::Store>()->settings();
        co_await settings->record(std::move(entry));
    }
    catch (const models::StoreError &error)
    {
        LOG_WARN << "step=drain_not_audited why=" << error.what();
    }
    // An idle instance is gone before this answer would be.
    drogon::app().getLoop()->runAfter(
        kAnswerFirst, [drain = sharedPluginFor<plugins::Drain>()] { drain->ask(); });
    co_return adminAnswer(request, wire::draining(thisInstance()));
}

Answer listAudit(HttpRequestPtr request, std::int64_t before, std::int64_t limit)
{
    const auto &store = sharedPluginFor<plugins::Store>();
    (void)store->requests();
    const auto settings = store->settings();
    auto rows = co_await settings->trail(before, limit + 1);
    const bool more = rows.size() > static_cast<std::size_t>(limit);
    rows.resize(more ? static_cast<std::size_t>(limit) : rows.size());
    std::vector<wire::AuditView> views;
    for (auto &row : rows)
    {
        views.push_back({row.id, row.atMs, std::move(row.entry.actor), std::move(row.entry.action),
                         std::move(row.entry.subject), std::move(row.entry.detail)});
    }
    co_return adminAnswer(request, wire::auditTrail(views, more));
}
}  // namespace relayer::controllers
