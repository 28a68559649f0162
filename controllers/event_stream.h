// GET of a job's events: its status now and each one after that, until it has ended.
//
// On HTTP/1.1 the connection stays open, and nothing is kept for it but a place in the waiting
// room. A connection that closes after one answer (HTTP/1.0, `Connection: close`, nginx without
// proxy_http_version 1.1) can not be streamed to by Drogon: there the answer is held like a
// long-poll and carries one event; the client comes back by itself, as after any stream that ends.
#pragma once

#include "core/job_id.h"
#include "core/lifecycle.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

namespace relayer::controllers
{
// Also 204, which tells a client that has seen the end not to come back; 404; 503 when there are as
// many streams as may be. Throws StoreError.
drogon::Task<drogon::HttpResponsePtr> streamEvents(drogon::HttpRequestPtr http, core::JobId job,
                                                   core::Kind kind);
}  // namespace relayer::controllers
