// The bytes of an event stream (text/event-stream, as HTML has it). The id of an event is the
// status that it tells, so whoever comes back with it is told only what has changed since.
#pragma once

#include "core/lifecycle.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace relayer::wire
{
// Opens a stream: when a client that lost it comes back.
[[nodiscard]] std::string streamOpening(std::int64_t retrySeconds);
// `body` is what a poll answers, in one line.
[[nodiscard]] std::string statusEvent(core::Status status, std::string_view body);
// For proxies and clients that take silence for death; and why a stream ends. One line.
[[nodiscard]] std::string streamComment(std::string_view text);
}  // namespace relayer::wire
