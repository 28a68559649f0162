// What the admin routes share: their errors are an object with only `error`, as the reference has
// it. Functions without state; any thread.
#pragma once

#include "plugins/runtime_values.h"
#include "wire/admin_operations.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <optional>
#include <string>
#include <string_view>

namespace relayer::controllers
{
[[nodiscard]] plugins::RuntimeValues &runtimeValues();

[[nodiscard]] drogon::HttpResponsePtr adminAnswer(const drogon::HttpRequestPtr &request,
                                                  std::string body);
[[nodiscard]] drogon::HttpResponsePtr adminRefusal(const drogon::HttpRequestPtr &request,
                                                   int status, std::string_view why);
// To a change that was not made: 400 with why, or 412 when another one came first.
[[nodiscard]] drogon::HttpResponsePtr notChanged(const drogon::HttpRequestPtr &request,
                                                 const plugins::RuntimeValues::Outcome &outcome);
[[nodiscard]] std::optional<wire::PauseView> viewOf(
    const std::optional<plugins::RuntimeValues::Pause> &pause);
// A whole number in the query; nothing: it is none, or out of range.
[[nodiscard]] std::optional<std::int64_t> numberIn(const drogon::HttpRequestPtr &request,
                                                   const std::string &name, std::int64_t absent,
                                                   std::int64_t most);

// As guarded() (responses.h), but a store that fails is told as the others are: 503.
[[nodiscard]] drogon::Task<drogon::HttpResponsePtr> adminGuarded(
    drogon::HttpRequestPtr request, drogon::Task<drogon::HttpResponsePtr> work);
}  // namespace relayer::controllers
