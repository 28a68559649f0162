// What a check of the fuzzers says.
#pragma once

#include "core/bytes.h"

#include <string>

namespace relayer::fuzz
{
using Broken = const char *;
constexpr Broken kFine = nullptr;

inline std::string textOf(core::ByteView bytes)
{
    return {bytes.begin(), bytes.end()};
}
}  // namespace relayer::fuzz
