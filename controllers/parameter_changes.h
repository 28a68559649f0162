// From the bodies of changes to what RuntimeValues takes, and back. Functions without state; any
// thread.
#pragma once

#include "plugins/runtime_values.h"
#include "wire/admin_config.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include <string>
#include <vector>

namespace relayer::controllers
{
[[nodiscard]] std::vector<wire::ParameterState> parameterStates(
    const plugins::RuntimeValues::State &state, const config::Settings &configured);

// One, in the words of the reference.
[[nodiscard]] drogon::Task<drogon::HttpResponsePtr> changeOne(drogon::HttpRequestPtr request,
                                                              wire::ConfigPost post);
// Several, all of them or none.
[[nodiscard]] drogon::Task<drogon::HttpResponsePtr> changeAll(drogon::HttpRequestPtr request,
                                                              wire::ParametersPost post);
}  // namespace relayer::controllers
