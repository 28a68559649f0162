// What the controllers of all request kinds share on the way from HTTP to a row. Functions without
// state; any thread.
#pragma once

#include "models/request_store.h"
#include "plugins/retry_after.h"
#include "wire/labels.h"
#include "wire/request_table.h"

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
// How long the lists in a body may be.
[[nodiscard]] wire::RequestLimits requestLimits();
// Since 1970, as the validity of signed requests counts.
[[nodiscard]] std::uint64_t nowSeconds();
void noteAdmission(const drogon::HttpRequestPtr &request, core::Kind kind,
                   const models::Admission &admission);
// POST 202, with the way to the job in Location. Who joins a job that has ended need not wait.
[[nodiscard]] drogon::HttpResponsePtr acceptedResponse(const drogon::HttpRequestPtr &request,
                                                       const plugins::RetryAfter::Job &job);
}  // namespace relayer::controllers
