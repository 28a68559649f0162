#include "core/runtime_parameter.h"

#include "core/decimal.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace relayer::core
{
namespace
{
using Type = RuntimeParameter::Type;
using Kind = GivenValue::Kind;

std::string_view nameOf(Kind kind)
{
    return kind == Kind::Integer ? "u32" : kind == Kind::Float ? "f32" : "text";
}

Kind kindOf(Type type)
{
    return type == Type::Integer    ? Kind::Integer
           : type == Type::Fraction ? Kind::Float
                                    : Kind::Text;
}

std::string limit(const RuntimeParameter &parameter, std::uint64_t bound)
{
    return parameter.type == Type::Fraction ? formatDecimal(bound) : std::to_string(bound);
}

std::string atMost(const RuntimeParameter &parameter)
{
    return parameter.name + " must be less than or equal to " + limit(parameter, parameter.max);
}

CheckedValue checkInteger(const RuntimeParameter &parameter, const std::string &text)
{
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number < parameter.min)
    {
        return {std::nullopt,
                parameter.name + " must be greater than " + std::to_string(parameter.min - 1)};
    }
    if (number > parameter.max)
    {
        return {std::nullopt, atMost(parameter)};
    }
    return {std::to_string(number), ""};
}

// As Rust prints it: never with an exponent, and whole numbers without a point.
std::string plain(double number)
{
    constexpr double kTooLong = 1e15;
    if (std::abs(number) >= kTooLong)
    {
        return number > 0 ? "inf" : "-inf";
    }
    std::array<char, 64> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    return {text.data(), end.ec == std::errc() ? end.ptr : text.data()};
}

CheckedValue checkFraction(const RuntimeParameter &parameter, const std::string &text)
{
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc::result_out_of_range)
    {
        // Or so near to 0 that it is 0.
        const bool tiny =
            text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
        number = tiny ? 0 : std::numeric_limits<double>::infinity();
    }
    const double millionths = number * static_cast<double>(kMillion);
    if (millionths >= static_cast<double>(parameter.min) &&
        millionths <= static_cast<double>(parameter.max))
    {
        return {formatDecimal(static_cast<std::uint64_t>(std::llround(millionths))), ""};
    }
    const std::string shown = plain(number);
    if (shown.find_first_not_of("0123456789") == std::string::npos)
    {
        return {std::nullopt, atMost(parameter)};
    }
    return {std::nullopt, "Value " + shown + " is out of range [" +
                              limit(parameter, parameter.min) + ", " +
                              limit(parameter, parameter.max) + "]"};
}
}  // namespace

std::string pascalCase(std::string_view name)
{
    std::string out;
    bool upper = true;
    for (const char c : name)
    {
        if (c == '_')
        {
            upper = true;
            continue;
        }
        out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        upper = false;
    }
    return out;
}

CheckedValue checkValue(const RuntimeParameter &parameter, const GivenValue &value)
{
    const Kind wanted = kindOf(parameter.type);
    if (value.kind != wanted)
    {
        return {std::nullopt, "Type mismatch: expected " + std::string(nameOf(wanted)) + ", got " +
                                  std::string(nameOf(value.kind))};
    }
    switch (parameter.type)
    {
        case Type::Integer: return checkInteger(parameter, value.text);
        case Type::Fraction: return checkFraction(parameter, value.text);
        case Type::Text: break;
    }
    return {value.text, ""};
}
}  // namespace relayer::core
