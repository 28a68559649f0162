// UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace relayer::wire
{
[[nodiscard]] bool isUtf8(std::string_view text);

// Of a Unicode scalar value.
void appendUtf8(std::string &out, std::uint32_t codePoint);
}  // namespace relayer::wire
