// Where a request comes from, as W3C's Trace Context says it: `traceparent`, version 00.
//
//     00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//        trace                            span             flags: 1 is "sampled"
//
// Pure: random bytes come in as arguments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
struct TraceContext
{
    std::string traceId;  // 32 digits
    std::string spanId;   // 16 digits
    bool sampled = false;
};

// Nothing for what the standard calls invalid. Of a later version what this one knows is taken.
[[nodiscard]] std::optional<TraceContext> parseTraceparent(std::string_view text);
[[nodiscard]] std::string traceparent(const TraceContext &context);

using TraceRandom = std::array<std::uint8_t, 24>;
// A span of ours: in the caller's trace, or in a new one.
[[nodiscard]] TraceContext ownSpan(const std::optional<TraceContext> &caller,
                                   const TraceRandom &random);
}  // namespace relayer::core
