// What a poll shows of a job: a plain one at once, one that asks to be held when something happens
// (`Prefer: wait=N`, RFC 7240, or `?wait=N`). Shared by the routes of all kinds, and by the event
// streams. Functions without state; any thread.
#pragma once

#include "core/job_id.h"
#include "core/lifecycle.h"
#include "plugins/job_view.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <string>

namespace relayer::controllers
{
// GET of a job's path, whatever stands there as its id.
drogon::Task<drogon::HttpResponsePtr> pollJob(drogon::HttpRequestPtr http, std::string jobId,
                                              core::Kind kind);

// Anything that is asked of a job: checks the id, and turns what `show` throws into an answer.
using Show = drogon::Task<drogon::HttpResponsePtr> (*)(drogon::HttpRequestPtr http, core::JobId job,
                                                       core::Kind kind);
drogon::Task<drogon::HttpResponsePtr> askOfJob(drogon::HttpRequestPtr http, std::string jobId,
                                               core::Kind kind, Show show);

// A job of another kind is not found. The three sorts of user decryption are one kind: their jobs
// are shown on each of their paths. Throws StoreError.
drogon::Task<plugins::JobViewPtr> lookAt(core::JobId job, core::Kind kind);
}  // namespace relayer::controllers
