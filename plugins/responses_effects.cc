// What each event does: the other half of responses_handler.h.
#include "core/attempt_steps.h"
#include "core/decrypt.h"
#include "core/kms_context.h"
#include "core/public_decrypt_result.h"
#include "plugins/fail_point.h"
#include "plugins/responses_handler.h"
#include "plugins/resumed_on.h"
#include "wire/input_proof_result.h"

#include <trantor/utils/Logger.h>

#include <limits>
#include <utility>
#include <variant>

namespace relayer::plugins
{
using core::Kind;
using drogon::Task;
using models::EventId;
using models::PendingEvent;
using models::RequestId;

namespace
{
constexpr std::uint64_t kWarnings = 10;

std::string durationOf(const PendingEvent &pending)
{
    return "duration_ms=" + std::to_string(pending.inStatus.count());
}

core::Bytes extraDataOf(const core::UserDecrypt &request)
{
    return std::visit([](const auto &each) { return each.extraData; }, request);
}

models::Answer answerTo(const PendingEvent &pending, bool accepted, core::Bytes result)
{
    models::Answer answer;
    answer.kind = pending.event.kind;
    answer.gatewayId = pending.event.gatewayId;
    answer.accepted = accepted;
    answer.result = std::move(result);
    answer.responseTxHash = pending.event.txHash;
    return answer;
}

core::Bytes resultOf(chain::ProofAccepted accepted)
{
    wire::InputProofResult result;
    result.handles = std::move(accepted.handles);
    result.signatures = std::move(accepted.signatures);
    return wire::encodeResult(result);
}

core::Bytes resultOf(chain::PublicDecrypted decrypted)
{
    core::PublicDecryptResult result;
    result.decrypted = std::move(decrypted.result);
    result.signatures = std::move(decrypted.signatures);
    result.extraData = std::move(decrypted.extraData);
    return core::encodeResult(result);
}
}  // namespace

std::optional<chain::GatewayEvent> ResponseHandler::decoded(const PendingEvent &pending) const
{
    chain::Log log;
    log.address = pending.event.address;
    log.topics = pending.event.topics;
    log.data = pending.event.data;
    log.blockNumber = static_cast<std::uint64_t>(pending.event.blockNumber);
    log.blockHash = pending.event.blockHash;
    log.logIndex = static_cast<std::uint32_t>(pending.event.logIndex);
    log.txHash = pending.event.txHash;
    return chain::decodeEvent(log, context_.contracts);
}

EventId ResponseHandler::unreadable(const PendingEvent &pending, const char *why)
{
    if (++counters_.unreadable <= kWarnings)
    {
        LOG_WARN << "step=event_unreadable event=" << pending.id << " request=" << pending.requestId
                 << " why=" << why;
    }
    return pending.id;
}

Task<EventId> ResponseHandler::keep(const PendingEvent *pending)
{
    auto event = decoded(*pending);
    if (!event)
    {
        // Of a contract that was ours when it was stored.
        co_return unreadable(*pending, "not of our contracts");
    }
    if (auto *share = std::get_if<chain::ShareArrived>(&*event))
    {
        co_return co_await keepShare(pending, std::move(*share));
    }
    if (auto *accepted = std::get_if<chain::ProofAccepted>(&*event))
    {
        auto answer = answerTo(*pending, true, resultOf(std::move(*accepted)));
        co_return co_await keepAnswer(pending, std::move(answer));
    }
    if (std::holds_alternative<chain::ProofRejected>(*event))
    {
        auto answer = answerTo(*pending, false, core::Bytes());
        co_return co_await keepAnswer(pending, std::move(answer));
    }
    if (auto *decrypted = std::get_if<chain::PublicDecrypted>(&*event))
    {
        auto answer = answerTo(*pending, true, resultOf(std::move(*decrypted)));
        co_return co_await keepAnswer(pending, std::move(answer));
    }
    if (const auto *malformed = std::get_if<chain::MalformedEvent>(&*event))
    {
        co_return unreadable(*pending, malformed->why);
    }
    // That the nodes have reached their threshold says nothing of ours.
    co_return pending->id;
}

Task<EventId> ResponseHandler::keepAnswer(const PendingEvent *pending, models::Answer answer)
{
    const Kind kind = answer.kind;
    if (context_.milestones && !core::isTerminal(pending->status))
    {
        context_.milestones->passed("response_received", pending->requestId, kind,
                                    durationOf(*pending));
    }
    try
    {
        const models::Arrival arrival =
            co_await resumedOn(context_.loop, context_.requests().keepAnswer(std::move(answer)));
        if (arrival.ended)
        {
            failPoint("completed");
            ++counters_.ended;
        }
        co_return pending->id;
    }
    catch (const std::exception &error)
    {
        failed(error);
    }
    co_return 0;
}

Task<EventId> ResponseHandler::keepShare(const PendingEvent *pending, chain::ShareArrived arrived)
{
    if (arrived.index > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
    {
        co_return unreadable(*pending, "the number of the share is too large");
    }
    const bool decided =
        core::isTerminal(pending->status) || thresholdKnown_.contains(pending->requestId);
    if (!decided && shareKept_.contains(pending->id))
    {
        co_return 0;
    }
    models::Share share;
    share.gatewayId = pending->event.gatewayId;
    share.index = static_cast<std::int32_t>(arrived.index);
    share.payload = std::move(arrived.share);
    share.signature = std::move(arrived.signature);
    share.extraData = std::move(arrived.extraData);
    share.responseTxHash = pending->event.txHash;
    if (context_.milestones && !shareKept_.contains(pending->id))
    {
        context_.milestones->passed(
            "share_received", pending->requestId, Kind::UserDecrypt,
            "share=" + std::to_string(share.index) + " " + durationOf(*pending));
    }
    try
    {
        const models::Arrival arrival =
            co_await resumedOn(context_.loop, context_.requests().keepShare(std::move(share)));
        if (arrival.fresh && context_.milestones)
        {
            context_.milestones->metrics().shareStored();
        }
        if (arrival.ended)
        {
            failPoint("completed");
            ++counters_.ended;
        }
    }
    catch (const std::exception &error)
    {
        failed(error);
        co_return 0;
    }
    if (decided)
    {
        shareKept_.erase(pending->id);
        co_return pending->id;
    }
    // Its event stays, and reminds us of the threshold.
    shareKept_.insert(pending->id);
    co_return 0;
}

Task<RequestId> ResponseHandler::findThreshold(const PendingEvent *pending, core::Bytes extraData)
{
    const RequestId request = pending->requestId;
    try
    {
        const core::Hash32 context = co_await contextOf(pending, std::move(extraData));
        const auto threshold = co_await context_.thresholds->resolve(context);
        if (!threshold)
        {
            co_return 0;
        }
        co_await resumedOn(context_.loop,
                           context_.requests().resolveThreshold(request, *threshold));
        co_return request;
    }
    catch (const std::exception &error)
    {
        failed(error);
    }
    co_return 0;
}

Task<core::Hash32> ResponseHandler::contextOf(const PendingEvent *pending, core::Bytes extraData)
{
    if (const auto named = core::kmsContextOf(extraData))
    {
        co_return named->id;
    }
    // A version that we do not know. The gateway takes answers of the context only that the request
    // was made in, so the request tells as well.
    const auto row = co_await resumedOn(
        context_.loop,
        context_.requests().findByGatewayId(Kind::UserDecrypt, pending->event.gatewayId));
    core::Bytes payload;
    if (row)
    {
        const std::vector<char> &stored = row->getValueOfPayload();
        payload.assign(stored.begin(), stored.end());
    }
    const auto request = core::decodeUserDecrypt(payload);
    const auto asked = request ? core::kmsContextOf(extraDataOf(*request)) : std::nullopt;
    co_return asked ? asked->id : core::Hash32{};
}

Task<EventId> ResponseHandler::noteRequest(const PendingEvent *pending)
{
    switch (core::meaningOfRequestEvent(pending->status))
    {
        case core::RequestEventMeans::Nothing: co_return pending->id;
        case core::RequestEventMeans::LookForReceipt:
            context_.requestMined(pending->event.txHash);
            co_return pending->id;
        case core::RequestEventMeans::CompareReceipts: break;
    }
    try
    {
        co_await replaceReceipt(pending);
        co_return pending->id;
    }
    catch (const std::exception &error)
    {
        failed(error);
    }
    co_return 0;
}

Task<> ResponseHandler::replaceReceipt(const PendingEvent *pending)
{
    const models::InboxEvent &event = pending->event;
    const auto row = co_await resumedOn(
        context_.loop, context_.requests().findByGatewayId(event.kind, event.gatewayId));
    if (row && row->getValueOfId() == pending->requestId)
    {
        const std::vector<char> &stored = row->getValueOfTxHash();
        if (core::Bytes(stored.begin(), stored.end()) ==
            core::Bytes(event.txHash.begin(), event.txHash.end()))
        {
            co_return;  // what the receipt said
        }
    }
    const models::ReceiptOutcome outcome = co_await resumedOn(
        context_.loop, context_.requests().replaceReceipt(pending->requestId, std::nullopt,
                                                          event.txHash, event.gatewayId));
    if (outcome.outcome == models::StepOutcome::Won)
    {
        ++counters_.replaced;
        LOG_WARN << "step=receipt_replaced request=" << pending->requestId
                 << ": the chain holds its transaction in another block now";
    }
    if (outcome.ended)
    {
        ++counters_.ended;
    }
}
}  // namespace relayer::plugins
