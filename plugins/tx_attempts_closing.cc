// The second half of TxAttempts: replacements, nonces that others took, and requests given up.

#include "chain/fees.h"
#include "chain/transaction.h"
#include "plugins/tx_attempts.h"
#include "plugins/tx_signing.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
namespace
{
using chain::rpc::RpcError;
using std::chrono::seconds;

constexpr std::uint64_t kGasOfATransfer = 21'000;
constexpr seconds kTryAgain{1};

chain::Fees raisedOrSame(const chain::Fees &last, const chain::Fees &usual,
                         const TxOptions &options)
{
    return chain::raiseFees(last, usual, options.feeBumpPercent, options.maxFeePerGas)
        .value_or(last);
}
// The tick comes back to it.
void putOff(const Attempt &attempt, const std::exception &error)
{
    LOG_DEBUG << "step=put_off attempt=" << attempt.id << " why=" << error.what();
}
}  // namespace

drogon::AsyncTask TxAttempts::bump(AttemptPtr attempt)
{
    const TxOptions &options = context_->options;
    attempt->bumpAt = Clock::now() + options.feeBumpAfter;
    attempt->sending = true;
    try
    {
        const auto pass = context_->gate.enter();
        const auto last = chain::decodeTransaction(attempt->versions.back().raw);
        const chain::Fees usual = co_await fees_->current();
        if (last)
        {
            const auto raised = chain::raiseFees(feesOf(last->transaction), usual,
                                                 options.feeBumpPercent, options.maxFeePerGas);
            if (!raised)
            {
                LOG_WARN << "step=fee_cap_reached alert=true attempt=" << attempt->id
                         << " nonce=" << attempt->nonce;
            }
            else
            {
                std::vector<chain::Transaction> transactions{last->transaction};
                offer(transactions.front(), *raised);
                auto versions = co_await sign(context_, std::move(transactions));
                models::TxVersion version = std::move(versions.front());
                version.noOp = attempt->versions.back().noOp;
                const bool added = co_await resumedOn(
                    context_->loop, context_->lanes->addVersion(context_->hold(), attempt->id,
                                                                version, std::nullopt));
                if (!added)
                {
                    notOurs(attempt);
                    co_return;
                }
                LOG_INFO << "step=fees_raised attempt=" << attempt->id
                         << " nonce=" << attempt->nonce
                         << " version=" << attempt->versions.size() + 1;
                attempt->versions.push_back(std::move(version));
                attempt->sendAt = TimePoint();
            }
        }
    }
    catch (const RpcError &error)
    {
        putOff(*attempt, error);
    }
    catch (const SigningFailed &error)
    {
        LOG_ERROR << "step=signing_failed alert=true why=" << error.what();
    }
    catch (const models::StoreError &error)
    {
        putOff(*attempt, error);
    }
    attempt->sending = false;
    if (isOpen(attempt) && !attempt->over() && attempt->sendAt == TimePoint())
    {
        send(attempt);
    }
}

drogon::AsyncTask TxAttempts::checkNonce(AttemptPtr attempt)
{
    attempt->sending = true;
    bool consumed = false;
    try
    {
        const auto pass = context_->gate.enter();
        const auto count =
            co_await context_->node->transactionCount(context_->signer->address(), "latest");
        const bool beyond = count > static_cast<std::uint64_t>(attempt->nonce);
        attempt->suspect = beyond;
        consumed = attempt->sightings.saw(beyond);
    }
    catch (const RpcError &error)
    {
        putOff(*attempt, error);
    }
    catch (const models::StoreError &error)
    {
        putOff(*attempt, error);
    }
    attempt->sending = false;
    if (!isOpen(attempt) || attempt->over() || !consumed)
    {
        co_return;
    }
    LOG_WARN << "step=nonce_consumed alert=true attempt=" << attempt->id
             << " nonce=" << attempt->nonce
             << ": a transaction that is not ours took it; is the key used elsewhere?";
    attempt->consumed = true;
    land(attempt);
}

// The node says that this payload can not be mined. That is believed when nothing of it was ever
// taken by a node, as far as we know.
drogon::AsyncTask TxAttempts::refuse(AttemptPtr attempt, core::Failure failure)
{
    bool known = attempt->mayBeInPool;
    if (!known)
    {
        attempt->sending = true;
        try
        {
            const auto pass = context_->gate.enter();
            const core::Hash32 hash = attempt->versions.back().hash;
            known = co_await context_->node->knowsTransaction(hash);
        }
        catch (const RpcError &error)
        {
            known = error.kind() == RpcError::Kind::Transport ||
                    error.kind() == RpcError::Kind::Timeout || error.kind() == RpcError::Kind::Busy;
        }
        catch (const models::StoreError &)
        {
            co_return;
        }
        attempt->sending = false;
    }
    if (!isOpen(attempt) || attempt->over())
    {
        co_return;
    }
    if (attempt->closing)
    {
        // A no-op that is refused: all that is left is to try again, slowly.
        attempt->sendAt = Clock::now() + context_->options.retryInterval;
        co_return;
    }
    attempt->mayBeInPool = known;
    giveUp(attempt, std::move(failure));
}

// A transfer of nothing to ourselves at the attempt's nonce, worth more to a node than what it is
// to replace.
drogon::Task<models::TxVersion> TxAttempts::noOpFor(AttemptPtr attempt)
{
    const TxOptions &options = context_->options;
    chain::Transaction noOp;
    noOp.chainId = options.chainId;
    noOp.nonce = static_cast<std::uint64_t>(attempt->nonce);
    noOp.to = context_->signer->address();
    noOp.gasLimit = kGasOfATransfer;
    const chain::Fees usual = co_await fees_->current();
    const auto last = chain::decodeTransaction(attempt->versions.back().raw);
    offer(noOp, last ? raisedOrSame(feesOf(last->transaction), usual, options) : usual);
    try
    {
        chain::rpc::Call call;
        call.from = noOp.to;
        call.to = noOp.to;
        const auto gas = co_await context_->node->estimateGas(std::move(call));
        noOp.gasLimit = std::max(kGasOfATransfer, chain::gasLimitFor(gas, options.gasLimitPercent));
    }
    catch (const RpcError &error)
    {
        LOG_DEBUG << "step=no_op_not_estimated why=" << error.what();
    }
    std::vector<chain::Transaction> transactions{std::move(noOp)};
    std::vector<models::TxVersion> versions = co_await sign(context_, std::move(transactions));
    versions.front().noOp = true;
    co_return std::move(versions.front());
}

drogon::AsyncTask TxAttempts::giveUp(AttemptPtr attempt, core::Failure failure)
{
    attempt->sending = true;
    attempt->sendAt = Clock::now() + kTryAgain;
    try
    {
        const auto pass = context_->gate.enter();
        models::TxVersion version = co_await noOpFor(attempt);
        const bool added = co_await resumedOn(
            context_->loop,
            context_->lanes->addVersion(context_->hold(), attempt->id, version, failure));
        if (!added)
        {
            notOurs(attempt);
            co_return;
        }
        attempt->versions.push_back(std::move(version));
        attempt->closing = std::move(failure);
        attempt->sendsBeforeClosing = attempt->sends;
    }
    catch (const SigningFailed &error)
    {
        LOG_ERROR << "step=signing_failed alert=true why=" << error.what();
    }
    catch (const std::exception &error)
    {
        putOff(*attempt, error);
    }
    attempt->sending = false;
    if (!attempt->closing || !isOpen(attempt) || attempt->over())
    {
        co_return;  // act() comes back to it
    }
    LOG_INFO << "step=giving_up attempt=" << attempt->id << " nonce=" << attempt->nonce
             << " code=" << core::name(attempt->closing->code);
    if (!attempt->mayBeInPool)
    {
        failRequest(attempt);
    }
    send(attempt);
}

drogon::AsyncTask TxAttempts::failRequest(AttemptPtr attempt)
{
    if (attempt->requestEnded || !attempt->outgoing || !attempt->closing)
    {
        co_return;
    }
    try
    {
        const auto pass = context_->gate.enter();
        core::Failure failure = *attempt->closing;
        static_cast<void>(co_await failTransaction(attempt, std::move(failure)));
        attempt->requestEnded = true;
    }
    catch (const models::StoreError &error)
    {
        putOff(*attempt, error);
    }
}
}  // namespace relayer::plugins
