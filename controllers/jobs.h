// What the controllers of all request kinds share: the way from HTTP to a row, and from a row to
// what a poll shows. Functions without state; any thread.
#pragma once

#include "models/request_store.h"
#include "wire/job.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include <cstdint>
#include <optional>

namespace relayer::controllers
{
// Throws StoreError::Unavailable while the database has not been seen.
[[nodiscard]] models::RequestStore &requests();

[[nodiscard]] core::JobId newJobId();
[[nodiscard]] std::optional<wire::Problem> bodyProblem(const drogon::HttpRequestPtr &request);
void logAdmission(const drogon::HttpRequestPtr &request, core::Kind kind,
                  const models::Admission &admission);
[[nodiscard]] std::int64_t retryAfterSeconds();
// POST 202, with the way to the job in Location.
[[nodiscard]] drogon::HttpResponsePtr acceptedResponse(const drogon::HttpRequestPtr &request,
                                                       const core::JobId &jobId);

[[nodiscard]] std::optional<core::Kind> kindOf(const models::RequestRow &row);
// A view of what was read, which must outlive it.
[[nodiscard]] wire::Job jobOf(const models::Poll &poll);
}  // namespace relayer::controllers
