// A moment as people and programs read it. Pure.
#pragma once

#include <chrono>
#include <string>

namespace relayer::core
{
// Milliseconds since 1970 as `2026-11-19T10:04:05.678Z`.
[[nodiscard]] std::string utcTime(std::chrono::milliseconds since1970);
}  // namespace relayer::core
