#include "plugins/tx_attempts.h"

#include "chain/transaction.h"
#include "core/overdue.h"
#include "plugins/fail_point.h"
#include "plugins/node_text.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace relayer::plugins
{
namespace
{
using chain::SendAnswer;
using chain::rpc::RpcError;
using core::AttemptStep;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kReceiptsPerCall = 100;
// A sync send may take as long as a block; its receipt may be there before its answer.
constexpr seconds kPatienceWithASend{2};
// A nonce has to be closed even when the node refuses everything.
constexpr seconds kSlow{30};
// A replacement helps only where the chain is: behind a gap it would wait all the same.
constexpr std::size_t kFront = 16;

core::Failure failureOf(const RpcError &error)
{
    const core::ByteView data = error.data ? core::ByteView(*error.data) : core::ByteView();
    const chain::Revert revert = chain::decodeRevert(data, error.message);
    return {revert.code, "sending: " + nodeText(error.message)};
}
}  // namespace

TxAttempts::TxAttempts(std::shared_ptr<TxContext> context, std::shared_ptr<TxFees> fees,
                       Events events)
    : context_(std::move(context)),
      fees_(std::move(fees)),
      events_(std::move(events)),
      mined_(minedQueue(context_)),
      syncSend_(context_->options.syncSend)
{}

void TxAttempts::launch(AttemptPtr attempt)
{
    open_.insert_or_assign(attempt->nonce, attempt);
    if (inAir_ >= context_->options.maxInFlight)
    {
        attempt->waiting = true;
        waiting_.push_back(std::move(attempt));
        return;
    }
    depart(std::move(attempt));
}

void TxAttempts::depart(AttemptPtr attempt)
{
    const TimePoint now = Clock::now();
    ++inAir_;
    attempt->waiting = false;
    attempt->signedAt = now;
    attempt->lookAt = now + kPatienceWithASend;
    attempt->bumpAt = now + context_->options.feeBumpAfter;
    send(std::move(attempt));
}

void TxAttempts::departNext()
{
    AttemptPtr next = std::move(waiting_.front());
    waiting_.pop_front();
    depart(std::move(next));
}

void TxAttempts::land(const AttemptPtr &attempt)
{
    --inAir_;
    while (!waiting_.empty() && inAir_ < context_->options.maxInFlight)
    {
        departNext();
    }
    events_.landed();
    end(attempt);
}

void TxAttempts::drop()
{
    open_.clear();
    waiting_.clear();
    inAir_ = 0;
}

void TxAttempts::resume(const models::StoredAttempt &stored)
{
    const TimePoint now = Clock::now();
    auto attempt = std::make_shared<Attempt>();
    attempt->id = stored.id;
    attempt->nonce = stored.nonce;
    attempt->versions = stored.versions;
    attempt->closing = stored.closingWith;
    attempt->sends = stored.sends;
    attempt->sendsBeforeClosing = stored.closingWith ? stored.sends : 0;
    attempt->mayBeInPool = true;
    attempt->signedAt = now - seconds(stored.secondsOld);
    attempt->lookAt = now;
    attempt->sendAt = now;
    attempt->bumpAt = now + context_->options.feeBumpAfter;
    if (stored.request)
    {
        Outgoing outgoing;
        outgoing.request = *stored.request;
        outgoing.kind = stored.kind;
        // What a new transaction for it would need stands in the old one.
        const auto first = std::find_if(stored.versions.begin(), stored.versions.end(),
                                        [](const auto &version) { return !version.noOp; });
        if (first != stored.versions.end())
        {
            if (const auto decoded = chain::decodeTransaction(first->raw))
            {
                outgoing.to = decoded->transaction.to;
                outgoing.calldata = decoded->transaction.data;
                outgoing.gasLimit = decoded->transaction.gasLimit;
            }
        }
        attempt->outgoing = std::move(outgoing);
    }
    open_.insert_or_assign(attempt->nonce, attempt);
    // What is in the air stands before what waits for it: it could not be mined before that.
    while (!waiting_.empty() && waiting_.front()->nonce < attempt->nonce)
    {
        departNext();
    }
    ++inAir_;
    const auto adoption =
        core::adoptionOf(stored.request.has_value(), stored.status, stored.closingWith.has_value());
    if (adoption == core::Adoption::ResumeAndClose)
    {
        attempt->requestEnded = true;
        giveUp(attempt, {core::FailureCode::Internal, "the request had ended before it was mined"});
    }
}

void TxAttempts::catchUp(const models::StoredAttempt &stored)
{
    const AttemptPtr attempt = open_.at(stored.nonce);
    const auto isKnown = [&attempt](const models::TxVersion &version) {
        return std::ranges::find(attempt->versions, version.hash, &models::TxVersion::hash) !=
               attempt->versions.end();
    };
    if (attempt->id != stored.id || std::ranges::all_of(stored.versions, isKnown))
    {
        return;
    }
    // A transaction of ours that is not known here would be taken for a stranger's once it is
    // mined, and the request sent again.
    attempt->versions = stored.versions;
    attempt->sightings = {};
    attempt->mayBeInPool = true;
    attempt->lookAt = Clock::now();
    if (stored.closingWith && !attempt->closing)
    {
        attempt->closing = stored.closingWith;
        attempt->sendsBeforeClosing = attempt->sends;
    }
    LOG_INFO << "step=attempt_read_again attempt=" << attempt->id << " nonce=" << attempt->nonce
             << " versions=" << attempt->versions.size();
}

void TxAttempts::lookFor(const models::TxHash &hash)
{
    for (const auto &[nonce, attempt] : open_)
    {
        for (const models::TxVersion &version : attempt->versions)
        {
            if (version.hash == hash)
            {
                attempt->lookAt = TimePoint();
                tick(Clock::now());
                return;
            }
        }
    }
}

void TxAttempts::tick(TimePoint now)
{
    std::vector<AttemptPtr> due;
    std::size_t hashes = 0;
    for (const auto &[nonce, attempt] : open_)
    {
        if (attempt->over())
        {
            if (!attempt->ending && attempt->lookAt <= now)
            {
                end(attempt);
            }
            continue;
        }
        if (attempt->waiting || attempt->lookAt > now || hashes >= kReceiptsPerCall)
        {
            continue;
        }
        hashes += attempt->versions.size();
        due.push_back(attempt);
    }
    if (!due.empty() && !looking_)
    {
        look(std::move(due));
    }
}

drogon::AsyncTask TxAttempts::look(std::vector<AttemptPtr> attempts)
{
    looking_ = true;
    std::vector<std::optional<chain::Receipt>> receipts;
    bool looked = false;
    // Versions may be added meanwhile: behind those that are asked for.
    std::vector<std::size_t> versions;
    try
    {
        const auto pass = context_->gate.enter();
        std::vector<core::Hash32> hashes;
        for (const AttemptPtr &attempt : attempts)
        {
            versions.push_back(attempt->versions.size());
            for (const models::TxVersion &version : attempt->versions)
            {
                hashes.push_back(version.hash);
            }
        }
        receipts = co_await context_->node->receipts(std::move(hashes));
        looked = true;
    }
    catch (const RpcError &error)
    {
        // The same bytes may be sent again without having looked.
        LOG_DEBUG << "step=receipts_failed why=" << error.what();
    }
    catch (const models::StoreError &)
    {
        co_return;
    }
    looking_ = false;
    const TimePoint now = Clock::now();
    receipts.resize(std::accumulate(versions.begin(), versions.end(), std::size_t{0}));
    auto next = receipts.begin();
    for (std::size_t i = 0; i < attempts.size(); ++i)
    {
        const AttemptPtr &attempt = attempts[i];
        const auto last = next + static_cast<std::ptrdiff_t>(versions[i]);
        const auto mined = std::find_if(next, last, [](const auto &r) { return r.has_value(); });
        std::optional<chain::Receipt> receipt;
        if (mined != last)
        {
            receipt = std::move(*mined);
        }
        next = last;
        if (!isOpen(attempt) || attempt->over())
        {
            continue;
        }
        if (receipt)
        {
            found(attempt, std::move(*receipt));
        }
        else
        {
            attempt->lookAt = now + context_->options.receiptPollInterval;
            act(attempt, now, looked);
        }
    }
}

bool TxAttempts::isOpen(const AttemptPtr &attempt) const
{
    const auto entry = open_.find(attempt->nonce);
    return entry != open_.end() && entry->second == attempt;
}

bool TxAttempts::carriesRequest(models::RequestId request) const
{
    return std::any_of(open_.begin(), open_.end(), [request](const auto &entry) {
        const auto &outgoing = entry.second->outgoing;
        return outgoing && outgoing->request == request;
    });
}

void TxAttempts::notOurs(const AttemptPtr &attempt)
{
    attempt->sending = false;
    // While we were about to change it, its receipt may have been found and written.
    if (isOpen(attempt) && !attempt->over())
    {
        events_.laneLost();
    }
}

bool TxAttempts::isAtTheFront(const Attempt &attempt) const
{
    const auto last =
        std::next(open_.begin(), static_cast<std::ptrdiff_t>(std::min(kFront, open_.size()) - 1));
    return attempt.nonce <= last->first;
}

bool TxAttempts::outOfSends(const Attempt &attempt) const
{
    return attempt.sends - attempt.sendsBeforeClosing >= context_->options.maxAttempts;
}

// What is due for an attempt of which no receipt was found.
void TxAttempts::act(const AttemptPtr &attempt, TimePoint now, bool looked)
{
    core::UnminedAttempt unmined;
    unmined.underWay = attempt->sending;
    unmined.looked = looked;
    unmined.suspect = attempt->suspect;
    unmined.checkDue = attempt->sightingAt <= now;
    unmined.closing = attempt->closing.has_value();
    unmined.overdue = now - attempt->signedAt >= context_->options.deadline;
    unmined.sendDue = attempt->sendAt <= now;
    unmined.outOfSends = outOfSends(*attempt);
    unmined.bumpDue = attempt->bumpAt <= now;
    unmined.atTheFront = isAtTheFront(*attempt);
    switch (core::nextStep(unmined))
    {
        case AttemptStep::Wait: return;
        case AttemptStep::CheckNonce:
            attempt->sightingAt =
                now + std::max<milliseconds>(context_->options.retryInterval * 2,
                                             context_->options.receiptPollInterval);
            checkNonce(attempt);
            return;
        case AttemptStep::GiveUpOverdue:
            giveUp(attempt, core::failureOfOverdue(core::Status::TxInFlight));
            return;
        case AttemptStep::Send: send(attempt); return;
        case AttemptStep::GiveUpUnsent:
            giveUp(attempt, {core::FailureCode::TransactionFailed,
                             "not mined after " + std::to_string(attempt->sends) + " sends"});
            return;
        case AttemptStep::FailUnclosed:
            failRequest(attempt);
            attempt->sendsBeforeClosing = attempt->sends;
            attempt->sendAt = now + kSlow;
            return;
        case AttemptStep::RaiseFees: bump(attempt); return;
    }
}

drogon::Task<TxAttempts::Answered> TxAttempts::ask(core::Bytes raw, std::string traceparent)
{
    Answered answered;
    try
    {
        if (syncSend_)
        {
            answered.receipt = co_await context_->node->sendRawTransactionSync(
                std::move(raw), std::move(traceparent));
            answered.answer = answered.receipt ? SendAnswer::Mined : SendAnswer::InDoubt;
        }
        else
        {
            co_await context_->node->sendRawTransaction(std::move(raw), std::move(traceparent));
            answered.answer = SendAnswer::Accepted;
        }
    }
    catch (const RpcError &error)
    {
        if (error.kind() == RpcError::Kind::Rpc)
        {
            answered.answer = chain::classify({error.code, error.message, error.data.has_value()});
            answered.failure = failureOf(error);
        }
        else
        {
            answered.answer = error.sent ? SendAnswer::InDoubt : SendAnswer::Busy;
            answered.failure.detail = nodeText(error.what());
        }
    }
    co_return answered;
}

drogon::AsyncTask TxAttempts::send(AttemptPtr attempt)
{
    const bool counted = attempt->sends == 0;  // with the commit
    attempt->sending = true;
    attempt->lastSend = Clock::now();
    try
    {
        const auto pass = context_->gate.enter();
        if (counted)
        {
            attempt->sends = 1;
        }
        else
        {
            std::vector<models::AttemptId> ids{attempt->id};
            const auto ours = co_await resumedOn(
                context_->loop, context_->lanes->countSends(context_->hold(), std::move(ids)));
            if (ours.empty())
            {
                notOurs(attempt);
                co_return;
            }
            ++attempt->sends;
        }
        core::Bytes raw = attempt->versions.back().raw;
        std::string traceparent =
            attempt->outgoing ? context_->traceparentOf(attempt->outgoing->request) : std::string();
        Answered answered = co_await ask(std::move(raw), std::move(traceparent));
        failPoint("broadcast");
        tellSent(*attempt, answered);
        attempt->sending = false;
        if (isOpen(attempt) && !attempt->over())
        {
            react(attempt, std::move(answered));
        }
    }
    catch (const models::StoreError &)
    {
        attempt->sending = false;
        attempt->sendAt = Clock::now() + seconds(1);
    }
}

void TxAttempts::react(const AttemptPtr &attempt, Answered answered)
{
    const TxOptions &options = context_->options;
    const TimePoint now = Clock::now();
    const chain::Reaction reaction = chain::reactionTo(answered.answer);
    if (answered.receipt)
    {
        found(attempt, std::move(*answered.receipt));
        return;
    }
    LOG_INFO << "step=send_answer answer=" << chain::name(answered.answer)
             << " attempt=" << attempt->id << " nonce=" << attempt->nonce
             << " sends=" << attempt->sends << " why=" << answered.failure.detail;
    attempt->mayBeInPool = attempt->mayBeInPool || reaction.mayBeInPool;
    attempt->suspect = attempt->suspect || reaction.suspectNonce;
    attempt->lookAt = reaction.mayBeInPool ? now : now + options.receiptPollInterval;
    attempt->sendAt = now + (reaction.sendAgain ? options.retryInterval : options.rebroadcastAfter);
    if (reaction.raiseFees)
    {
        attempt->bumpAt = answered.answer == SendAnswer::FeeTooLow
                              ? now
                              : std::min(attempt->bumpAt, now + 2 * options.receiptPollInterval);
    }
    if (answered.answer == SendAnswer::NoSuchMethod && syncSend_)
    {
        LOG_WARN << "step=sync_send_unknown: the node has no eth_sendRawTransactionSync, sending "
                    "without it from now on";
        syncSend_ = false;
        attempt->sendAt = now;
    }
    if (reaction.pausesLane)
    {
        events_.funds(true);
        attempt->sendAt = now + options.fundsProbe;
        // Waiting for money is not the transaction's fault.
        attempt->sendsBeforeClosing++;
    }
    else if (answered.answer == SendAnswer::Accepted || answered.answer == SendAnswer::Known)
    {
        // It is in a pool: whatever a node has said before, it can be paid for.
        events_.funds(false);
    }
    if (reaction.givesUp)
    {
        refuse(attempt, std::move(answered.failure));
    }
    else if (attempt->lookAt <= now)
    {
        tick(now);
    }
}

void TxAttempts::close(const AttemptPtr &attempt)
{
    if (isOpen(attempt))
    {
        open_.erase(attempt->nonce);
        events_.closed(*attempt);
    }
}
}  // namespace relayer::plugins
