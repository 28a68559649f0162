// The end of an attempt: what its receipt, or the loss of its nonce, means for its request. Written
// in an order that a kill -9 between any two steps leaves something to go on from: the request
// first, the attempt last, so that an open attempt whose request has moved on is only looked at
// once more.

#include "chain/transaction.h"
#include "plugins/fail_point.h"
#include "plugins/node_text.h"
#include "plugins/tx_alerts.h"
#include "plugins/tx_attempts.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
namespace
{
using chain::rpc::RpcError;

constexpr std::chrono::seconds kTryAgain{1};
constexpr int kMostDoublings = 8;
// A second apart.
constexpr int kMostReplays = 30;

// The version that was mined. A node whose receipts name other hashes is believed all the same.
const models::TxVersion &minedVersion(const Attempt &attempt)
{
    const auto found =
        std::find_if(attempt.versions.begin(), attempt.versions.end(),
                     [&](const auto &version) { return version.hash == attempt.receipt->txHash; });
    return found == attempt.versions.end() ? attempt.versions.back() : *found;
}

drogon::Task<std::vector<bool>> writeTogether(std::shared_ptr<TxContext> context,
                                              std::shared_ptr<const MinedQueue::Batch> batch)
{
    std::vector<models::Mined> mined;
    mined.reserve(batch->size());
    for (const models::Mined *each : *batch)
    {
        mined.push_back(*each);
    }
    std::vector<bool> written(mined.size(), true);
    co_await context->lanes->markMined(context->hold(), std::move(mined));
    co_return written;
}

std::string blockTag(std::uint64_t number)
{
    return chain::toQuantity(chain::Uint256(number));
}
}  // namespace

std::shared_ptr<MinedQueue> minedQueue(const std::shared_ptr<TxContext> &context)
{
    // One statement at a time: while it is on its way the next ones gather.
    models::GroupLimits limits;
    limits.inFlight = 1;
    return MinedQueue::create(limits, [context](std::shared_ptr<const MinedQueue::Batch> batch) {
        return writeTogether(context, std::move(batch));
    });
}

void TxAttempts::found(const AttemptPtr &attempt, chain::Receipt receipt)
{
    events_.funds(false);
    attempt->receipt = std::move(receipt);
    attempt->overAt = Clock::now();
    land(attempt);
}

drogon::AsyncTask TxAttempts::end(AttemptPtr attempt)
{
    attempt->ending = true;
    bool written = false;
    try
    {
        const auto pass = context_->gate.enter();
        if (attempt->receipt)
        {
            co_await writeMined(attempt);
        }
        else
        {
            co_await writeConsumed(attempt);
        }
        written = true;
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=outcome_not_written attempt=" << attempt->id << " why=" << error.what();
    }
    catch (const RpcError &error)
    {
        LOG_DEBUG << "step=revert_not_replayed attempt=" << attempt->id << " why=" << error.what();
    }
    attempt->ending = false;
    attempt->lookAt = Clock::now() + kTryAgain;
    if (written)
    {
        close(attempt);
    }
}

drogon::Task<> TxAttempts::writeConsumed(AttemptPtr attempt)
{
    const auto means = core::meaningOfConsumed(attempt->outgoing.has_value(),
                                               attempt->closing.has_value(), attempt->requestEnded);
    if (means == core::ConsumedMeans::Fails)
    {
        core::Failure failure = *attempt->closing;
        static_cast<void>(co_await failTransaction(attempt, std::move(failure)));
        attempt->requestEnded = true;
    }
    co_await resumedOn(context_->loop,
                       context_->lanes->markConsumed(context_->hold(), attempt->id));
    if (means == core::ConsumedMeans::SendAnew)
    {
        events_.again(*attempt->outgoing, std::chrono::milliseconds(0));
    }
}

drogon::Task<> TxAttempts::writeMined(AttemptPtr attempt)
{
    Again again;
    if (attempt->outgoing && !attempt->requestEnded)
    {
        again = co_await writeRequestOutcome(attempt);
    }
    failPoint("receipt stored");
    models::Mined mined;
    mined.attempt = attempt->id;
    mined.hash = minedVersion(*attempt).hash;
    mined.block = static_cast<std::int64_t>(attempt->receipt->blockNumber);
    co_await mined_->submit(mined);
    if (again)
    {
        Outgoing next = *attempt->outgoing;
        next.resendDelay = *again * 2;
        events_.again(std::move(next), *again);
    }
}

drogon::Task<TxAttempts::Again> TxAttempts::writeRequestOutcome(AttemptPtr attempt)
{
    const Outgoing &outgoing = *attempt->outgoing;
    const models::TxVersion &version = minedVersion(*attempt);
    const auto gatewayId =
        chain::requestIdIn(attempt->receipt->logs, outgoing.kind, context_->options.contracts);
    core::Failure failure{core::FailureCode::TransactionFailed, "mined without the request event"};
    const core::MinedMeans means = core::meaningOf(
        {outgoing.kind, version.noOp, attempt->receipt->succeeded, gatewayId.has_value()});
    switch (means)
    {
        case core::MinedMeans::Receipt:
            co_await storeReceipt(attempt, *gatewayId);
            events_.receiptStored(outgoing.kind, *gatewayId);
            co_return std::nullopt;
        case core::MinedMeans::Closed:
            failure.detail = "its nonce was closed";
            failure = attempt->closing.value_or(std::move(failure));
            break;
        case core::MinedMeans::Reverted: failure = co_await revertOf(attempt); break;
        case core::MinedMeans::WithoutEvent:
        case core::MinedMeans::SendAnew:
            LOG_ERROR << "step=mined_without_event alert=true request=" << outgoing.request
                      << " kind=" << core::name(outgoing.kind);
    }
    if (means != core::MinedMeans::SendAnew)
    {
        static_cast<void>(co_await failTransaction(attempt, std::move(failure)));
        co_return std::nullopt;
    }
    const auto first = context_->options.resendWithoutEventAfter;
    co_return std::clamp(outgoing.resendDelay, first, first * (1 << kMostDoublings));
}

drogon::Task<> TxAttempts::storeReceipt(AttemptPtr attempt, models::GatewayId gatewayId)
{
    const Outgoing &outgoing = *attempt->outgoing;
    const models::TxHash hash = attempt->receipt->txHash;
    const auto stored = co_await resumedOn(
        context_->loop, context_->requests().markReceiptReceived(
                            outgoing.request, context_->claimer(), hash, gatewayId, outgoing.kind));
    if (stored.outcome == models::StepOutcome::Won)
    {
        co_return;
    }
    // It may have had a receipt before, which the chain took back.
    const auto replaced = co_await resumedOn(
        context_->loop,
        context_->requests().replaceReceipt(outgoing.request, std::nullopt, hash, gatewayId));
    if (replaced.outcome == models::StepOutcome::Lost)
    {
        co_await storeReceiptAfterAll(attempt, gatewayId);
    }
}

// Mined, and the database takes neither a first receipt nor a second (core::UntakenReceipt).
drogon::Task<> TxAttempts::storeReceiptAfterAll(AttemptPtr attempt, models::GatewayId gatewayId)
{
    const models::RequestId request = attempt->outgoing->request;
    const models::TxHash hash = attempt->receipt->txHash;
    const models::TxHash ours = attempt->versions.front().hash;
    const auto row = co_await resumedOn(context_->loop, context_->requests().findByTxHash(ours));
    const auto status = row ? core::parseStatus(row->getValueOfStatus()) : std::nullopt;
    const auto untaken = status ? core::untakenReceipt(*status) : core::UntakenReceipt::NotNeeded;
    if (untaken == core::UntakenReceipt::NotNeeded)
    {
        co_return;
    }
    if (untaken == core::UntakenReceipt::MarkInFlightFirst)
    {
        models::Step step;
        step.transition = core::Transition::MarkTxInFlight;
        step.id = request;
        step.claimer = context_->claimer();
        step.txHash = hash;
        co_await resumedOn(context_->loop, context_->requests().apply(std::move(step)));
    }
    const auto stored = co_await resumedOn(context_->loop, context_->requests().markReceiptReceived(
                                                               request, context_->claimer(), hash,
                                                               gatewayId, attempt->outgoing->kind));
    if (stored.outcome == models::StepOutcome::Won)
    {
        co_return;
    }
    const auto owner = row->getOwner();
    const bool ofAnother = owner && *owner != context_->claimer();
    if (core::whyUntaken(*status, ofAnother) == core::TakenGatewayId::SomebodyElseHasTheRequest)
    {
        events_.requestElsewhere();
        throw models::StoreError(models::StoreError::Code::Refused, "the request is elsewhere");
    }
    // After a reorg the chain gave an id twice, and the first who had it has ended with its answer.
    // Which of the two an answer is meant for can not be told any more.
    LOG_ERROR << "step=gateway_id_taken alert=true request=" << request;
    models::Step step;
    step.transition = core::Transition::FailInternally;
    step.id = request;
    step.claimer = context_->claimer();
    step.failure =
        core::Failure{core::FailureCode::Internal, "its gateway id belongs to another request"};
    co_await resumedOn(context_->loop, context_->requests().apply(std::move(step)));
}

// A reverted receipt does not say why; the same call at the state before its block does. A node
// that can not be asked just now is asked again, so that the client is not told less than is known.
drogon::Task<core::Failure> TxAttempts::revertOf(AttemptPtr attempt)
{
    core::Failure failure{core::FailureCode::TransactionFailed, "reverted"};
    chain::rpc::Call call;
    call.from = context_->signer->address();
    call.to = attempt->outgoing->to;
    call.input = attempt->outgoing->calldata;
    const std::uint64_t block = attempt->receipt->blockNumber;
    std::string before = blockTag(block == 0 ? 0 : block - 1);
    try
    {
        co_await context_->node->call(std::move(call), std::move(before));
        failure.detail = "reverted, but not when tried again";
    }
    catch (const RpcError &error)
    {
        const bool passing =
            error.kind() != RpcError::Kind::Rpc && error.kind() != RpcError::Kind::Undecodable;
        if (passing && ++attempt->replays < kMostReplays)
        {
            throw;
        }
        if (error.kind() == RpcError::Kind::Rpc)
        {
            const core::ByteView data = error.data ? core::ByteView(*error.data) : core::ByteView();
            const chain::Revert revert = chain::decodeRevert(data, error.message);
            failure.code = revert.code;
            failure.detail =
                "reverted: " + (revert.reason.empty() ? nodeText(error.message) : revert.reason);
        }
    }
    co_return failure;
}

drogon::Task<models::StepOutcome> TxAttempts::failTransaction(AttemptPtr attempt,
                                                              core::Failure failure)
{
    LOG_INFO << "step=request_failed request=" << attempt->outgoing->request
             << " code=" << core::name(failure.code);
    alertIfFeesAreShort(failure.code);
    models::Step step;
    step.transition = core::Transition::FailTransaction;
    step.id = attempt->outgoing->request;
    step.claimer = context_->claimer();
    step.failure = std::move(failure);
    const auto outcome =
        co_await resumedOn(context_->loop, context_->requests().apply(std::move(step)));
    if (outcome == models::StepOutcome::Lost)
    {
        LOG_WARN << "step=request_moved_on request=" << attempt->outgoing->request;
    }
    co_return outcome;
}
}  // namespace relayer::plugins
