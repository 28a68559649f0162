#include "config/printable.h"
#include "config/schema.h"
#include "config/units.h"

#include <algorithm>

namespace relayer::config
{
namespace
{
using Wrong = std::optional<std::string>;

template <typename... Visitors>
struct Overloaded : Visitors...
{
    using Visitors::operator()...;
};

std::string formatNumber(std::uint64_t number)
{
    return std::to_string(number);
}

/// Puts a parsed value into the member when it is in range.
template <typename Kind, typename Value>
Wrong setInRange(const Kind &kind, Value value, std::string (*format)(Value))
{
    if (value < kind.min)
    {
        return format(value) + " is below the minimum of " + format(kind.min);
    }
    if (value > kind.max)
    {
        return format(value) + " is above the maximum of " + format(kind.max);
    }
    *kind.value = value;
    return std::nullopt;
}

Wrong set(const Flag &flag, std::string_view text)
{
    if (text != "true" && text != "false")
    {
        return inQuotes(text) + " is neither true nor false";
    }
    *flag.value = text == "true";
    return std::nullopt;
}

Wrong set(const Integer &integer, std::string_view text)
{
    if (const auto value = parseInteger(text))
    {
        return setInRange(integer, *value, formatNumber);
    }
    if (text.starts_with('-') && parseInteger(text.substr(1)))
    {
        return std::string(text) + " is below the minimum of " + formatNumber(integer.min);
    }
    const bool digitsOnly =
        !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    return digitsOnly ? inQuotes(text) + " is above the maximum of " + formatNumber(integer.max)
                      : inQuotes(text) + " is not an integer";
}

Wrong set(const Duration &duration, std::string_view text)
{
    if (const auto value = parseDuration(text))
    {
        return setInRange(duration, *value, formatDuration);
    }
    return inQuotes(text) + " is not a duration such as 500ms, 30m, 1h 30m or 7d";
}

Wrong set(const Bytes &bytes, std::string_view text)
{
    if (const auto value = parseBytes(text))
    {
        return setInRange(bytes, *value, formatBytes);
    }
    return inQuotes(text) + " is not a size such as 512KiB, 2MiB or a number of bytes";
}

Wrong set(const Choice &choice, std::string_view text)
{
    if (std::find(choice.choices.begin(), choice.choices.end(), text) == choice.choices.end())
    {
        return inQuotes(text) + " is not " + kind(choice);
    }
    *choice.value = text;
    return std::nullopt;
}

Wrong set(const Text &rule, std::string_view text)
{
    if (text.empty() && !rule.optional)
    {
        return "must not be empty; it is " + std::string(rule.allowed);
    }
    if (text.size() > rule.maxLength)
    {
        return "is longer than " + std::to_string(rule.maxLength) + " characters";
    }
    // The text itself is not repeated: who puts a secret into the wrong key should not find it in a
    // log.
    if (hasControlCharacters(text) || (rule.accepts && !rule.accepts(text)))
    {
        return "is not acceptable; it must be " + std::string(rule.allowed);
    }
    *rule.value = text;
    return std::nullopt;
}

Wrong set(const SecretText &secret, std::string_view text)
{
    constexpr std::size_t longest = 16384;
    if (text.empty())
    {
        return "is empty";
    }
    if (text.size() > longest || hasControlCharacters(text) ||
        (secret.accepts && !secret.accepts(text)))
    {
        return "is not acceptable (the value is not shown); it must be " +
               std::string(secret.allowed);
    }
    *secret.value = Secret(std::string(text));
    return std::nullopt;
}
}  // namespace

std::optional<std::string> assign(const Field &field, std::string_view text)
{
    return std::visit([text](const auto &rule) { return set(rule, text); }, field);
}

std::string print(const Field &field)
{
    return std::visit(
        Overloaded{
            [](const Flag &flag) { return std::string(*flag.value ? "true" : "false"); },
            [](const Integer &integer) { return std::to_string(*integer.value); },
            [](const Duration &duration) { return formatDuration(*duration.value); },
            [](const Bytes &bytes) { return formatBytes(*bytes.value); },
            [](const Choice &choice) { return *choice.value; },
            [](const Text &text) { return *text.value; },
            [](const SecretText &secret) { return secret.value->masked(); },
        },
        field);
}

bool isSecret(const Field &field)
{
    return std::holds_alternative<SecretText>(field);
}

bool isQuoted(const Field &field)
{
    return !std::holds_alternative<Flag>(field) && !std::holds_alternative<Integer>(field);
}

std::string kind(const Field &field)
{
    const auto range = [](const auto &min, const auto &max) { return min + " to " + max; };
    return std::visit(
        Overloaded{
            [](const Flag &) { return std::string("true or false"); },
            [&](const Integer &rule) {
                return "integer, " + range(formatNumber(rule.min), formatNumber(rule.max));
            },
            [&](const Duration &rule) {
                return "duration, " + range(formatDuration(rule.min), formatDuration(rule.max));
            },
            [&](const Bytes &rule) {
                return "size, " + range(formatBytes(rule.min), formatBytes(rule.max));
            },
            [](const Choice &rule) {
                std::string out = "one of";
                for (const auto choice : rule.choices)
                {
                    out.append(choice == rule.choices.front() ? " " : ", ").append(choice);
                }
                return out;
            },
            [](const Text &rule) {
                return std::string(rule.allowed) + (rule.optional ? ", or empty" : "");
            },
            [](const SecretText &rule) { return "secret: " + std::string(rule.allowed); },
        },
        field);
}
}  // namespace relayer::config
