// What a JSON value is, for those who are told that it should have been another.
#pragma once

#include <json/value.h>

#include <string>

namespace relayer::config
{
/// `an integer`, `text`
std::string jsonTypeName(const Json::Value &value);

/// The shortest decimal that is this number: 0.2, where jsoncpp would say 0.20000000000000001.
std::string asDecimal(const Json::Value &number);

/// As it was written: 8.0 is none.
inline bool isWrittenInteger(const Json::Value &value)
{
    return value.type() == Json::intValue || value.type() == Json::uintValue;
}
}  // namespace relayer::config
