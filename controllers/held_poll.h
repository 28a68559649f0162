// A poll that is held until its job has another status than when it was asked, or has ended, or the
// time is over. Where there is no room for another one it is answered at once, like any poll.
#pragma once

#include "core/job_id.h"
#include "core/lifecycle.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <chrono>
#include <optional>

namespace relayer::controllers
{
// How long this request may be held: what it asks for, up to http.long_poll.max_wait. Nothing: it
// does not ask, or is a HEAD, which could not tell why it waits.
[[nodiscard]] std::optional<std::chrono::seconds> wantedWait(const drogon::HttpRequestPtr &http);

// For a request that has a wanted wait. Throws StoreError.
drogon::Task<drogon::HttpResponsePtr> showWhenChanged(drogon::HttpRequestPtr http, core::JobId job,
                                                      core::Kind kind);
}  // namespace relayer::controllers
