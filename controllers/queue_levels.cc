// The queues. A part of operations.h.
#include "controllers/operations.h"
#include "controllers/plugin_for.h"
#include "plugins/readiness_gate.h"
#include "plugins/tx_throttler.h"

#include <vector>

namespace relayer::controllers
{
namespace
{
wire::QueueView beforeReadiness(core::Kind kind, std::string_view name)
{
    const auto now = pluginFor<plugins::ReadinessGate>().snapshot(kind);
    wire::QueueView view{
        name, kind, now.line.waiting, now.line.reserved, now.line.capacity, now.line.softLimit};
    view.maxConcurrency = pluginFor<plugins::ReadinessGate>().maxConcurrency(kind);
    view.checking = now.checks.checking;
    return view;
}

wire::QueueView beforeTheChain(core::Kind kind, std::string_view name)
{
    const auto now = pluginFor<plugins::TxThrottler>().snapshot(kind);
    return {name, kind, now.waiting, now.reserved, now.capacity, now.softLimit, now.perSecond};
}
}  // namespace

std::string queueLevels()
{
    using core::Kind;
    const std::vector<wire::QueueView> queues = {
        beforeTheChain(Kind::InputProof, "input_proof_tx_throttler"),
        beforeTheChain(Kind::UserDecrypt, "user_decrypt_tx_throttler"),
        beforeTheChain(Kind::PublicDecrypt, "public_decrypt_tx_throttler"),
        beforeReadiness(Kind::UserDecrypt, "user_decrypt_readiness_throttler"),
        beforeReadiness(Kind::PublicDecrypt, "public_decrypt_readiness_throttler")};
    return wire::queueList(queues);
}
}  // namespace relayer::controllers
