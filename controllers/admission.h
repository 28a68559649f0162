// From a request that is right to a row: the client's share and a place in the queue first, the row
// then. What is here already is joined, and costs its client nothing and no place.
#pragma once

#include "core/job_id.h"
#include "models/request_store.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <optional>

namespace relayer::controllers
{
struct AdmissionResponse
{
    drogon::HttpResponsePtr response;  // 202 or 429
    std::optional<core::JobId> job;    // of a 202
};

// Throws StoreError.
drogon::Task<AdmissionResponse> admitOrJoin(drogon::HttpRequestPtr http,
                                            models::NewRequest request);
}  // namespace relayer::controllers
