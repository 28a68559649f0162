// Takes URLs apart.
#include "chain/rpc/url.h"

#include "core/base64.h"
#include "core/bytes.h"

#include <algorithm>
#include <charconv>

namespace relayer::chain::rpc
{
namespace
{
// What would break out of the request line or a header.
bool printable(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::optional<std::uint16_t> defaultPort(std::string_view scheme)
{
    if (scheme == "http" || scheme == "ws")
    {
        return std::uint16_t{80};
    }
    if (scheme == "https" || scheme == "wss")
    {
        return std::uint16_t{443};
    }
    return std::nullopt;
}

std::string percentDecoded(std::string_view text)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const auto byte = text[i] == '%' && i + 2 < text.size()
                              ? core::fromHex(text.substr(i + 1, 2))
                              : std::nullopt;
        decoded.push_back(byte && !byte->empty() ? static_cast<char>(byte->front()) : text[i]);
        i += byte && !byte->empty() ? 2 : 0;
    }
    return decoded;
}

// host, host:port, [address], [address]:port
bool takeHostAndPort(std::string_view text, Url &url)
{
    std::string_view port;
    if (text.starts_with('['))
    {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos)
        {
            return false;
        }
        url.host = text.substr(1, close - 1);
        if (url.host.find_first_not_of("0123456789abcdefABCDEF:.%") != std::string::npos)
        {
            return false;
        }
        port = text.substr(close + 1);
    }
    else
    {
        const std::size_t colon = std::min(text.find(':'), text.size());
        url.host = text.substr(0, colon);
        port = text.substr(colon);
    }
    if (!port.empty())
    {
        const char *end = port.data() + port.size();
        const auto parsed = std::from_chars(port.data() + 1, end, url.port);
        if (port.front() != ':' || parsed.ec != std::errc{} || parsed.ptr != end)
        {
            return false;
        }
    }
    return !url.host.empty() && url.port != 0 &&
           url.host.find_first_of("@/\\\"<>[]") == std::string::npos;
}
}  // namespace

std::string Url::origin() const
{
    const bool v6 = host.find(':') != std::string::npos;
    return scheme + "://" + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<Url> parseUrl(std::string_view text)
{
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos || !printable(text))
    {
        return std::nullopt;
    }
    Url url;
    url.scheme = text.substr(0, colon);
    std::ranges::transform(url.scheme, url.scheme.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto port = defaultPort(url.scheme);
    if (!port)
    {
        return std::nullopt;
    }
    url.port = *port;
    std::string_view rest = text.substr(colon + 3);
    rest = rest.substr(0, rest.find('#'));
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    std::string_view authority = rest.substr(0, end);
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
    {
        const std::string user = percentDecoded(authority.substr(0, at));
        url.authorization = "Basic " + core::toBase64(core::Bytes(user.begin(), user.end()));
        authority = authority.substr(at + 1);
    }
    if (!takeHostAndPort(authority, url))
    {
        return std::nullopt;
    }
    const std::string_view target = rest.substr(end);
    url.target = (target.starts_with('/') ? "" : "/") + std::string(target);
    return url;
}
}  // namespace relayer::chain::rpc
