// From a name back to its enumerator, for enums whose names stand in an array in their order.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace relayer::core
{
template <typename Value, std::size_t Size>
[[nodiscard]] std::optional<Value> valueNamed(const std::array<std::string_view, Size> &names,
                                              std::string_view text)
{
    for (std::size_t i = 0; i < Size; ++i)
    {
        if (names[i] == text)
        {
            return static_cast<Value>(i);
        }
    }
    return std::nullopt;
}
}  // namespace relayer::core
