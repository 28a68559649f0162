// As plugins/tx_lane.cc.
#include "sim/engine.h"
#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>
#include <set>

namespace relayer::sim
{
namespace
{
constexpr std::size_t kBatch = 4;
}

void Engine::tickLane()
{
    using Due = core::LaneLease::Due;
    const Due due = lease_.due(process_.now());
    if (due == Due::RunOut)
    {
        lose();
    }
    if (draining_ && !lease_.inDoubt())
    {
        giveBackWhatIsReady();
    }
    // Who drains takes no lane, and only finds out what it may have committed.
    const bool wanted = !draining_ || lease_.inDoubt();
    if (due == Due::Acquire && wanted && !acquiring_ && !signing_ && process_.works())
    {
        lease_.acquiring(process_.now());
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
    if (!signing_ && !paused_ && !ready_.empty())
    {
        signAndCommit();
    }
}

void Engine::belongToNobody()
{
    recovered_ = false;
    lose();
}

void Engine::lose()
{
    if (lease_.lost(process_.now()))
    {
        giveBackWhatIsReady();
        open_.clear();
    }
}

void Engine::giveBackWhatIsReady()
{
    for (const Outgoing &outgoing : std::exchange(ready_, {}))
    {
        releaseLater(outgoing.request);
    }
}

void Engine::acquire()
{
    acquiring_ = true;
    World &world = process_.world();
    const int lane = process_.lane();
    call([&world, lane] { return world.chain().pendingCount(lane); },
         [this](const std::int64_t *count) {
             if (count == nullptr)
             {
                 acquiring_ = false;
                 return;
             }
             // A lane that was let go must not be taken back.
             if (draining_ && !lease_.held() && !lease_.inDoubt())
             {
                 acquiring_ = false;
                 giveBackWhatIsReady();
                 return;
             }
             readLane(*count, process_.now());
         });
}

void Engine::readLane(std::int64_t chainNonce, Time asked)
{
    World &world = process_.world();
    const int lane = process_.lane();
    const Epoch epoch = process_.epoch();
    statement(
        [&world, lane, epoch, chainNonce] {
            return world.database().hold(lane, epoch, timing::kLaneLease, chainNonce);
        },
        [this, &world, lane, asked](const LaneHeld *held) {
            if (held == nullptr)
            {
                acquiring_ = false;
                return;
            }
            if (!held->held)
            {
                acquiring_ = false;
                if (lease_.inDoubt())
                {
                    lose();
                }
                giveBackWhatIsReady();
                return;
            }
            statement(
                [&world, lane] { return world.database().openAttempts(lane); },
                [this, asked, nonce = held->nextNonce](const std::vector<StoredAttempt> *stored) {
                    acquiring_ = false;
                    if (stored == nullptr)
                    {
                        return;
                    }
                    std::set<RequestId> carried;
                    for (const StoredAttempt &each : *stored)
                    {
                        carried.insert(each.attempt.request);
                        adopt(each);
                    }
                    std::erase_if(ready_, [&](const Outgoing &outgoing) {
                        return carried.contains(outgoing.request);
                    });
                    nextNonce_ = nonce;
                    lease_.taken(asked);
                });
        });
}

void Engine::renew()
{
    renewing_ = true;
    World &world = process_.world();
    const int lane = process_.lane();
    const Epoch epoch = process_.epoch();
    const Time asked = process_.now();
    const bool wasSigning = signing_;
    const std::int64_t thoughtNext = nextNonce_;
    statement(
        [&world, lane, epoch] { return world.database().renew(lane, epoch, timing::kLaneLease); },
        [this, asked, wasSigning, thoughtNext](const std::optional<std::int64_t> *next) {
            renewing_ = false;
            const bool untouched = !wasSigning && !signing_ && nextNonce_ == thoughtNext;
            if (next == nullptr)
            {
                lease_.notRenewed(process_.now());
            }
            else if (!*next)
            {
                lose();
            }
            else if (untouched && **next != thoughtNext)
            {
                lease_.doubt(process_.now());
            }
            else
            {
                lease_.renewed(asked);
            }
        });
}

void Engine::putBack(const std::vector<Outgoing> &batch)
{
    ready_.insert(ready_.begin(), batch.begin(), batch.end());
}

void Engine::signAndCommit()
{
    signing_ = true;
    World &world = process_.world();
    const int lane = process_.lane();
    const Epoch epoch = process_.epoch();
    std::vector<Outgoing> batch;
    std::vector<Signed> transactions;
    while (!ready_.empty() && batch.size() < kBatch)
    {
        Signed transaction;
        transaction.hash = world.newHash();
        transaction.lane = lane;
        transaction.nonce = nextNonce_ + static_cast<std::int64_t>(batch.size());
        transaction.request = ready_.front().request;
        transaction.fee = world.chain().usualFee();
        transactions.push_back(transaction);
        batch.push_back(ready_.front());
        ready_.pop_front();
    }
    underWay_ = batch.size();
    if (world.mutation() == Mutation::SendBeforeCommit)
    {
        for (const Signed &transaction : transactions)
        {
            world.call([&world, transaction] { return world.chain().send(transaction); },
                       [](const chain::SendAnswer *) {});
        }
    }
    statement([&world, lane, epoch, first = nextNonce_,
               transactions] { return world.database().commit(lane, epoch, first, transactions); },
              [this, batch, transactions](const Committed *outcome) {
                  if (outcome == nullptr)
                  {
                      // It may have happened. What was committed is found when the lane is read.
                      lease_.doubt(process_.now());
                      putBack(batch);
                  }
                  else
                  {
                      settle(*outcome, batch, transactions);
                  }
                  underWay_ = 0;
                  signing_ = false;
                  tickLane();
              });
}

void Engine::settle(const Committed &outcome, std::vector<Outgoing> batch,
                    const std::vector<Signed> &transactions)
{
    switch (outcome.outcome)
    {
        case Committed::Outcome::Committed:
            for (std::size_t i = 0; i < batch.size(); ++i)
            {
                auto attempt = std::make_shared<Attempt>();
                attempt->id = outcome.attempts[i];
                attempt->nonce = nextNonce_++;
                attempt->outgoing = batch[i];
                attempt->versions.push_back({transactions[i], false});
                launch(attempt);
            }
            return;
        case Committed::Outcome::LaneLost:
            putBack(batch);
            lose();
            return;
        case Committed::Outcome::NonceMoved:
            putBack(batch);
            lease_.doubt(process_.now());
            return;
        case Committed::Outcome::RowsLost: break;
    }
    const std::set<RequestId> lost(outcome.lost.begin(), outcome.lost.end());
    std::erase_if(batch, [&](const Outgoing &outgoing) {
        const bool gone = lost.contains(outgoing.request);
        if (gone)
        {
            releaseLater(outgoing.request);
        }
        return gone;
    });
    putBack(batch);
}
}  // namespace relayer::sim
