#include "config/json_type.h"

#include <array>
#include <charconv>
#include <system_error>

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

std::string asDecimal(const Json::Value &number)
{
    if (isWrittenInteger(number))
    {
        return number.asString();
    }
    std::array<char, 32> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), number.asDouble());
    return error == std::errc() ? std::string(text.data(), end) : number.asString();
}
}  // namespace relayer::config
