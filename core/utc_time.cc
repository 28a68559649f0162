#include "core/utc_time.h"

#include <array>
#include <cstdio>

namespace relayer::core
{
std::string utcTime(std::chrono::milliseconds since1970)
{
    using namespace std::chrono;
    const auto days = floor<std::chrono::days>(since1970);
    const year_month_day date{sys_days(days)};
    const hh_mm_ss time{since1970 - days};
    std::array<char, 80> text{};
    const int size = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
        static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
        static_cast<int>(time.subseconds().count()));
    return {text.data(), static_cast<std::size_t>(size)};
}
}  // namespace relayer::core
