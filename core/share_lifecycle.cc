#include "core/share_lifecycle.h"

#include "core/names.h"

namespace relayer::core
{
namespace
{
constexpr std::array<std::string_view, kShareStates> kStateNames = {"received", "witnessed",
                                                                    "submitted", "failed"};
constexpr std::array<std::string_view, kShareTransitions> kTransitionNames = {
    "take", "submit", "retry", "fail", "give_back"};

constexpr bool eachTransitionStandsAtItsPlace()
{
    for (std::size_t i = 0; i < kShareTransitions; ++i)
    {
        if (kShareEdges.at(i).transition != static_cast<ShareTransition>(i))
        {
            return false;
        }
    }
    return kShareEdges.size() == kShareTransitions;
}

constexpr bool nothingLeavesAnEnd()
{
    for (const ShareEdge &edge : kShareEdges)
    {
        if (isTerminal(edge.from))
        {
            return false;
        }
    }
    return true;
}

static_assert(eachTransitionStandsAtItsPlace());
static_assert(nothingLeavesAnEnd());
}  // namespace

std::string_view name(ShareState state)
{
    return kStateNames.at(static_cast<std::size_t>(state));
}

std::string_view name(ShareTransition transition)
{
    return kTransitionNames.at(static_cast<std::size_t>(transition));
}

std::optional<ShareState> parseShareState(std::string_view text)
{
    return valueNamed<ShareState>(kStateNames, text);
}
}  // namespace relayer::core
