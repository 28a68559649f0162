#include "views/words.h"

#include "core/utc_time.h"

#include <algorithm>
#include <array>

namespace relayer::views
{
namespace
{
std::string two(std::int64_t large, const char *unit, std::int64_t small, const char *smallUnit)
{
    std::string text = std::to_string(large) + " " + unit;
    return small == 0 ? text : text + " " + std::to_string(small) + " " + smallUnit;
}
}  // namespace

std::string spaced(std::string_view name)
{
    std::string text(name);
    std::ranges::replace(text, '_', ' ');
    return text;
}

std::string duration(milliseconds time)
{
    const std::int64_t ms = std::max<std::int64_t>(0, time.count());
    if (ms < 1000)
    {
        return std::to_string(ms) + " ms";
    }
    if (ms < 60'000)
    {
        return std::to_string(ms / 1000) + "." + std::to_string(ms / 100 % 10) + " s";
    }
    const std::int64_t minutes = ms / 60'000;
    if (minutes < 60)
    {
        return two(minutes, "min", ms / 1000 % 60, "s");
    }
    if (minutes < 1440)
    {
        return two(minutes / 60, "h", minutes % 60, "min");
    }
    return two(minutes / 1440, "d", minutes / 60 % 24, "h");
}

std::string ago(milliseconds then, milliseconds now)
{
    // In whole seconds: what changes each time it is looked at draws the eye to nothing.
    const milliseconds age = std::max(now - then, milliseconds(0));
    const auto seconds = age.count() / 1000;
    return seconds < 1    ? "just now"
           : seconds < 60 ? std::to_string(seconds) + " s ago"
                          : duration(age) + " ago";
}

std::string hex(const core::Hash32 &hash)
{
    return "0x" + core::toHex(hash);
}

std::string shortened(std::string_view hexadecimal)
{
    constexpr std::size_t kHead = 10;
    constexpr std::size_t kTail = 6;
    if (hexadecimal.size() <= kHead + kTail + 1)
    {
        return std::string(hexadecimal);
    }
    return std::string(hexadecimal.substr(0, kHead)) + "…" +
           std::string(hexadecimal.substr(hexadecimal.size() - kTail));
}

std::string gwei(std::string_view wei)
{
    constexpr std::size_t kDigits = 9;
    const std::string padded =
        std::string(wei.size() > kDigits ? 0 : kDigits + 1 - wei.size(), '0') + std::string(wei);
    const std::string whole = padded.substr(0, padded.size() - kDigits);
    std::string part = padded.substr(padded.size() - kDigits);
    part.erase(part.find_last_not_of('0') + 1);
    return whole + (part.empty() ? "" : "." + part) + " gwei";
}

std::string grouped(std::int64_t number)
{
    std::string text = std::to_string(number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > first + 3; at -= 3)
    {
        text.insert(at - 3, ",");
    }
    return text;
}

Markup moment(milliseconds since1970)
{
    const std::string time = core::utcTime(since1970);
    return Markup("<time datetime=\"" + time + "\">" + time.substr(0, 10) + " <b>" +
                  time.substr(11, 8) + "</b>" + time.substr(19, 4) + "</time>");
}

Markup badge(core::Status status)
{
    const std::string name(core::name(status));
    return Markup("<span class=\"badge s-" + name + "\">" + spaced(name) + "</span>");
}
}  // namespace relayer::views
