#include "controllers/places.h"

#include "controllers/plugin_for.h"

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
