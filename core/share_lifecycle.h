// The way of a scheduled share, as data: every legal change of its state stands in one table, here.
// The SQL guards (models/share_sql.h) are made from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace relayer::core
{
// The numbers are the requirement's.
enum class ShareState : std::uint8_t
{
    Received = 0,   // waits for its time
    Witnessed = 1,  // taken: it is proved, sent, or looked for in a block
    Submitted = 2,  // on the chain
    Failed = 3,
};

enum class ShareTransition : std::uint8_t
{
    Take,      // its time has come
    Submit,    // seen in a block, or there already
    Retry,     // an attempt failed; the next one waits
    Fail,      // for good
    GiveBack,  // nothing was wrong with it: a stop, a crash, a chain that is away
};

inline constexpr std::size_t kShareStates = 4;
inline constexpr std::size_t kShareTransitions = 5;

inline constexpr std::array<ShareState, kShareStates> kAllShareStates = {
    ShareState::Received, ShareState::Witnessed, ShareState::Submitted, ShareState::Failed};
inline constexpr std::array<ShareTransition, kShareTransitions> kAllShareTransitions = {
    ShareTransition::Take, ShareTransition::Submit, ShareTransition::Retry, ShareTransition::Fail,
    ShareTransition::GiveBack};

struct ShareEdge
{
    ShareTransition transition;
    ShareState from;
    ShareState to;
};

inline constexpr auto kShareEdges = std::to_array<ShareEdge>({
    {ShareTransition::Take, ShareState::Received, ShareState::Witnessed},
    {ShareTransition::Submit, ShareState::Witnessed, ShareState::Submitted},
    {ShareTransition::Retry, ShareState::Witnessed, ShareState::Received},
    {ShareTransition::Fail, ShareState::Witnessed, ShareState::Failed},
    {ShareTransition::GiveBack, ShareState::Witnessed, ShareState::Received},
});

[[nodiscard]] constexpr bool isTerminal(ShareState state)
{
    return state == ShareState::Submitted || state == ShareState::Failed;
}

// The row of the table; each transition has one.
[[nodiscard]] constexpr ShareEdge edgeOf(ShareTransition transition)
{
    return kShareEdges.at(static_cast<std::size_t>(transition));
}

[[nodiscard]] constexpr std::optional<ShareState> next(ShareState state, ShareTransition transition)
{
    const ShareEdge edge = edgeOf(transition);
    return edge.from == state ? std::optional(edge.to) : std::nullopt;
}

// Whether it counts against the budget of the share.
[[nodiscard]] constexpr bool costsAnAttempt(ShareTransition transition)
{
    return transition == ShareTransition::Retry || transition == ShareTransition::Fail;
}

// As they stand in the database, in logs and in metrics.
[[nodiscard]] std::string_view name(ShareState state);
[[nodiscard]] std::string_view name(ShareTransition transition);
[[nodiscard]] std::optional<ShareState> parseShareState(std::string_view text);
}  // namespace relayer::core
