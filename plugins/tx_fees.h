// What gas costs now, asked of the node at most once a second, whoever wants to know.
#pragma once

#include "chain/fees.h"
#include "plugins/tx_context.h"

namespace relayer::plugins
{
class TxFees
{
  public:
    explicit TxFees(std::shared_ptr<TxContext> context) : context_(std::move(context)) {}

    // Throws RpcError when the node has nothing to say, and has not had lately.
    drogon::Task<chain::Fees> current();

  private:
    drogon::Task<chain::Fees> ask();

    const std::shared_ptr<TxContext> context_;
    std::optional<chain::Fees> last_;
    TimePoint lastAt_;
};
}  // namespace relayer::plugins
