// The page of the share scheduler, and of the validators of its chain. A part of
// console_controller.h.
#include "controllers/console_controller.h"
#include "controllers/console_page.h"
#include "controllers/console_work.h"
#include "controllers/operator_actions.h"
#include "controllers/plugin_for.h"
#include "plugins/share_scheduler.h"
#include "plugins/voting_admin.h"
#include "views/notices.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::Task;
using Joins = std::shared_ptr<plugins::ValidatorJoins>;

namespace
{
const std::string kPage = "/console/shares";

Task<std::vector<views::JoinLine>> waiting(Joins joins)
{
    auto pending = co_await joins->pending();
    std::vector<views::JoinLine> lines;
    lines.reserve(pending.size());
    for (wire::PendingValidator &one : pending)
    {
        lines.push_back({std::move(one.operatorAddress), std::move(one.moniker), std::move(one.url),
                         std::chrono::seconds(one.requestedAt),
                         std::chrono::seconds(one.expiresAt)});
    }
    co_return lines;
}

Task<HttpResponsePtr> showShares(HttpRequestPtr request)
{
    const auto operators = operatorStore();
    const auto kept = co_await operators->shares();
    views::SharesPage page;
    page.configured = pluginFor<plugins::ShareScheduler>().settings().enabled || kept.rounds > 0 ||
                      !kept.states.empty();
    for (const auto &[name, count] : kept.states)
    {
        page.states.push_back({name, count});
    }
    page.due = kept.due;
    page.oldestDueFor = kept.oldestDueFor;
    page.rounds = kept.rounds;
    if (const Joins joins = pluginFor<plugins::VotingAdmin>().joins())
    {
        page.joins = co_await waiting(joins);
    }
    auto frame = frameFor(request, "Share scheduler", "Shares");
    frame.live = true;
    views::setNotice(frame, request->getParameter("done"), request->getParameter("refused"));
    co_return consolePage("shares", std::move(frame), std::move(page));
}

Task<HttpResponsePtr> removeOne(HttpRequestPtr request, std::string operatorAddress)
{
    const Joins joins = pluginFor<plugins::VotingAdmin>().joins();
    bool gone = false;
    if (joins)
    {
        gone = co_await joins->remove(std::move(operatorAddress), actorAt(request));
    }
    co_return seeOther(kPage + (gone ? "?done=join_removed" : "?refused=nobody_waits"));
}
}  // namespace

Task<HttpResponsePtr> ConsoleController::shares(HttpRequestPtr request)
{
    return shown(request, showShares(request));
}

Task<HttpResponsePtr> ConsoleController::removeValidator(HttpRequestPtr request,
                                                         std::string operatorAddress)
{
    return shown(request, removeOne(request, std::move(operatorAddress)));
}
}  // namespace relayer::controllers
