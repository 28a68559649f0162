#include "plugins/wallet_watch.h"

#include "chain/abi.h"
#include "chain/rpc/error.h"
#include "chain/uint256.h"

#include <trantor/utils/Logger.h>

#include <string>
#include <utility>

namespace relayer::plugins
{
using chain::Uint256;
using chain::rpc::Node;
using drogon::Task;

namespace
{
constexpr std::uint32_t kBalanceOf = 0x70a08231;
constexpr std::uint32_t kAllowance = 0xdd62ed3e;
constexpr double kDecimals = 1e18;

double whole(const Uint256 &number)
{
    return number.convert_to<double>() / kDecimals;
}

Task<std::optional<double>> numberOf(std::shared_ptr<Node> node, core::Address token,
                                     core::Bytes input)
{
    chain::rpc::Call call;
    call.to = token;
    call.input = std::move(input);
    const std::string latest = "latest";
    const core::Bytes answer = co_await node->call(std::move(call), latest);
    const auto number = chain::fromBigEndian(answer);
    co_return number && !answer.empty() ? std::optional(whole(*number)) : std::nullopt;
}
}  // namespace

Task<> WalletWatch::look(std::shared_ptr<WalletWatch> self, std::shared_ptr<Node> node,
                         core::Address account)
{
    Snapshot found;
    try
    {
        found.gas = whole(co_await node->balance(account));
        if (self->contracts_.feeToken)
        {
            const core::Address token = *self->contracts_.feeToken;
            core::Bytes balance = chain::abi::TupleWriter().address(account).call(kBalanceOf);
            found.fees = co_await numberOf(node, token, std::move(balance));
            if (self->contracts_.protocolPayment)
            {
                core::Bytes allowance = chain::abi::TupleWriter()
                                            .address(account)
                                            .address(*self->contracts_.protocolPayment)
                                            .call(kAllowance);
                found.allowance = co_await numberOf(node, token, std::move(allowance));
            }
        }
    }
    catch (const chain::rpc::RpcError &error)
    {
        LOG_DEBUG << "step=wallet_not_known why=" << error.what();
    }
    const std::lock_guard lock(self->mutex_);
    self->snapshot_ = found;
}

WalletWatch::Snapshot WalletWatch::snapshot() const
{
    const std::lock_guard lock(mutex_);
    return snapshot_;
}
}  // namespace relayer::plugins
