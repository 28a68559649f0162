#include "plugins/tx_signing.h"

#include <atomic>
#include <coroutine>
#include <utility>

namespace relayer::plugins
{
namespace
{
// Waits for as many signatures as there are digests. A key in memory answers before sign() returns,
// a service on whatever thread it has.
class Signatures
{
  public:
    Signatures(std::shared_ptr<TxContext> context, std::vector<core::Hash32> digests)
        : context_(std::move(context)),
          digests_(std::move(digests)),
          shared_(std::make_shared<Shared>(digests_.size()))
    {}

    [[nodiscard]] bool await_ready() const { return digests_.empty(); }

    void await_suspend(std::coroutine_handle<> caller)
    {
        // The caller, and this object with it, may be gone once the last answer is there.
        const auto shared = shared_;
        const auto context = context_;
        const auto digests = digests_;
        for (std::size_t i = 0; i < digests.size(); ++i)
        {
            context->signer->sign(digests[i], [shared, context, caller, i](auto answer) {
                shared->answers[i] = std::move(answer);
                if (shared->missing.fetch_sub(1) == 1)
                {
                    models::CallsIntoLoops::call(context->loop, [caller] { caller.resume(); });
                }
            });
        }
    }

    std::vector<chain::Signer::Signed> await_resume() { return std::move(shared_->answers); }

  private:
    struct Shared
    {
        explicit Shared(std::size_t count) : answers(count), missing(count) {}
        std::vector<chain::Signer::Signed> answers;
        std::atomic<std::size_t> missing;
    };

    const std::shared_ptr<TxContext> context_;
    const std::vector<core::Hash32> digests_;
    const std::shared_ptr<Shared> shared_;
};
}  // namespace

drogon::Task<std::vector<models::TxVersion>> sign(std::shared_ptr<TxContext> context,
                                                  std::vector<chain::Transaction> transactions)
{
    std::vector<core::Hash32> digests;
    digests.reserve(transactions.size());
    for (const chain::Transaction &transaction : transactions)
    {
        digests.push_back(chain::signingDigest(transaction));
    }
    Signatures signatures(context, std::move(digests));
    const std::vector<chain::Signer::Signed> answers = co_await signatures;
    std::vector<models::TxVersion> versions;
    versions.reserve(transactions.size());
    for (std::size_t i = 0; i < answers.size(); ++i)
    {
        if (const auto *failed = std::get_if<chain::Signer::Failed>(&answers[i]))
        {
            throw SigningFailed(failed->why);
        }
        const chain::Transaction &transaction = transactions[i];
        models::TxVersion version;
        version.raw = chain::encode(transaction, std::get<chain::Signature>(answers[i]));
        version.hash = chain::transactionHash(version.raw);
        version.maxFeePerGas = transaction.maxFeePerGas.str();
        version.maxPriorityFeePerGas =
            transaction.maxPriorityFeePerGas.value_or(transaction.maxFeePerGas).str();
        version.gasLimit = transaction.gasLimit;
        versions.push_back(std::move(version));
    }
    co_return versions;
}

chain::Fees feesOf(const chain::Transaction &transaction)
{
    return {transaction.maxFeePerGas, transaction.maxPriorityFeePerGas};
}

void offer(chain::Transaction &transaction, const chain::Fees &fees)
{
    transaction.maxFeePerGas = fees.maxFeePerGas;
    transaction.maxPriorityFeePerGas = fees.maxPriorityFeePerGas;
}
}  // namespace relayer::plugins
