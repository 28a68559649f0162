// The span in which a request is handled: in the trace of its `traceparent` when that is valid,
// else in a new one. It stays the same for the life of the request.
//
// As filters/request_id.h: kept in the attributes, made when it is first asked for. Polls do not
// ask.
#pragma once

#include "core/trace_context.h"

#include <drogon/HttpRequest.h>

#include <chrono>

namespace relayer::filters
{
[[nodiscard]] const core::TraceContext &traceOf(const drogon::HttpRequestPtr &request);
// Since its first byte was read.
[[nodiscard]] std::chrono::milliseconds sinceItCame(const drogon::HttpRequestPtr &request);
// For the log: request_id=... trace_id=... span_id=... duration_ms=..., the last as of now.
[[nodiscard]] std::string exchangeFields(const drogon::HttpRequestPtr &request);
}  // namespace relayer::filters
