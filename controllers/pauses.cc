// Lanes, and what is paused. A part of operations.h.
#include "controllers/admin_answers.h"
#include "controllers/operations.h"
#include "controllers/plugin_for.h"
#include "filters/admin_access.h"
#include "plugins/store.h"
#include "plugins/tx_engine.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using filters::AdminAccess;
using plugins::RuntimeValues;

namespace
{
std::optional<RuntimeValues::Pause> pauseFrom(std::optional<wire::PausePost> post)
{
    return post ? std::optional(
                      RuntimeValues::Pause{std::move(post->reason), post->retryAfterSeconds, {}})
                : std::nullopt;
}

std::optional<RuntimeValues::Pause> pauseOf(const std::string &lane)
{
    const auto state = runtimeValues().state();
    const auto found = state->lanes.find(lane);
    return found == state->lanes.end() ? std::nullopt : std::optional(found->second);
}

std::string_view stateOf(const models::LaneStore::Lane &lane, bool paused)
{
    const plugins::TxEngine &engine = pluginFor<plugins::TxEngine>();
    const bool ours = engine.laneName() == lane.name && engine.snapshot().held;
    return paused                             ? "paused"
           : ours && engine.snapshot().paused ? "no_funds"
           : lane.holder.empty()              ? "free"
                                              : "held";
}
}  // namespace

Answer listLanes(HttpRequestPtr request)
{
    const auto &store = sharedPluginFor<plugins::Store>();
    (void)store->requests();  // throws while there is no schema
    std::vector<wire::LaneView> views;
    const auto laneStore = store->lanes();
    const auto lanes = co_await laneStore->all();
    for (const auto &lane : lanes)
    {
        const auto pause = pauseOf(lane.name);
        wire::LaneView &view = views.emplace_back();
        view.name = lane.name;
        view.address = lane.address;
        view.holder = lane.holder;
        view.nextNonce = lane.nextNonce;
        view.openTransactions = lane.openTransactions;
        view.state = stateOf(lane, pause.has_value());
        view.balanceWei = co_await pluginFor<plugins::TxEngine>().balanceOf(lane.address);
        view.pause = viewOf(pause);
    }
    co_return adminAnswer(request, wire::laneList(views));
}

Answer setLanePause(HttpRequestPtr request, std::string lane, std::optional<wire::PausePost> pause)
{
    const auto &store = sharedPluginFor<plugins::Store>();
    (void)store->requests();
    const auto laneStore = store->lanes();
    const auto lanes = co_await laneStore->all();
    const auto named = [&lane](const auto &each) { return each.name == lane; };
    // One that is gone may still be paused.
    if (!std::any_of(lanes.begin(), lanes.end(), named) && !pauseOf(lane))
    {
        co_return adminRefusal(request, drogon::k404NotFound, "There is no such lane");
    }
    const auto outcome = co_await runtimeValues().pauseLane(lane, pauseFrom(std::move(pause)),
                                                            AdminAccess::actorOf(request));
    (void)outcome;
    co_return adminAnswer(request, wire::lanePause(lane, viewOf(pauseOf(lane))));
}

Answer setIntakePause(HttpRequestPtr request, std::optional<wire::PausePost> pause)
{
    const auto outcome = co_await runtimeValues().pauseIntake(pauseFrom(std::move(pause)),
                                                              AdminAccess::actorOf(request));
    (void)outcome;
    co_return adminAnswer(request, wire::intakeState(viewOf(runtimeValues().state()->intake)));
}
}  // namespace relayer::controllers
