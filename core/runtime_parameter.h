// What is known of a parameter that can be changed while the program runs, and what a value for it
// must be. Which parameters there are, and which key of the configuration each one stands for, is
// in config/runtime_parameters.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
struct RuntimeParameter
{
    enum class Type : std::uint8_t
    {
        Integer,
        Fraction,  // min and max are in millionths
        Text,
    };

    std::string name;  // retry_after_min_seconds
    Type type = Type::Integer;
    std::uint64_t min = 0;
    std::uint64_t max = 0;
    std::string allowed;  // of a text: what it may be
    std::string description;
};

// RetryAfterMinSeconds: how the reference calls it in its answers to GET.
[[nodiscard]] std::string pascalCase(std::string_view name);

// A value as somebody gave it, in JSON.
struct GivenValue
{
    enum class Kind : std::uint8_t
    {
        Integer,  // 0 to 2^32 - 1, without point and exponent
        Float,    // every other number
        Text,
    };
    Kind kind = Kind::Integer;
    std::string text;  // a number as it was written
};

// How the value is kept, if it may be that parameter's; else what is wrong, in the words of the
// reference. Of a text only that it is one: config/runtime_parameters.h knows more.
struct CheckedValue
{
    std::optional<std::string> text;
    std::string wrong;
};
[[nodiscard]] CheckedValue checkValue(const RuntimeParameter &parameter, const GivenValue &value);
}  // namespace relayer::core
