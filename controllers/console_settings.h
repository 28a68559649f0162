// Collects what the settings page of the console shows. A function without state; any thread.
#pragma once

#include "views/pages.h"

#include <drogon/HttpRequest.h>
#include <drogon/utils/coroutine.h>

namespace relayer::controllers
{
// Throws StoreError.
drogon::Task<views::SettingsPage> settingsPage(drogon::HttpRequestPtr request);
}  // namespace relayer::controllers
