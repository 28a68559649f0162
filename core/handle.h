// What a handle of an encrypted value says of itself.
#pragma once

#include "core/content_hash.h"

#include <cstddef>
#include <cstdint>

namespace relayer::core
{
// The host chain that the value lives on: eight bytes, big-endian, before type and version.
[[nodiscard]] constexpr std::uint64_t hostChainOf(const Hash32 &handle)
{
    constexpr std::size_t begin = 22;
    constexpr std::size_t end = 30;
    std::uint64_t id = 0;
    for (std::size_t i = begin; i < end; ++i)
    {
        id = id << 8U | handle.at(i);
    }
    return id;
}
}  // namespace relayer::core
