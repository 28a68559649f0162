// Decryptions as clients write them, made of what the house reads in them.
#pragma once

#include "core/decrypt.h"

#include <string>
#include <string_view>

namespace relayer::test
{
inline constexpr std::string_view kPublicDecrypt = "/v2/public-decrypt";
inline constexpr std::string_view kUserDecrypt = "/v2/user-decrypt";
inline constexpr std::string_view kDelegated = "/v2/delegated-user-decrypt";
inline constexpr std::string_view kUnified = "/v3/user-decrypt";

[[nodiscard]] std::string bodyOf(const core::PublicDecrypt &request);
[[nodiscard]] std::string bodyOf(const core::UserDecrypt &request);
[[nodiscard]] std::string_view pathOf(const core::UserDecrypt &request);
}  // namespace relayer::test
