// JSON of jsoncpp, from a text and back.
#pragma once

#include <json/value.h>

#include <string>

namespace relayer::test
{
// In one line, without spaces.
[[nodiscard]] std::string jsonText(const Json::Value &value);
// Null for what is no JSON.
[[nodiscard]] Json::Value jsonValue(const std::string &text);
}  // namespace relayer::test
