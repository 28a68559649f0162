#include "config/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace relayer::config
{
namespace
{
struct Unit
{
    std::string_view name;
    std::uint64_t size;
};

constexpr std::uint64_t second = 1000;
constexpr std::uint64_t minute = 60 * second;
constexpr std::uint64_t hour = 60 * minute;
constexpr std::uint64_t day = 24 * hour;
constexpr std::uint64_t week = 7 * day;

// The first name of a size is the one we print; weeks are read, but printed as days.
constexpr std::array timeUnits = {
    Unit{"d", day},          Unit{"h", hour},        Unit{"m", minute},    Unit{"s", second},
    Unit{"ms", 1},           Unit{"w", week},        Unit{"weeks", week},  Unit{"week", week},
    Unit{"days", day},       Unit{"day", day},       Unit{"hours", hour},  Unit{"hour", hour},
    Unit{"hrs", hour},       Unit{"hr", hour},       Unit{"mins", minute}, Unit{"min", minute},
    Unit{"minutes", minute}, Unit{"minute", minute}, Unit{"secs", second}, Unit{"sec", second},
    Unit{"seconds", second}, Unit{"second", second}, Unit{"msec", 1},      Unit{"millis", 1},
};
constexpr std::size_t printedTimeUnits = 5;

constexpr std::array byteUnits = {
    Unit{"GiB", std::uint64_t{1} << 30},
    Unit{"MiB", std::uint64_t{1} << 20},
    Unit{"KiB", std::uint64_t{1} << 10},
    Unit{"B", 1},
};

constexpr std::uint64_t oneInMillionths = core::kMillion;
constexpr std::size_t decimalDigits = 6;

constexpr std::uint64_t longestMilliseconds =
    static_cast<std::uint64_t>(std::numeric_limits<std::chrono::milliseconds::rep>::max());

std::string_view trimLeft(std::string_view text)
{
    const auto start = text.find_first_not_of(' ');
    return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

std::optional<std::uint64_t> takeNumber(std::string_view &text)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{})
    {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<std::uint64_t> takeUnit(std::string_view &text, std::span<const Unit> units)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto end = std::find_if_not(text.begin(), text.end(), isLetter);
    const auto name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const auto unit = std::find_if(units.begin(), units.end(), [name](const Unit &candidate) {
        return candidate.name == name;
    });
    if (unit == units.end())
    {
        return std::nullopt;
    }
    text.remove_prefix(name.size());
    return unit->size;
}

/// Takes one `<number> <unit>` off the text; nothing when it is malformed or above the limit.
std::optional<std::uint64_t> takeAmount(std::string_view &text, std::span<const Unit> units,
                                        std::uint64_t limit)
{
    const auto number = takeNumber(text);
    if (!number)
    {
        return std::nullopt;
    }
    text = trimLeft(text);
    const auto unit = takeUnit(text, units);
    if (!unit || *number > limit / *unit)
    {
        return std::nullopt;
    }
    text = trimLeft(text);
    return *number * *unit;
}
}  // namespace

std::optional<std::uint64_t> parseInteger(std::string_view text)
{
    const auto number = takeNumber(text);
    return text.empty() ? number : std::nullopt;
}

std::optional<std::uint64_t> parseDecimal(std::string_view text)
{
    const std::size_t point = text.find('.');
    const auto whole = parseInteger(text.substr(0, point));
    if (!whole || *whole > std::numeric_limits<std::uint64_t>::max() / oneInMillionths - 1)
    {
        return std::nullopt;
    }
    if (point == std::string_view::npos)
    {
        return *whole * oneInMillionths;
    }
    std::string digits(text.substr(point + 1));
    if (digits.empty() || digits.size() > decimalDigits)
    {
        return std::nullopt;
    }
    digits.resize(decimalDigits, '0');
    const auto part = parseInteger(digits);
    return part ? std::optional(*whole * oneInMillionths + *part) : std::nullopt;
}

std::optional<std::chrono::milliseconds> parseDuration(std::string_view text)
{
    text = trimLeft(text);
    if (text.empty())
    {
        return std::nullopt;
    }
    std::uint64_t sum = 0;
    while (!text.empty())
    {
        const auto amount = takeAmount(text, timeUnits, longestMilliseconds - sum);
        if (!amount)
        {
            return std::nullopt;
        }
        sum += *amount;
    }
    return std::chrono::milliseconds{static_cast<std::chrono::milliseconds::rep>(sum)};
}

std::string formatDuration(std::chrono::milliseconds duration)
{
    if (duration.count() <= 0)
    {
        return "0s";
    }
    std::string out;
    auto rest = static_cast<std::uint64_t>(duration.count());
    for (const auto &unit : std::span(timeUnits).first(printedTimeUnits))
    {
        if (rest >= unit.size)
        {
            out += (out.empty() ? "" : " ") + std::to_string(rest / unit.size);
            out += unit.name;
            rest %= unit.size;
        }
    }
    return out;
}

std::optional<std::uint64_t> parseBytes(std::string_view text)
{
    if (const auto plain = parseInteger(text))
    {
        return plain;
    }
    const auto amount = takeAmount(text, byteUnits, std::numeric_limits<std::uint64_t>::max());
    return text.empty() ? amount : std::nullopt;
}

std::string formatBytes(std::uint64_t bytes)
{
    for (const auto &unit : byteUnits)
    {
        if (bytes >= unit.size && bytes % unit.size == 0)
        {
            return std::to_string(bytes / unit.size).append(unit.name);
        }
    }
    return "0B";
}
}  // namespace relayer::config
