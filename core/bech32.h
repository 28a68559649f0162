// Bech32 (BIP 173), as chains of the Cosmos family write accounts.
#pragma once

#include "core/bytes.h"

#include <string>
#include <string_view>

namespace relayer::core
{
[[nodiscard]] std::string toBech32(std::string_view prefix, ByteView bytes);
}  // namespace relayer::core
