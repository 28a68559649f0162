#include "wire/stencil.h"

namespace relayer::wire
{
std::optional<Stencil> stencilOf(const Answer &answer, std::string_view requestId)
{
    constexpr std::string_view kBefore = R"("requestId":")";
    // The second member of every body of ours; the first is one of three words.
    const std::size_t at = answer.body.find(kBefore);
    if (at == std::string::npos || answer.retryAfterSeconds)
    {
        return std::nullopt;
    }
    const std::size_t start = at + kBefore.size();
    const std::string_view from = std::string_view(answer.body).substr(start);
    if (!from.starts_with(requestId) || !from.substr(requestId.size()).starts_with('"'))
    {
        return std::nullopt;
    }
    Stencil stencil;
    stencil.status = answer.status;
    stencil.before = answer.body.substr(0, start);
    stencil.after = answer.body.substr(start + requestId.size());
    return stencil;
}

Answer answerFrom(const Stencil &stencil, std::string_view requestId)
{
    Answer answer;
    answer.status = stencil.status;
    answer.body.reserve(stencil.bytes() + requestId.size());
    answer.body.append(stencil.before).append(requestId).append(stencil.after);
    return answer;
}
}  // namespace relayer::wire
