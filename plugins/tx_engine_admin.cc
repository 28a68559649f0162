// What operators ask of the engine. A part of tx_engine.h.
#include "plugins/tx_engine.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
using chain::rpc::RpcError;

void TxEngine::pauseLane(bool paused)
{
    queue([this, paused] {
        if (std::exchange(pausedByAdmin_, paused) == paused)
        {
            return;
        }
        LOG_WARN << "step=lane_" << (paused ? "paused" : "resumed")
                 << "_by_admin lane=" << laneName_;
        publish();
        if (!paused)
        {
            wakeAll();
        }
    });
}

drogon::Task<std::optional<std::string>> TxEngine::balanceOf(core::Address account)
{
    std::shared_ptr<TxContext> context;
    {
        const std::lock_guard lock(door_);
        context = open_ ? context_ : nullptr;
    }
    if (!context)
    {
        co_return std::nullopt;
    }
    try
    {
        const auto pass = context->gate.enter();
        co_await drogon::switchThreadCoro(context->loop);
        const chain::Uint256 wei = co_await context->node->balance(account);
        co_return wei.str();
    }
    catch (const RpcError &error)
    {
        LOG_DEBUG << "step=balance_not_known why=" << error.what();
    }
    catch (const models::StoreError &)
    {
        LOG_DEBUG << "step=balance_not_known: stopping";
    }
    co_return std::nullopt;
}
}  // namespace relayer::plugins
