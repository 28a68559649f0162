#include "plugins/tx_lane.h"

#include "chain/transaction.h"
#include "plugins/fail_point.h"
#include "plugins/tx_signing.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <set>
#include <utility>

namespace relayer::plugins
{
namespace
{
using chain::rpc::RpcError;
using models::AttemptsCommitted;
using std::chrono::seconds;

constexpr std::size_t kBatch = 64;
constexpr std::size_t kBatchBytes = 8UL * 1024 * 1024;
constexpr std::size_t kAttemptsPerRead = 200;
constexpr seconds kTryAgain{1};

core::LaneLease::Time sinceStart(TimePoint time)
{
    return time.time_since_epoch();
}
}  // namespace

TxLane::TxLane(std::shared_ptr<TxContext> context, std::shared_ptr<TxFees> fees, Events events)
    : context_(std::move(context)),
      fees_(std::move(fees)),
      events_(std::move(events)),
      lease_(context_->options.lease)
{}

void TxLane::add(Outgoing outgoing)
{
    ready_.push_back(std::move(outgoing));
    tick(Clock::now());
}

void TxLane::pause(bool paused)
{
    if (paused && !paused_)
    {
        LOG_ERROR << "step=lane_paused alert=true lane=" << context_->options.lane
                  << ": the account can not pay for gas; its requests wait";
    }
    else if (!paused && paused_)
    {
        LOG_WARN << "step=lane_resumed lane=" << context_->options.lane;
    }
    paused_ = paused;
}

void TxLane::lose()
{
    if (!lease_.lost(sinceStart(Clock::now())))
    {
        return;
    }
    LOG_ERROR << "step=lane_lost alert=true lane=" << context_->options.lane
              << ": another instance holds it now";
    giveBackWhatIsReady();
    events_.released();
}

void TxLane::giveBackWhatIsReady()
{
    for (const Outgoing &outgoing : std::exchange(ready_, {}))
    {
        events_.lost(outgoing);
    }
}

void TxLane::drain()
{
    draining_ = true;
    tick(Clock::now());
}

void TxLane::readAgain()
{
    if (lease_.held())
    {
        lease_.doubt(sinceStart(Clock::now()));
    }
}

void TxLane::tick(TimePoint now)
{
    using Due = core::LaneLease::Due;
    const Due due = lease_.due(sinceStart(now));
    if (due == Due::RunOut)
    {
        lose();
    }
    if (draining_ && !lease_.inDoubt())
    {
        giveBackWhatIsReady();
    }
    // One that drains takes no lane, and only finds out what it may have committed.
    const bool wanted = !draining_ || lease_.inDoubt();
    // Not beside a commit: which nonces it took would be read half before it and half after.
    if (due == Due::Acquire && wanted && !acquiring_ && !signing_)
    {
        lease_.acquiring(sinceStart(now));
        acquire();
        return;
    }
    if (!lease_.held())
    {
        return;
    }
    if (due == Due::Renew && !renewing_)
    {
        renew();
    }
    if (!signing_ && !paused_ && !ready_.empty() && signAt_ <= now)
    {
        signAndCommit();
    }
}

drogon::AsyncTask TxLane::acquire()
{
    acquiring_ = true;
    try
    {
        const auto pass = context_->gate.enter();
        if (context_->claimer())
        {
            const std::uint64_t chainNonce =
                co_await context_->node->transactionCount(context_->signer->address(), "pending");
            // Meanwhile it may have begun to stop: a lane that was let go must not be taken back.
            const bool known = lease_.held() || lease_.inDoubt();
            reading_ = !context_->gate.closed() && (known || !draining_);
            bool ours = false;
            if (reading_)
            {
                ours = co_await readLane(static_cast<std::int64_t>(chainNonce));
            }
            if (ours)
            {
                LOG_INFO << "step=lane_held lane=" << context_->options.lane
                         << " next_nonce=" << nextNonce_;
                events_.held();
            }
            else if (reading_ && lease_.inDoubt())
            {
                lose();
            }
            else
            {
                // Made ready, or put back by a commit, after it had gone to somebody else.
                giveBackWhatIsReady();
            }
        }
        else
        {
            giveBackWhatIsReady();
        }
    }
    catch (const RpcError &error)
    {
        LOG_WARN << "step=lane_waits why=" << error.what();
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=lane_waits why=" << error.what();
    }
    acquiring_ = false;
    reading_ = false;
    tick(Clock::now());
}

// Takes the lane (again), and hands on every open attempt that is not carried yet.
drogon::Task<bool> TxLane::readLane(std::int64_t chainNonce)
{
    const TimePoint asked = Clock::now();
    const models::LaneHold hold = context_->hold();
    const models::LaneState lane = co_await resumedOn(
        context_->loop, context_->lanes->hold(hold, context_->signer->address(),
                                              context_->options.lease, chainNonce));
    if (lane.otherKey)
    {
        LOG_ERROR << "step=lane_has_another_key alert=true lane=" << hold.lane
                  << ": each signer.lane has one key, and each key one lane";
    }
    if (!lane.held)
    {
        co_return false;
    }
    std::int64_t nextNonce = lane.nextNonce;
    if (co_await isOfAnotherChain(hold))
    {
        LOG_ERROR << "step=chain_was_reset alert=true lane=" << hold.lane
                  << ": block 0 is another one than before; nonces start over, and what was sent "
                     "to the old chain is sent again";
        if (!co_await resumedOn(context_->loop, context_->lanes->startOver(hold, chainNonce)))
        {
            co_return false;
        }
        nextNonce = chainNonce;
        // The next look notes the new chain.
        static_cast<void>(co_await isOfAnotherChain(hold));
        events_.released();
    }
    std::set<models::RequestId> carried;
    std::int64_t from = 0;
    for (;;)
    {
        const std::vector<models::StoredAttempt> page = co_await resumedOn(
            context_->loop,
            context_->lanes->openAttempts(context_->options.lane, from, kAttemptsPerRead));
        for (const models::StoredAttempt &attempt : page)
        {
            if (attempt.request)
            {
                carried.insert(*attempt.request);
            }
            events_.stored(attempt);
            from = attempt.nonce + 1;
        }
        if (page.size() < kAttemptsPerRead)
        {
            break;
        }
    }
    std::erase_if(ready_, [&](const Outgoing &outgoing) {
        const bool committed = carried.contains(outgoing.request);
        if (committed)
        {
            events_.foundCommitted(outgoing);
        }
        return committed;
    });
    nextNonce_ = nextNonce;
    lease_.taken(sinceStart(asked));
    co_return true;
}

// A node that does not have block 0 (any more) tells nothing, and neither does one that says
// something else each time it is asked.
drogon::Task<bool> TxLane::isOfAnotherChain(models::LaneHold hold)
{
    const auto first = co_await context_->node->block(0);
    const auto again = co_await context_->node->block(0);
    if (!first || !again || first->hash != again->hash)
    {
        co_return false;
    }
    const auto known =
        co_await resumedOn(context_->loop, context_->lanes->genesis(hold, first->hash));
    co_return known && *known != first->hash;
}

drogon::AsyncTask TxLane::renew()
{
    renewing_ = true;
    const TimePoint asked = Clock::now();
    const bool wasSigning = signing_;
    const std::int64_t thoughtNext = nextNonce_;
    try
    {
        const auto pass = context_->gate.enter();
        const models::LaneHold hold = context_->hold();
        const auto next = co_await resumedOn(context_->loop,
                                             context_->lanes->renew(hold, context_->options.lease));
        const bool untouched = !wasSigning && !signing_ && nextNonce_ == thoughtNext;
        if (!next)
        {
            lose();
        }
        else if (untouched && *next != thoughtNext)
        {
            // A commit that was given up for lost has come through after the lane was read.
            lease_.doubt(sinceStart(Clock::now()));
        }
        else
        {
            lease_.renewed(sinceStart(asked));
        }
    }
    catch (const models::StoreError &)
    {
        lease_.notRenewed(sinceStart(Clock::now()));
    }
    renewing_ = false;
}

std::vector<Outgoing> TxLane::nextBatch()
{
    std::vector<Outgoing> batch;
    std::size_t bytes = 0;
    while (!ready_.empty() && batch.size() < kBatch && bytes < kBatchBytes)
    {
        bytes += ready_.front().calldata.size();
        batch.push_back(std::move(ready_.front()));
        ready_.pop_front();
    }
    return batch;
}

void TxLane::putBack(std::vector<Outgoing> batch)
{
    ready_.insert(ready_.begin(), std::make_move_iterator(batch.begin()),
                  std::make_move_iterator(batch.end()));
}

drogon::AsyncTask TxLane::signAndCommit()
{
    signing_ = true;
    std::vector<Outgoing> batch = nextBatch();
    underWay_ = batch.size();
    try
    {
        const auto pass = context_->gate.enter();
        co_await commit(batch);
    }
    catch (const RpcError &error)
    {
        LOG_WARN << "step=no_fees why=" << error.what();
        signAt_ = Clock::now() + context_->options.retryInterval;
        putBack(std::move(batch));
    }
    catch (const SigningFailed &error)
    {
        LOG_ERROR << "step=signing_failed alert=true why=" << error.what();
        signAt_ = Clock::now() + kTryAgain;
        putBack(std::move(batch));
    }
    catch (const models::StoreError &error)
    {
        // It may have happened. The lane is read again; what was committed is carried from there.
        LOG_WARN << "step=commit_in_doubt why=" << error.what();
        lease_.doubt(sinceStart(Clock::now()));
        putBack(std::move(batch));
    }
    underWay_ = 0;
    signing_ = false;
    tick(Clock::now());
}

drogon::Task<> TxLane::commit(std::vector<Outgoing> batch)
{
    const chain::Fees fees = co_await fees_->current();
    const std::int64_t firstNonce = nextNonce_;
    std::vector<chain::Transaction> transactions;
    transactions.reserve(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i)
    {
        chain::Transaction transaction;
        transaction.chainId = context_->options.chainId;
        transaction.nonce = static_cast<std::uint64_t>(firstNonce) + i;
        transaction.gasLimit = batch[i].gasLimit;
        transaction.to = batch[i].to;
        transaction.data = batch[i].calldata;
        offer(transaction, fees);
        transactions.push_back(std::move(transaction));
    }
    std::vector<models::TxVersion> versions = co_await sign(context_, std::move(transactions));
    std::vector<models::NewAttempt> attempts;
    attempts.reserve(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i)
    {
        attempts.push_back({batch[i].request, versions[i]});
    }
    failPoint("signed");
    const models::LaneHold hold = context_->hold();
    models::AttemptsCommitted outcome = co_await resumedOn(
        context_->loop, context_->lanes->commit(hold, firstNonce, std::move(attempts)));
    failPoint("committed");
    settle(std::move(outcome), std::move(batch), std::move(versions));
}

void TxLane::settle(AttemptsCommitted outcome, std::vector<Outgoing> batch,
                    std::vector<models::TxVersion> versions)
{
    switch (outcome.outcome)
    {
        case AttemptsCommitted::Outcome::Committed:
        {
            const std::int64_t firstNonce = nextNonce_;
            nextNonce_ += static_cast<std::int64_t>(batch.size());
            for (std::size_t i = 0; i < batch.size(); ++i)
            {
                auto attempt = std::make_shared<Attempt>();
                attempt->id = outcome.attempts[i];
                attempt->nonce = firstNonce + static_cast<std::int64_t>(i);
                attempt->outgoing = std::move(batch[i]);
                attempt->versions.push_back(std::move(versions[i]));
                events_.committed(std::move(attempt));
            }
            return;
        }
        case AttemptsCommitted::Outcome::LaneLost:
            putBack(std::move(batch));
            lose();
            return;
        case AttemptsCommitted::Outcome::NonceMoved:
            putBack(std::move(batch));
            lease_.doubt(sinceStart(Clock::now()));
            return;
        case AttemptsCommitted::Outcome::RowsLost: break;
    }
    const std::set<models::RequestId> lost(outcome.lost.begin(), outcome.lost.end());
    std::erase_if(batch, [&](const Outgoing &outgoing) {
        const bool gone = lost.contains(outgoing.request);
        if (gone)
        {
            LOG_WARN << "step=request_moved_on request=" << outgoing.request;
            events_.lost(outgoing);
        }
        return gone;
    });
    putBack(std::move(batch));
}
}  // namespace relayer::plugins
