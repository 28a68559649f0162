#include "plugins/node_text.h"

#include <algorithm>

namespace relayer::plugins
{
namespace
{
constexpr std::size_t kLongest = 300;
constexpr std::string_view kMark = "://";
constexpr std::string_view kInstead = "(a URL)";

bool belongsToAScheme(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
}

bool endsAUrl(char c)
{
    return c <= ' ' || c > '~' ||
           std::string_view("\"'<>`()[]{}|\\^,;").find(c) != std::string_view::npos;
}
}  // namespace

std::string nodeText(std::string_view text)
{
    std::string plain;
    while (!text.empty() && plain.size() < kLongest)
    {
        const std::size_t mark = std::min(text.find(kMark), text.size());
        std::size_t start = mark;
        while (mark < text.size() && start > 0 && belongsToAScheme(text[start - 1]))
        {
            --start;
        }
        plain += text.substr(0, start);
        text.remove_prefix(start);
        if (!text.empty())
        {
            plain += kInstead;
            const auto *const end = std::find_if(text.begin(), text.end(), endsAUrl);
            text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        }
    }
    plain.resize(std::min(plain.size(), kLongest));
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
