#include "config/node_url.h"

#include "config/units.h"

#include <algorithm>

namespace relayer::config
{
namespace
{
bool isUrlCharacter(char c)
{
    return c > ' ' && c < 0x7f &&
           std::string_view("\"'<>\\^`{|}#").find(c) == std::string_view::npos;
}

bool isHostCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

bool isPort(std::string_view text)
{
    const auto number = parseInteger(text);
    return number && *number >= 1 && *number <= 65535;
}

/// `host`, `host:port`, `[::1]`, `[::1]:port`
bool isAuthority(std::string_view text)
{
    if (text.starts_with('['))
    {
        const auto end = text.find(']');
        const auto inside = text.substr(1, end == std::string_view::npos ? 0 : end - 1);
        const auto after = end == std::string_view::npos ? text : text.substr(end + 1);
        return !inside.empty() &&
               inside.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos &&
               (after.empty() || (after.front() == ':' && isPort(after.substr(1))));
    }
    const auto colon = text.find(':');
    const auto host = text.substr(0, colon);
    return !host.empty() && std::all_of(host.begin(), host.end(), isHostCharacter) &&
           (colon == std::string_view::npos || isPort(text.substr(colon + 1)));
}
}  // namespace

bool isNodeUrl(std::string_view url, bool subscriptions)
{
    constexpr std::size_t longest = 2048;
    const auto end = url.find("://");
    if (url.size() > longest || end == std::string_view::npos ||
        !std::all_of(url.begin(), url.end(), isUrlCharacter))
    {
        return false;
    }
    const auto scheme = url.substr(0, end);
    const bool http = scheme == "http" || scheme == "https";
    const bool socket = scheme == "ws" || scheme == "wss";
    const auto rest = url.substr(end + 3);
    return (http || (subscriptions && socket)) &&
           isAuthority(rest.substr(0, rest.find_first_of("/?")));
}

std::string_view nodeUrlForm(bool subscriptions)
{
    return subscriptions ? "ws, wss, http or https://host[:port][/path]"
                         : "http or https://host[:port][/path]";
}
}  // namespace relayer::config
