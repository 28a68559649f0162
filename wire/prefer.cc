#include "wire/prefer.h"

#include <algorithm>
#include <limits>

namespace relayer::wire
{
namespace
{
std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    {
        text.remove_suffix(1);
    }
    return text;
}

bool isWait(std::string_view name)
{
    constexpr std::string_view wait = "wait";
    return std::equal(name.begin(), name.end(), wait.begin(), wait.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
    });
}

std::string_view unquoted(std::string_view value)
{
    const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return quoted ? value.substr(1, value.size() - 2) : value;
}

// Up to a separator that stands outside of quotes, or all of it.
std::string_view takeUntil(std::string_view &rest, char separator)
{
    bool quoted = false;
    std::size_t end = 0;
    while (end < rest.size() && (quoted || rest[end] != separator))
    {
        quoted = quoted != (rest[end] == '"');
        ++end;
    }
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}
}  // namespace

std::optional<std::uint64_t> secondsFrom(std::string_view digits)
{
    if (digits.empty() ||
        !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    {
        return std::nullopt;
    }
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t seconds = 0;
    for (const char c : digits)
    {
        seconds = std::min(most, seconds * 10 + static_cast<std::uint64_t>(c - '0'));
    }
    return seconds;
}

std::optional<std::uint64_t> preferredWait(std::string_view prefer)
{
    while (!prefer.empty())
    {
        std::string_view preference = takeUntil(prefer, ',');
        std::string_view value = takeUntil(preference, ';');  // without its parameters
        const std::string_view name = trimmed(takeUntil(value, '='));
        if (isWait(name))
        {
            return secondsFrom(unquoted(trimmed(value)));
        }
    }
    return std::nullopt;
}
}  // namespace relayer::wire
