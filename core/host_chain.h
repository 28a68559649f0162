// Whether the handles of a request are of host chains that we serve.
#pragma once

#include "core/decrypt.h"

#include <cstdint>
#include <optional>
#include <set>

namespace relayer::core
{
using ChainIds = std::set<std::uint64_t>;

// The chain of the first handle whose chain is not among those that are supported.
[[nodiscard]] std::optional<std::uint64_t> firstUnsupportedChain(const PublicDecrypt &request,
                                                                 const ChainIds &supported);
[[nodiscard]] std::optional<std::uint64_t> firstUnsupportedChain(const UserDecrypt &request,
                                                                 const ChainIds &supported);
}  // namespace relayer::core
