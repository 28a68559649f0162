// Text as it stands in HTML, between tags and in quoted attributes.
#pragma once

#include <string>
#include <string_view>

namespace relayer::core
{
[[nodiscard]] std::string escapedHtml(std::string_view text);
}  // namespace relayer::core
