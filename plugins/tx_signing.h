// Makes signed bytes out of transactions, whoever holds the key.
#pragma once

#include "chain/fees.h"
#include "chain/transaction.h"
#include "plugins/tx_context.h"

#include <stdexcept>
#include <vector>

namespace relayer::plugins
{
class SigningFailed : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

// All of them at once; in their order, on the given loop. Throws SigningFailed when one failed.
drogon::Task<std::vector<models::TxVersion>> sign(std::shared_ptr<TxContext> context,
                                                  std::vector<chain::Transaction> transactions);

// The fees of a version that was stored.
[[nodiscard]] chain::Fees feesOf(const chain::Transaction &transaction);
void offer(chain::Transaction &transaction, const chain::Fees &fees);
}  // namespace relayer::plugins
