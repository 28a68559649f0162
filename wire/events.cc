#include "wire/events.h"

#include <algorithm>

namespace relayer::wire
{
namespace
{
constexpr std::int64_t kMillis = 1000;
}  // namespace

std::string streamOpening(std::int64_t retrySeconds)
{
    return "retry: " + std::to_string(std::max<std::int64_t>(retrySeconds, 1) * kMillis) + "\n\n";
}

std::string statusEvent(core::Status status, std::string_view body)
{
    std::string text = "id: ";
    text.append(core::name(status)).append("\nevent: status\ndata: ").append(body).append("\n\n");
    return text;
}

std::string streamComment(std::string_view text)
{
    return ": " + std::string(text) + "\n\n";
}
}  // namespace relayer::wire
