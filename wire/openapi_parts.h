// Parts of the document, for openapi.cc.
#pragma once

#include "wire/api_answers.h"
#include "wire/json_writer.h"
#include "wire/request_table.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace relayer::wire
{
// {"$ref": "#/components/<kind>/<name>"}
[[nodiscard]] std::string reference(std::string_view kind, std::string_view name);
// {"oneOf": [...]}
[[nodiscard]] std::string oneOf(const std::string &first, const std::string &second);

// Members of components.schemas: of all requests, and of all answers.
void writeRequestSchemas(JsonWriter &json, const RequestLimits &limits);
void writeAnswerSchemas(JsonWriter &json);
// Members of paths and of components.schemas, where shares are taken.
void writeSharePaths(JsonWriter &json, const ShareApi &shares);
void writeShareSchemas(JsonWriter &json);
// components.headers and components.parameters.
void writeHeadersAndParameters(JsonWriter &json, std::uint64_t waitMax);
}  // namespace relayer::wire
