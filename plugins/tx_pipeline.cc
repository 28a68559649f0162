#include "plugins/tx_pipeline.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
namespace
{
using core::Transition;
using models::StepOutcome;
using std::chrono::seconds;

// An answer that was under way when a reorg was noticed may tell of the chain before it.
constexpr seconds kReceiptMayBeStale{5};
// After a reorg what was mined is looked at again and again: another node may not know of it yet.
constexpr std::chrono::minutes kNodesMayDiffer{1};
constexpr std::chrono::duration<double> kTick{0.02};
constexpr seconds kTryAgain{1};
constexpr std::size_t kRowsPerRead = 500;
constexpr std::size_t kWorthAClaim = 64;
// Each keeps its call in memory. Beyond that the contract is at fault, and nothing else is sent.
constexpr std::size_t kMostResends = 10'000;
}  // namespace

std::shared_ptr<TxPipeline> TxPipeline::create(std::shared_ptr<TxContext> context, Events events)
{
    std::shared_ptr<TxPipeline> pipeline(new TxPipeline(std::move(context), std::move(events)));
    pipeline->build();
    return pipeline;
}

TxPipeline::TxPipeline(std::shared_ptr<TxContext> context, Events events)
    : context_(std::move(context)), events_(std::move(events))
{}

void TxPipeline::build()
{
    const auto fees = std::make_shared<TxFees>(context_);
    preparation_ = std::make_unique<TxPreparation>(
        context_,
        TxPreparation::Events{
            [this](Outgoing outgoing) { lane_->add(std::move(outgoing)); },
            [this](const Outgoing &) { freePlace(); },
            [this](models::RequestId request) { return attempts_->carriesRequest(request); }});
    lane_ = std::make_unique<TxLane>(
        context_, fees,
        TxLane::Events{[this](AttemptPtr attempt) { attempts_->launch(std::move(attempt)); },
                       [this](const models::StoredAttempt &stored) { adopt(stored); },
                       [this](const Outgoing &outgoing) { giveBackLater(outgoing.request); },
                       [this](const Outgoing &) { freePlace(); }, [this] { events_.room(); },
                       [this] { dropAttempts(); }});
    attempts_ = std::make_unique<TxAttempts>(
        context_, fees,
        TxAttempts::Events{
            [this] { freePlace(); }, [this](const Attempt &attempt) { closed(attempt); },
            [this](Outgoing outgoing, std::chrono::milliseconds wait) {
                if (wait.count() == 0)
                {
                    lane_->readAgain();
                }
                resends_.push_back({std::move(outgoing), Clock::now() + wait});
            },
            events_.receiptStored, [this] { lane_->lose(); }, [this] { lane_->readAgain(); },
            [this](bool paused) { lane_->pause(paused); }});
}

void TxPipeline::start()
{
    const std::weak_ptr<TxPipeline> self = weak_from_this();
    timer_ = context_->loop->runEvery(kTick, [self] {
        if (const auto pipeline = self.lock())
        {
            pipeline->tick();
        }
    });
}

void TxPipeline::stop()
{
    context_->loop->invalidateTimer(timer_);
}

// Under another epoch nothing is ours that was so before: the lane is read again, and so is what is
// held. At a drain the epoch ends last, and what it had is handed over already.
void TxPipeline::noticeWhoWeAre()
{
    const auto before = std::exchange(claimer_, context_->claimer());
    if (before && before != claimer_ && !draining_)
    {
        recovered_ = false;
        lane_->lose();
    }
}

void TxPipeline::tick()
{
    const TimePoint now = Clock::now();
    noticeWhoWeAre();
    lane_->tick(now);
    preparation_->tick(now);
    recoverWhenIdle();
    if (reorg_.lookForGapAt <= now)
    {
        reorg_.lookForGapAt = now + context_->options.lookForGapsEvery;
        reorg_.lookWanted = true;
        if (reorg_.at + kNodesMayDiffer <= now)
        {
            reorg_.fromBlock = kNoBlock;
        }
    }
    if (reorg_.lookWanted && !reorg_.looking && lane_->held())
    {
        lookAtMinedSince(reorg_.fromBlock);
    }
    if (lane_->paused() && attempts_->size() == 0)
    {
        // Nobody is left who would notice that the money has come.
        lane_->pause(false);
    }
    if (lane_->held())
    {
        attempts_->tick(now);
    }
    std::vector<models::RequestId> dueReleases;
    while (!releases_.empty() && releases_.front().at <= now)
    {
        dueReleases.push_back(releases_.front().request);
        releases_.pop_front();
    }
    if (!dueReleases.empty())
    {
        release(std::move(dueReleases));
    }
    for (std::size_t left = resends_.size(); left > 0; --left)
    {
        Resend next = std::move(resends_.front());
        resends_.pop_front();
        if (next.at <= now && lane_->held() && !draining_)
        {
            resend(std::move(next));
        }
        else
        {
            resends_.push_back(std::move(next));
        }
    }
}

void TxPipeline::dropAttempts()
{
    places_ -= std::min(places_, attempts_->notLanded());
    attempts_->drop();
}

std::size_t TxPipeline::room() const
{
    if (draining_ || !recovered_ || !lane_->held() || lane_->paused() ||
        resends_.size() >= kMostResends)
    {
        return 0;
    }
    const std::size_t most = 2 * context_->options.maxInFlight;
    const std::size_t landed =
        attempts_->size() - std::min(attempts_->size(), attempts_->notLanded());
    const std::size_t beyond = landed - std::min(landed, context_->options.maxInFlight);
    const std::size_t free = most - std::min(most, places_ + beyond);
    return free >= std::min(kWorthAClaim, (most + 3) / 4) ? free : 0;
}

void TxPipeline::freePlace()
{
    places_ -= std::min<std::size_t>(places_, 1);
    events_.room();
}

void TxPipeline::take(const std::vector<models::RequestRow> &rows)
{
    for (const models::RequestRow &row : rows)
    {
        ++places_;
        if (draining_)
        {
            giveBackLater(row.getValueOfId());
            continue;
        }
        auto outgoing = outgoingFrom(row, context_->options.contracts);
        if (outgoing)
        {
            preparation_->take(std::move(*outgoing));
            continue;
        }
        LOG_ERROR << "step=payload_undecodable alert=true request=" << row.getValueOfId();
        Outgoing broken;
        broken.request = row.getValueOfId();
        preparation_->fail(std::move(broken),
                           {core::FailureCode::Undecodable, "the stored payload can not be read"},
                           Transition::FailInternally);
    }
}

void TxPipeline::giveBackLater(models::RequestId request)
{
    const auto wait = draining_ ? std::chrono::milliseconds(0) : context_->options.giveBackAfter;
    releases_.push_back({request, Clock::now() + wait});
    freePlace();
}

void TxPipeline::drain()
{
    draining_ = true;
    for (const models::RequestId request : preparation_->giveUp())
    {
        giveBackLater(request);
    }
    lane_->drain();
    for (Release &release : releases_)
    {
        release.at = TimePoint();
    }
}

TxPipeline::Left TxPipeline::left() const
{
    Left left;
    left.notSigned = preparation_->waiting() + lane_->waiting() + releases_.size() + releasing_ +
                     resending_ + (recovering_ ? 1 : 0);
    left.open = attempts_->size() + (lane_->busy() ? 1 : 0);
    return left;
}

drogon::AsyncTask TxPipeline::release(std::vector<models::RequestId> requests)
{
    const auto self = shared_from_this();
    releasing_ += requests.size();
    try
    {
        const auto pass = context_->gate.enter();
        const models::Claimer claimer = context_->claimer().value_or(0);
        co_await resumedOn(context_->loop, context_->requests().release(requests, claimer));
    }
    catch (const models::StoreError &)
    {
        for (const models::RequestId request : requests)
        {
            releases_.push_back({request, Clock::now() + kTryAgain});
        }
    }
    releasing_ -= requests.size();
}

void TxPipeline::adopt(const models::StoredAttempt &stored)
{
    if (attempts_->carries(stored.nonce))
    {
        attempts_->catchUp(stored);
        return;
    }
    const auto adoption =
        core::adoptionOf(stored.request.has_value(), stored.status, stored.closingWith.has_value());
    if (adoption == core::Adoption::MarkFirst)
    {
        adoptRecovered(stored);
        return;
    }
    ++places_;
    attempts_->resume(stored);
}

// A recovery has set the request back to `processing`; its transaction is still there.
drogon::AsyncTask TxPipeline::adoptRecovered(models::StoredAttempt stored)
{
    const auto self = shared_from_this();
    try
    {
        const auto pass = context_->gate.enter();
        models::Step step;
        step.transition = Transition::MarkTxInFlight;
        step.id = *stored.request;
        step.claimer = context_->claimer();
        step.txHash = stored.versions.empty() ? models::TxHash{} : stored.versions.front().hash;
        const auto outcome = co_await resumedOn(context_->loop, context_->requests().apply(step));
        LOG_INFO << "step=transaction_found request=" << *stored.request
                 << " nonce=" << stored.nonce << " won=" << (outcome == StepOutcome::Won);
        // The lane may be ours only in a moment: the other attempts are still being read.
        if (!attempts_->carries(stored.nonce))
        {
            ++places_;
            attempts_->resume(stored);
        }
    }
    catch (const models::StoreError &)
    {
        lane_->readAgain();
    }
}

// What is ours in `processing` and is not on its way in here: an earlier start of ours held it, or
// a claim happened whose answer was lost.
void TxPipeline::recoverWhenIdle()
{
    const bool idle = preparation_->waiting() == 0 && lane_->waiting() == 0;
    if (!recovered_ && !recovering_ && !draining_ && idle && lane_->held())
    {
        recovering_ = true;
        recoverHeld();
    }
}

// Those without a transaction are given back for anybody to claim, those whose transaction came to
// nothing start over. Nothing is pulled before that, or it would be given back, too.
drogon::AsyncTask TxPipeline::recoverHeld()
{
    const auto self = shared_from_this();
    try
    {
        const auto pass = context_->gate.enter();
        const models::Claimer claimer = context_->claimer().value_or(0);
        co_await recoverStranded(claimer);
        std::size_t given = 0;
        std::optional<models::LivePlace> from(std::in_place);
        while (from)
        {
            const auto page = co_await resumedOn(
                context_->loop,
                context_->sweeps->release(claimer, core::Status::Processing, *from, kRowsPerRead));
            given += page.rows;
            from = page.next;
        }
        recovered_ = true;
        LOG_INFO << "step=held_rows_recovered given_back=" << given;
    }
    catch (const models::StoreError &error)
    {
        LOG_WARN << "step=held_rows_wait why=" << error.what();
    }
    recovering_ = false;
    events_.room();
}

drogon::Task<> TxPipeline::recoverStranded(models::Claimer claimer)
{
    std::vector<models::RequestId> page;
    do
    {
        const models::RequestId after = page.empty() ? 0 : page.back();
        page = co_await resumedOn(context_->loop,
                                  context_->lanes->stranded(claimer, kRowsPerRead, after));
        for (const models::RequestId request : page)
        {
            if (waitsToBeSentAgain(request))
            {
                continue;
            }
            models::Step step;
            step.transition = Transition::Recover;
            step.id = request;
            step.claimer = claimer;
            co_await resumedOn(context_->loop, context_->requests().apply(std::move(step)));
        }
    }
    while (page.size() == kRowsPerRead);
}

bool TxPipeline::waitsToBeSentAgain(models::RequestId request) const
{
    return std::any_of(resends_.begin(), resends_.end(), [request](const Resend &resend) {
        return resend.outgoing.request == request;
    });
}

drogon::AsyncTask TxPipeline::resend(Resend due)
{
    const auto self = shared_from_this();
    if (attempts_->carriesRequest(due.outgoing.request))
    {
        co_return;  // it was recovered and sent some other way
    }
    ++resending_;
    try
    {
        const auto pass = context_->gate.enter();
        models::Step step;
        step.transition = Transition::Recover;
        step.id = due.outgoing.request;
        step.claimer = context_->claimer();
        const auto outcome = co_await resumedOn(context_->loop, context_->requests().apply(step));
        if (outcome == StepOutcome::Won)
        {
            LOG_INFO << "step=sending_anew request=" << due.outgoing.request;
            ++places_;
            due.outgoing.tries = 0;
            if (draining_)
            {
                giveBackLater(due.outgoing.request);
            }
            else
            {
                preparation_->take(std::move(due.outgoing));
            }
        }
    }
    catch (const models::StoreError &)
    {
        due.at = Clock::now() + kTryAgain;
        resends_.push_back(std::move(due));
    }
    --resending_;
}

void TxPipeline::lookFor(const models::TxHash &hash)
{
    attempts_->lookFor(hash);
}

void TxPipeline::reorganised(std::int64_t fromBlock)
{
    const TimePoint now = Clock::now();
    const bool again = reorg_.at + kReceiptMayBeStale > now;
    reorg_.fromBlock = again ? std::min(reorg_.fromBlock, fromBlock) : fromBlock;
    reorg_.at = now;
    reorg_.lookWanted = true;
}

void TxPipeline::closed(const Attempt &attempt)
{
    // Its receipt may be of a block that is gone: found before the reorg, written after it.
    if (attempt.receipt && attempt.overAt <= reorg_.at + kReceiptMayBeStale &&
        static_cast<std::int64_t>(attempt.receipt->blockNumber) >= reorg_.fromBlock)
    {
        reorg_.lookWanted = true;
    }
    events_.room();
}

TxPipeline::Snapshot TxPipeline::snapshot() const
{
    Snapshot snapshot;
    snapshot.held = lane_->held();
    snapshot.paused = lane_->paused();
    snapshot.nextNonce = lane_->nextNonce();
    snapshot.preparing = preparation_->waiting();
    snapshot.signing = lane_->waiting();
    snapshot.inAir = attempts_->inAir();
    snapshot.open = attempts_->size();
    snapshot.waitingToResend = resends_.size() + resending_;
    snapshot.lookingAtReorg = reorg_.lookWanted || reorg_.looking;
    return snapshot;
}
}  // namespace relayer::plugins
