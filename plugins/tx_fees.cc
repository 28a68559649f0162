#include "plugins/tx_fees.h"

namespace relayer::plugins
{
namespace
{
constexpr std::chrono::seconds kFresh{1};
// Old fees are better than none: a transaction that offers too little is replaced.
constexpr std::chrono::seconds kUsable{60};
constexpr std::uint64_t kBlocks = 10;
constexpr double kPercentile = 20.0;
}  // namespace

drogon::Task<chain::Fees> TxFees::current()
{
    const TimePoint now = Clock::now();
    if (last_ && now - lastAt_ < kFresh)
    {
        co_return *last_;
    }
    try
    {
        const chain::Fees fees = co_await ask();
        last_ = fees;
        lastAt_ = Clock::now();
        co_return fees;
    }
    catch (const chain::rpc::RpcError &)
    {
        if (!last_ || now - lastAt_ > kUsable)
        {
            throw;
        }
    }
    co_return *last_;
}

drogon::Task<chain::Fees> TxFees::ask()
{
    const auto node = context_->node;
    chain::rpc::FeeHistory history;
    try
    {
        history = co_await node->feeHistory(kBlocks, kPercentile);
    }
    catch (const chain::rpc::RpcError &error)
    {
        // A chain without EIP-1559 may not know the method; the block tells.
        if (error.kind() == chain::rpc::RpcError::Kind::Transport ||
            error.kind() == chain::rpc::RpcError::Kind::Timeout)
        {
            throw;
        }
    }
    std::vector<chain::Uint256> rewards;
    for (const auto &block : history.rewards)
    {
        if (!block.empty())
        {
            rewards.push_back(block.front());
        }
    }
    if (!history.baseFees.empty() && history.baseFees.back() != 0)
    {
        co_return chain::suggestFees(history.baseFees.back(), std::move(rewards));
    }
    const auto latest = co_await node->latestBlock();
    if (latest && latest->baseFee)
    {
        co_return chain::suggestFees(*latest->baseFee, std::move(rewards));
    }
    chain::Fees legacy;
    legacy.maxFeePerGas = co_await node->gasPrice();
    co_return legacy;
}
}  // namespace relayer::plugins
