#include "core/trace_context.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace relayer::core
{
namespace
{
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;
constexpr std::size_t kLength = 2 + 1 + kTraceDigits + 1 + kSpanDigits + 1 + 2;

bool isHex(std::string_view text)
{
    return text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool isZero(std::string_view text)
{
    return text.find_first_not_of('0') == std::string_view::npos;
}

// All zeros would be no id.
std::string idFrom(std::span<const std::uint8_t> bytes)
{
    std::string id;
    for (const std::uint8_t byte : bytes)
    {
        id.push_back(kDigits[byte >> 4U]);
        id.push_back(kDigits[byte & 15U]);
    }
    if (isZero(id))
    {
        id.back() = '1';
    }
    return id;
}
}  // namespace

std::optional<TraceContext> parseTraceparent(std::string_view text)
{
    if (text.size() < kLength || text[2] != '-' || text[35] != '-' || text[52] != '-')
    {
        return std::nullopt;
    }
    const std::string_view version = text.substr(0, 2);
    const std::string_view trace = text.substr(3, kTraceDigits);
    const std::string_view span = text.substr(36, kSpanDigits);
    const std::string_view flags = text.substr(53, 2);
    const bool longer = text.size() > kLength;
    if (!isHex(version) || version == "ff" || !isHex(trace) || isZero(trace) || !isHex(span) ||
        isZero(span) || !isHex(flags) || (longer && (version == "00" || text[kLength] != '-')))
    {
        return std::nullopt;
    }
    TraceContext context;
    context.traceId = trace;
    context.spanId = span;
    context.sampled = (kDigits.find(flags[1]) & 1U) != 0;
    return context;
}

std::string traceparent(const TraceContext &context)
{
    return "00-" + context.traceId + "-" + context.spanId + (context.sampled ? "-01" : "-00");
}

TraceContext ownSpan(const std::optional<TraceContext> &caller, const TraceRandom &random)
{
    const std::span<const std::uint8_t> bytes(random);
    TraceContext own;
    own.traceId = caller ? caller->traceId : idFrom(bytes.first(kTraceDigits / 2));
    own.spanId = idFrom(bytes.last(kSpanDigits / 2));
    own.sampled = caller && caller->sampled;
    return own;
}
}  // namespace relayer::core
