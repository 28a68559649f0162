// Where in a body something stands, as clients are told it: attestedPayload.handles[2].ctHandle.
// A path is a chain of places on the stack; its text is made only when there is a problem.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::wire
{
struct FieldPath
{
    const FieldPath *parent = nullptr;  // null: of the root
    std::string_view name;
    std::optional<std::size_t> index = std::nullopt;  // of an element; then there is no name

    [[nodiscard]] std::string text() const;
};

// Of the root.
inline constexpr const FieldPath *kRootPath = nullptr;

// A name that a client chose, short enough to be said back to it.
[[nodiscard]] std::string shortened(std::string_view name);
}  // namespace relayer::wire
