#include "controllers/places.h"

#include "controllers/plugin_for.h"
#include "plugins/readiness_gate.h"

#include <utility>

namespace relayer::controllers
{
std::optional<Places> reservePlaces(core::Kind kind)
{
    auto slot = pluginFor<plugins::TxThrottler>().reserve(kind);
    return slot ? std::optional<Places>(std::in_place, std::move(*slot)) : std::nullopt;
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
    pluginFor<plugins::ReadinessGate>().accept(request);
}
}  // namespace relayer::controllers
