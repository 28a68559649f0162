// What the pages need beside themselves, from our own address: the style, a little script, an icon.
// Pure.
#pragma once

#include <string_view>

namespace relayer::views
{
[[nodiscard]] std::string_view consoleStyle();
[[nodiscard]] std::string_view consoleScript();
[[nodiscard]] std::string_view consoleIcon();
}  // namespace relayer::views
