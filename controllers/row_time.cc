#include "controllers/row_time.h"

#include <algorithm>
#include <ctime>

namespace relayer::controllers
{
namespace
{
constexpr std::int64_t kMicrosPerSecond = 1'000'000;
}

trantor::Date fromRowTime(const trantor::Date &asReadByTheRow)
{
    // The row class gave mktime the UTC fields with tm_isdst = 0. Doing the same to fields that are
    // known to be UTC's shows by how much that is off.
    const std::time_t read = asReadByTheRow.secondsSinceEpoch();
    std::tm fields{};
    gmtime_r(&read, &fields);
    fields.tm_isdst = 0;
    const std::int64_t off = std::mktime(&fields) - read;
    return trantor::Date(asReadByTheRow.microSecondsSinceEpoch() - off * kMicrosPerSecond);
}

std::int64_t secondsBetween(const trantor::Date &from, const trantor::Date &to)
{
    const std::int64_t micros = to.microSecondsSinceEpoch() - from.microSecondsSinceEpoch();
    return std::max<std::int64_t>(micros / kMicrosPerSecond, 0);
}
}  // namespace relayer::controllers
