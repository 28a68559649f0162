// Times of rows. The generated row classes read the database's UTC text as if it were local
// standard time; this puts it right, whatever zone the process runs in.
#pragma once

#include <trantor/utils/Date.h>

#include <cstdint>

namespace relayer::controllers
{
[[nodiscard]] trantor::Date fromRowTime(const trantor::Date &asReadByTheRow);

// Whole seconds, never negative: the database's clock may be ahead of ours.
[[nodiscard]] std::int64_t secondsBetween(const trantor::Date &from, const trantor::Date &to);
}  // namespace relayer::controllers
