#include "chain/fees.h"

#include <algorithm>
#include <limits>

namespace relayer::chain
{
namespace
{
// Every input fits 128 bits in practice; a node that says otherwise must not make arithmetic throw.
const Uint256 &mostPerGas()
{
    static const Uint256 most = Uint256(1) << 128;
    return most;
}

Uint256 sane(const Uint256 &fee)
{
    return std::min(fee, mostPerGas());
}

Uint256 median(std::vector<Uint256> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    if (values.size() % 2 == 1)
    {
        return values[middle];
    }
    return (values[middle - 1] + values[middle]) / 2;
}

Uint256 raised(const Uint256 &fee, std::uint64_t percent)
{
    // Rounded up: a node compares exactly, and 10 % of 8 wei would be nothing.
    return (fee * (100 + percent) + 99) / 100;
}
}  // namespace

Fees suggestFees(const Uint256 &baseFee, std::vector<Uint256> rewards)
{
    rewards.erase(std::remove(rewards.begin(), rewards.end(), Uint256(0)), rewards.end());
    std::transform(rewards.begin(), rewards.end(), rewards.begin(), sane);
    const Uint256 priority =
        rewards.empty() ? Uint256(1) : std::max(median(std::move(rewards)), Uint256(1));
    return {sane(baseFee) * 2 + priority, priority};
}

std::optional<Fees> raiseFees(const Fees &last, const Fees &usual, std::uint64_t percent,
                              const Uint256 &cap)
{
    Fees next;
    const Uint256 least = raised(sane(last.maxFeePerGas), percent);
    next.maxFeePerGas = std::max(least, sane(usual.maxFeePerGas));
    if (next.maxFeePerGas > cap)
    {
        next.maxFeePerGas = cap;
    }
    if (next.maxFeePerGas < least)
    {
        return std::nullopt;
    }
    if (last.maxPriorityFeePerGas)
    {
        const Uint256 priority = raised(sane(*last.maxPriorityFeePerGas), percent);
        const Uint256 now =
            usual.maxPriorityFeePerGas ? sane(*usual.maxPriorityFeePerGas) : priority;
        next.maxPriorityFeePerGas = std::min(std::max(priority, now), next.maxFeePerGas);
    }
    return next;
}

std::uint64_t gasLimitFor(std::uint64_t estimate, std::uint64_t percent)
{
    const Uint256 limit = Uint256(estimate) * percent / 100;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return limit > most ? most : static_cast<std::uint64_t>(limit);
}
}  // namespace relayer::chain
