// An answer without the id of the exchange that it was given in: for whoever asks the same again,
// when nothing else of it can change.
#pragma once

#include "wire/envelope.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::wire
{
struct Stencil
{
    int status = 500;
    std::string before;  // the id
    std::string after;

    [[nodiscard]] std::size_t bytes() const { return before.size() + after.size(); }
};

// Nothing of an answer that says when to come again, or does not name this id where answers do.
[[nodiscard]] std::optional<Stencil> stencilOf(const Answer &answer, std::string_view requestId);
// `requestId` as it is: one that was found sane needs no escapes.
[[nodiscard]] Answer answerFrom(const Stencil &stencil, std::string_view requestId);
}  // namespace relayer::wire
