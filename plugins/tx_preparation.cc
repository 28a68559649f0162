#include "plugins/tx_preparation.h"

#include "chain/fees.h"
#include "chain/send_answer.h"
#include "core/decrypt.h"
#include "core/input_proof.h"
#include "plugins/node_text.h"
#include "plugins/tx_alerts.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
namespace
{
using chain::rpc::RpcError;
using core::FailureCode;

bool lacksFunds(const RpcError &error)
{
    return error.kind() == RpcError::Kind::Rpc &&
           chain::classify({error.code, error.message, error.data.has_value()}) ==
               chain::SendAnswer::NoFunds;
}

// What an estimate that failed says of the request; nothing: ask again.
std::optional<core::Failure> failureOf(const RpcError &error)
{
    if (error.kind() != RpcError::Kind::Rpc)
    {
        return std::nullopt;
    }
    const core::ByteView data = error.data ? core::ByteView(*error.data) : core::ByteView();
    const chain::Revert revert = chain::decodeRevert(data, error.message);
    if (revert.selector == chain::kCiphertextMaterialNotFound)
    {
        return std::nullopt;
    }
    const auto answer = chain::classify({error.code, error.message, error.data.has_value()});
    if (answer == chain::SendAnswer::Busy || answer == chain::SendAnswer::NoFunds)
    {
        return std::nullopt;
    }
    return core::Failure{revert.code, "estimating gas: " + nodeText(error.message)};
}
}  // namespace

std::optional<Outgoing> outgoingFrom(const models::RequestRow &row,
                                     const chain::GatewayContracts &contracts)
{
    const auto kind = core::parseKind(row.getValueOfKind());
    if (!kind)
    {
        return std::nullopt;
    }
    const std::vector<char> &stored = row.getValueOfPayload();
    const core::Bytes payload(stored.begin(), stored.end());
    Outgoing outgoing;
    outgoing.request = row.getValueOfId();
    outgoing.kind = *kind;
    outgoing.to =
        *kind == core::Kind::InputProof ? contracts.inputVerification : contracts.decryption;
    switch (*kind)
    {
        case core::Kind::InputProof:
            if (const auto proof = core::decodeInputProof(payload))
            {
                outgoing.calldata = chain::calldata(*proof);
            }
            break;
        case core::Kind::PublicDecrypt:
            if (const auto request = core::decodePublicDecrypt(payload))
            {
                outgoing.calldata = chain::calldata(*request);
            }
            break;
        case core::Kind::UserDecrypt:
            if (const auto request = core::decodeUserDecrypt(payload))
            {
                outgoing.calldata = chain::calldata(*request);
            }
            break;
    }
    return outgoing.calldata.empty() ? std::nullopt : std::optional(std::move(outgoing));
}

TxPreparation::TxPreparation(std::shared_ptr<TxContext> context, Events events)
    : context_(std::move(context)), events_(std::move(events))
{}

void TxPreparation::take(Outgoing outgoing)
{
    estimate(std::move(outgoing));
}

void TxPreparation::fail(Outgoing outgoing, core::Failure failure, core::Transition transition)
{
    end({std::move(outgoing), TimePoint(), std::move(failure), transition});
}

void TxPreparation::tick(TimePoint now)
{
    std::vector<Later> due;
    const auto firstDue = std::partition(later_.begin(), later_.end(),
                                         [&](const Later &later) { return later.at > now; });
    std::move(firstDue, later_.end(), std::back_inserter(due));
    later_.erase(firstDue, later_.end());
    for (Later &later : due)
    {
        if (letsGo(later.outgoing))
        {
            continue;
        }
        if (later.failure)
        {
            end(std::move(later));
        }
        else
        {
            estimate(std::move(later.outgoing));
        }
    }
}

std::vector<models::RequestId> TxPreparation::giveUp()
{
    std::vector<models::RequestId> requests(estimating_.begin(), estimating_.end());
    estimating_.clear();
    std::erase_if(later_, [&requests](const Later &later) {
        if (!later.failure)
        {
            requests.push_back(later.outgoing.request);
        }
        return !later.failure;
    });
    return requests;
}

bool TxPreparation::letsGo(const Outgoing &outgoing)
{
    const bool isOnItsWay = events_.isOnItsWay(outgoing.request);
    if (isOnItsWay)
    {
        LOG_INFO << "step=on_its_way_again request=" << outgoing.request;
        events_.ended(outgoing);
    }
    return isOnItsWay;
}

drogon::AsyncTask TxPreparation::estimate(Outgoing outgoing)
{
    const auto context = context_;
    std::optional<core::Failure> failure;
    std::string retryBecause;
    estimating_.insert(outgoing.request);
    try
    {
        const auto pass = context->gate.enter();
        chain::rpc::Call call;
        call.from = context->signer->address();
        call.to = outgoing.to;
        call.input = outgoing.calldata;
        call.traceparent = context->traceparentOf(outgoing.request);
        ++outgoing.tries;
        const std::uint64_t gas = co_await context->node->estimateGas(std::move(call));
        outgoing.gasLimit = chain::gasLimitFor(gas, context->options.gasLimitPercent);
    }
    catch (const RpcError &error)
    {
        failure = failureOf(error);
        retryBecause = error.what();
        if (lacksFunds(error))
        {
            alertOfFunds();
            --outgoing.tries;  // which is not its fault
        }
    }
    catch (const models::StoreError &)
    {
        co_return;  // stopping: the row is the truth
    }
    if (estimating_.erase(outgoing.request) == 0)
    {
        co_return;  // given up meanwhile: it may be somebody else's by now
    }
    if (letsGo(outgoing))
    {
        co_return;
    }
    if (failure)
    {
        alertIfFeesAreShort(failure->code);
        fail(std::move(outgoing), std::move(*failure), core::Transition::FailTransaction);
    }
    else if (!retryBecause.empty())
    {
        retry(std::move(outgoing), retryBecause.c_str());
    }
    else
    {
        events_.ready(std::move(outgoing));
    }
}

// All who wait for money find out again and again; once in a while is enough to say it.
void TxPreparation::alertOfFunds()
{
    const TimePoint now = Clock::now();
    if (fundsAlertAt_ <= now)
    {
        fundsAlertAt_ = now + std::chrono::minutes(1);
        LOG_ERROR << "step=no_gas_funds alert=true: the account can not pay for gas; requests wait";
    }
}

void TxPreparation::retry(Outgoing outgoing, const char *why)
{
    if (outgoing.tries >= context_->options.maxAttempts)
    {
        core::Failure failure{FailureCode::TransactionFailed, "no gas estimate after " +
                                                                  std::to_string(outgoing.tries) +
                                                                  " attempts: " + nodeText(why)};
        fail(std::move(outgoing), std::move(failure), core::Transition::FailTransaction);
        return;
    }
    later_.push_back({std::move(outgoing), Clock::now() + context_->options.retryInterval,
                      std::nullopt, core::Transition::FailTransaction});
}

drogon::AsyncTask TxPreparation::end(Later failed)
{
    const auto context = context_;
    bool written = false;
    ++ending_;
    try
    {
        const auto pass = context->gate.enter();
        models::Step step;
        step.transition = failed.transition;
        step.id = failed.outgoing.request;
        step.claimer = context->claimer();
        step.failure = failed.failure;
        const auto outcome = co_await resumedOn(context->loop, context->requests().apply(step));
        written = true;
        LOG_INFO << "step=request_failed request=" << failed.outgoing.request
                 << " code=" << core::name(failed.failure->code)
                 << " won=" << (outcome == models::StepOutcome::Won);
    }
    catch (const models::StoreError &error)
    {
        if (error.code() == models::StoreError::Code::Closed)
        {
            co_return;
        }
    }
    --ending_;
    if (!written)
    {
        failed.at = Clock::now() + std::chrono::seconds(1);
        later_.push_back(std::move(failed));
        co_return;
    }
    events_.ended(failed.outgoing);
}
}  // namespace relayer::plugins
