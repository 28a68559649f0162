// What a poll shows of a job: one look at the database, and the answer that follows from it. Shared
// by the routes of all kinds, and by all ways to wait for a change. Functions without state; any
// thread.
#pragma once

#include "core/job_id.h"
#include "core/lifecycle.h"
#include "wire/envelope.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <optional>
#include <string>

namespace relayer::controllers
{
struct Look
{
    wire::Answer answer;                 // 200, 202, or how the job ended; 404
    std::optional<core::Status> status;  // nothing: there is no such job
};

// A job of another kind is not found. The three sorts of user decryption are one kind: their jobs
// are shown on each of their paths. Throws StoreError.
drogon::Task<Look> lookAt(core::JobId job, core::Kind kind, std::string requestId);

// GET of a job's path, whatever stands there as its id.
drogon::Task<drogon::HttpResponsePtr> pollJob(drogon::HttpRequestPtr http, std::string jobId,
                                              core::Kind kind);
}  // namespace relayer::controllers
