// Paths below a prefix, as Drogon's router compares them: upper and lower case are alike.
#pragma once

#include <algorithm>
#include <string_view>

namespace relayer::core
{
// "/v2/keyurl" of "/relayer/v2/keyurl" below "/relayer"; "/" of the prefix itself; nothing: the
// path is not below it. Without a prefix every path is.
[[nodiscard]] inline std::string_view pathBelow(std::string_view prefix, std::string_view path)
{
    constexpr auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; };
    const auto alike = [lower](char a, char b) { return lower(a) == lower(b); };
    if (prefix.empty())
    {
        return path;
    }
    if (path.size() < prefix.size() ||
        !std::equal(prefix.begin(), prefix.end(), path.begin(), alike))
    {
        return {};
    }
    const std::string_view rest = path.substr(prefix.size());
    if (rest.empty())
    {
        return "/";
    }
    return rest.front() == '/' ? rest : std::string_view{};
}
}  // namespace relayer::core
