// How values are said to people. Pure.
#pragma once

#include "core/content_hash.h"
#include "core/lifecycle.h"
#include "views/html.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace relayer::views
{
using std::chrono::milliseconds;

// `tx_in_flight` as `tx in flight`.
[[nodiscard]] std::string spaced(std::string_view name);
// `850 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`, `5 d 3 h`.
[[nodiscard]] std::string duration(milliseconds time);
[[nodiscard]] std::string ago(milliseconds then, milliseconds now);
// Whole, and what a line has room for.
[[nodiscard]] std::string hex(const core::Hash32 &hash);
[[nodiscard]] std::string shortened(std::string_view hexadecimal);
// Of a number of wei, without binary floats: `1.5 gwei`.
[[nodiscard]] std::string gwei(std::string_view wei);
// 12345678 as 12,345,678.
[[nodiscard]] std::string grouped(std::int64_t number);
// A moment, for people; the whole of it for programs stands in its attribute.
[[nodiscard]] Markup moment(milliseconds since1970);
// A status with its colour, which is never all that tells it.
[[nodiscard]] Markup badge(core::Status status);
}  // namespace relayer::views
