// What the overview says of pauses. A part of console_overview.h.
#include "controllers/admin_answers.h"
#include "controllers/console_overview.h"

#include <chrono>

namespace relayer::controllers
{
namespace
{
views::PauseLine lineOf(const plugins::RuntimeValues::Pause &pause)
{
    return {pause.reason, pause.change.by, std::chrono::milliseconds(pause.change.atMs)};
}
}  // namespace

void addPauses(views::OverviewPage &page)
{
    const auto state = runtimeValues().state();
    if (state->intake)
    {
        page.intake = lineOf(*state->intake);
    }
    for (const auto &[lane, pause] : state->lanes)
    {
        page.pausedLanes.emplace(lane, lineOf(pause));
    }
}
}  // namespace relayer::controllers
