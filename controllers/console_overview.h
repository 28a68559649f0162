// Collects what the overview of the console shows: of this instance from its plugins, of all of
// them from the database. A function without state; any thread.
#pragma once

#include "views/pages.h"

#include <drogon/utils/coroutine.h>

namespace relayer::controllers
{
// Throws StoreError.
drogon::Task<views::OverviewPage> overviewPage();

// What an operator has paused.
void addPauses(views::OverviewPage &page);
}  // namespace relayer::controllers
