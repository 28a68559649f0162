// The bodies of the admin routes. Their errors are those of the reference's: an object with only
// `error`.
#pragma once

#include <string>
#include <string_view>

namespace relayer::wire
{
[[nodiscard]] std::string adminError(std::string_view message);

// What an operator may call itself in the audit: a short token.
[[nodiscard]] bool isSaneAdminName(std::string_view name);

// To who was let in: as whom, and whether a token was needed for it.
[[nodiscard]] std::string adminWelcome(std::string_view actor, bool tokenNeeded);
}  // namespace relayer::wire
