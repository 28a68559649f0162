// From a claimed row to a call that the chain would take: decoded, and its gas estimated.
//
// A revert ends the request here, before a nonce is spent. Lives on the engine's loop.
#pragma once

#include "core/failure.h"
#include "plugins/tx_context.h"

#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace relayer::plugins
{
// The row as what it asks of the chain; nothing when its payload can not be read.
[[nodiscard]] std::optional<Outgoing> outgoingFrom(const models::RequestRow &row,
                                                   const chain::GatewayContracts &contracts);

class TxPreparation
{
  public:
    struct Events
    {
        std::function<void(Outgoing)> ready;
        // The request has ended, or somebody else carries it; its place is free.
        std::function<void(const Outgoing &)> ended;
        // It has a transaction by now: one that was mined for nothing, and that the chain took
        // back.
        std::function<bool(models::RequestId)> isOnItsWay;
    };

    TxPreparation(std::shared_ptr<TxContext> context, Events events);

    void take(Outgoing outgoing);
    // Ends a request for a reason of ours, trying until the database has taken it.
    void fail(Outgoing outgoing, core::Failure failure, core::Transition transition);
    void tick(TimePoint now);
    // Lets go of all that does not end here; what a node still says of it is passed over.
    std::vector<models::RequestId> giveUp();

    [[nodiscard]] std::size_t waiting() const
    {
        return later_.size() + estimating_.size() + ending_;
    }

  private:
    struct Later
    {
        Outgoing outgoing;
        TimePoint at;
        std::optional<core::Failure> failure;
        core::Transition transition = core::Transition::FailTransaction;
    };

    // Whether there is nothing more to be done for it here.
    bool letsGo(const Outgoing &outgoing);
    drogon::AsyncTask estimate(Outgoing outgoing);
    drogon::AsyncTask end(Later failed);
    void retry(Outgoing outgoing, const char *why);
    void alertOfFunds();

    const std::shared_ptr<TxContext> context_;
    const Events events_;
    std::vector<Later> later_;
    std::set<models::RequestId> estimating_;
    std::size_t ending_ = 0;  // being written
    TimePoint fundsAlertAt_;
};
}  // namespace relayer::plugins
