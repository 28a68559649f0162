#include "controllers/places.h"

#include "controllers/plugin_for.h"
#include "core/retry_after.h"

#include <algorithm>
#include <utility>

namespace relayer::controllers
{
std::optional<Places> reservePlaces(core::Kind kind)
{
    auto beforeTheChain = pluginFor<plugins::TxThrottler>().reserve(kind);
    const bool checked = kind != core::Kind::InputProof;
    auto beforeReadiness =
        checked ? pluginFor<plugins::ReadinessGate>().reserve(kind) : std::nullopt;
    if (!beforeTheChain || (checked && !beforeReadiness))
    {
        return std::nullopt;
    }
    return std::optional<Places>(std::in_place,
                                 Places{std::move(*beforeTheChain), std::move(beforeReadiness)});
}

namespace
{
// How many have to go before one more fits.
template <typename Snapshot>
std::size_t excessOf(const Snapshot &queue)
{
    const std::size_t withOneMore = queue.waiting + queue.reserved + 1;
    return withOneMore - std::min(withOneMore, queue.softLimit);
}
}  // namespace

// What leaves the readiness line goes into the queue before the chain, so that one sets the pace.
std::int64_t secondsUntilPlace(core::Kind kind)
{
    const auto beforeTheChain = pluginFor<plugins::TxThrottler>().snapshot(kind);
    std::size_t excess = excessOf(beforeTheChain);
    if (kind != core::Kind::InputProof)
    {
        const auto readiness = pluginFor<plugins::ReadinessGate>().snapshot(kind);
        excess = std::max(excess, excessOf(readiness.line));
    }
    return static_cast<std::int64_t>(
        core::secondsUntilRoom(core::RetryAfterSettings(), excess, beforeTheChain.perSecond));
}

// An input proof has nothing to wait for but its turn. A decryption waits for its readiness first,
// and takes a place in the queue behind that when it gets there: the one that it had here shows
// only that there was room.
void goOn(const plugins::RequestRef &request, Places places)
{
    if (request.kind == core::Kind::InputProof)
    {
        pluginFor<plugins::TxThrottler>().accept(std::move(places.beforeTheChain), request);
        return;
    }
    if (places.beforeReadiness)
    {
        pluginFor<plugins::ReadinessGate>().accept(std::move(*places.beforeReadiness), request);
    }
}
}  // namespace relayer::controllers
