// From the bodies of the decryption routes to decoded values. `now` is in seconds since 1970.
#pragma once

#include "core/decrypt.h"
#include "wire/labels.h"
#include "wire/request_table.h"

#include <cstdint>
#include <string_view>
#include <variant>

namespace relayer::wire
{
using PublicDecryptRead = std::variant<core::PublicDecrypt, Problem>;
using UserDecryptRead = std::variant<core::UserDecrypt, Problem>;

// POST /v2/public-decrypt.
[[nodiscard]] PublicDecryptRead readPublicDecrypt(std::string_view body,
                                                  const RequestLimits &limits = {});

// POST /v2/user-decrypt: a DirectUserDecrypt.
[[nodiscard]] UserDecryptRead readUserDecrypt(std::string_view body, std::uint64_t now,
                                              const RequestLimits &limits = {});

// POST /v2/delegated-user-decrypt: a DelegatedUserDecrypt.
[[nodiscard]] UserDecryptRead readDelegatedUserDecrypt(std::string_view body, std::uint64_t now,
                                                       const RequestLimits &limits = {});

// POST /v3/user-decrypt: a UnifiedUserDecrypt. Whether the signature is right is for others to see.
[[nodiscard]] UserDecryptRead readUnifiedUserDecrypt(std::string_view body, std::uint64_t now,
                                                     const RequestLimits &limits = {});
}  // namespace relayer::wire
