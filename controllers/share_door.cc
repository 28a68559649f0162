// Who is let in to the routes of shares, and what their paths say. A part of shares.h.
#include "controllers/plugin_for.h"
#include "controllers/shares.h"
#include "core/bytes.h"
#include "core/same_secret.h"

#include <algorithm>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;

namespace
{
bool showsToken(const HttpRequestPtr &request, const std::string &token)
{
    return core::sameSecret(request->getHeader("x-helper-token"), token);
}

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && blank(text.front()))
    {
        text.remove_prefix(1);
    }
    while (!text.empty() && blank(text.back()))
    {
        text.remove_suffix(1);
    }
    return text;
}
}  // namespace

ShareDoor shareDoor(const HttpRequestPtr &request, TokenIs token)
{
    const auto &scheduler = pluginFor<plugins::ShareScheduler>();
    ShareDoor door;
    door.service = scheduler.ready();
    const std::string &wanted = scheduler.settings().apiToken.reveal();
    if (!door.service)
    {
        door.closed = shareError(drogon::k503ServiceUnavailable, "helper unavailable");
    }
    else if (token == TokenIs::Asked && !wanted.empty() && !showsToken(request, wanted))
    {
        door.closed = shareError(drogon::k401Unauthorized, "unauthorized");
    }
    return door;
}

std::optional<std::string> hexParts(std::initializer_list<HexPart> parts)
{
    for (const HexPart &part : parts)
    {
        if (trimmed(part.text).size() != 2 * part.value->size())
        {
            return std::string(part.name) + " must be 64 hex characters";
        }
    }
    for (const HexPart &part : parts)
    {
        const auto bytes = core::fromHex(trimmed(part.text));
        if (!bytes)
        {
            return "invalid " + std::string(part.name) + " hex";
        }
        std::copy(bytes->begin(), bytes->end(), part.value->begin());
    }
    return std::nullopt;
}
}  // namespace relayer::controllers
