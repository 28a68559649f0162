// A node's own words, fit for a log line and for the database: short, nothing but plain text, and
// without URLs, since a node or a gateway in front of it may repeat the one it was asked under, key
// and all.
#pragma once

#include <string>
#include <string_view>

namespace relayer::plugins
{
[[nodiscard]] std::string nodeText(std::string_view text);
}  // namespace relayer::plugins
