// docs/http.md: the routes for people, made of the OpenAPI document.
#pragma once

#include "support/json_schema.h"

#include <string>

namespace relayer::test
{
[[nodiscard]] std::string httpReference(const JsonSchemas &api);
}  // namespace relayer::test
