// What the account that sends our transactions can still pay: gas, and the fee of the protocol. For
// whoever watches; nothing is decided by it. Of one loop; the snapshot may be read anywhere.
#pragma once

#include "chain/rpc/node.h"
#include "core/address.h"

#include <drogon/utils/coroutine.h>

#include <memory>
#include <mutex>
#include <optional>

namespace relayer::plugins
{
class WalletWatch
{
  public:
    struct Contracts
    {
        std::optional<core::Address> feeToken;
        std::optional<core::Address> protocolPayment;
    };
    // In whole coins and tokens of 18 decimals. Nothing: it is not known.
    struct Snapshot
    {
        std::optional<double> gas;
        std::optional<double> fees;
        std::optional<double> allowance;
    };

    explicit WalletWatch(Contracts contracts) : contracts_(contracts) {}

    // Asks the node; on its loop, one at a time. What it does not say is not known any more.
    static drogon::Task<> look(std::shared_ptr<WalletWatch> self,
                               std::shared_ptr<chain::rpc::Node> node, core::Address account);
    [[nodiscard]] Snapshot snapshot() const;

  private:
    const Contracts contracts_;
    mutable std::mutex mutex_;
    Snapshot snapshot_;
};
}  // namespace relayer::plugins
