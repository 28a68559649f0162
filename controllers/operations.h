// What the routes for operators do. Functions without state; any thread. They throw StoreError.
#pragma once

#include "wire/admin_operations.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <cstdint>
#include <optional>
#include <string>

namespace relayer::controllers
{
using Answer = drogon::Task<drogon::HttpResponsePtr>;

// As this instance knows them, of the whole deployment.
[[nodiscard]] std::string queueLevels();
[[nodiscard]] Answer listLanes(drogon::HttpRequestPtr request);
// Nothing: it goes on.
[[nodiscard]] Answer setLanePause(drogon::HttpRequestPtr request, std::string lane,
                                  std::optional<wire::PausePost> pause);
[[nodiscard]] Answer setIntakePause(drogon::HttpRequestPtr request,
                                    std::optional<wire::PausePost> pause);
[[nodiscard]] Answer listInstances(drogon::HttpRequestPtr request);
// Of this instance; 409 when another one is meant.
[[nodiscard]] Answer beginDrain(drogon::HttpRequestPtr request, std::string instance);
[[nodiscard]] Answer listAudit(drogon::HttpRequestPtr request, std::int64_t before,
                               std::int64_t limit);
}  // namespace relayer::controllers
