// How long a client would like its poll to be held: `Prefer: wait=N` (RFC 7240) or `?wait=N`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace relayer::wire
{
// The seconds of the first `wait` in a Prefer header. What can not be read is as if it were not
// there, as the RFC has it: a preference never fails a request.
[[nodiscard]] std::optional<std::uint64_t> preferredWait(std::string_view prefer);
// The same for the value of the parameter.
[[nodiscard]] std::optional<std::uint64_t> secondsFrom(std::string_view digits);
}  // namespace relayer::wire
