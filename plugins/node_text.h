// A node's own words, fit for a log line and for the database: short, and nothing but plain text.
#pragma once

#include <string>
#include <string_view>

namespace relayer::plugins
{
[[nodiscard]] inline std::string nodeText(std::string_view text)
{
    constexpr std::size_t kLongest = 300;
    std::string plain(text.substr(0, kLongest));
    for (char &c : plain)
    {
        // Revert arguments come as raw bytes when a node takes them for text.
        if (c < ' ' || c > '~')
        {
            c = '?';
        }
    }
    return plain;
}
}  // namespace relayer::plugins
