// An endpoint's URL, taken apart. It may hold a key (in its path, query or user info), so it is
// never printed: not here, and not in what is thrown elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::chain::rpc
{
struct Url
{
    std::string scheme;  // lower case
    std::string host;    // an IPv6 address without its brackets
    std::uint16_t port = 0;
    std::string target = "/";   // path and query, as they were written
    std::string authorization;  // the header's value; empty: none

    // Encrypted, by its scheme.
    [[nodiscard]] bool secure() const { return scheme == "https" || scheme == "wss"; }
    // scheme://host:port, as Drogon's clients take it.
    [[nodiscard]] std::string origin() const;
};

// Schemes: http, https, ws, wss.
[[nodiscard]] std::optional<Url> parseUrl(std::string_view text);
}  // namespace relayer::chain::rpc
