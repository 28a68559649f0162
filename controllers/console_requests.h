// Requests as the pages of the console ask for them and show them. Functions without state; any
// thread.
#pragma once

#include "views/pages.h"

#include <drogon/HttpRequest.h>
#include <drogon/utils/coroutine.h>

#include <optional>

namespace relayer::controllers
{
// Throw StoreError.
drogon::Task<views::RequestsPage> requestsPage(drogon::HttpRequestPtr request);
// Nothing: there is no such request.
drogon::Task<std::optional<views::RequestPage>> requestPage(core::JobId job);
}  // namespace relayer::controllers
