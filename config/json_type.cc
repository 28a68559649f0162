#include "config/json_type.h"

namespace relayer::config
{
std::string jsonTypeName(const Json::Value &value)
{
    switch (value.type())
    {
        case Json::nullValue: return "null";
        case Json::intValue:
        case Json::uintValue: return "an integer";
        case Json::realValue: return "a real number";
        case Json::stringValue: return "text";
        case Json::booleanValue: return "true or false";
        case Json::arrayValue: return "a list";
        case Json::objectValue: return "an object";
    }
    return "an unknown type";
}
}  // namespace relayer::config
