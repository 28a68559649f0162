// As plugins/tx_engine.cc, tx_pipeline.cc and tx_preparation.cc.
#include "sim/engine.h"

#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>

namespace relayer::sim
{
using core::Kind;
using core::Status;
using core::Transition;

Engine::Engine(Process &process) : process_(process), lease_(timing::kLaneLease) {}

void Engine::tick()
{
    tickLane();
    recoverWhenIdle();
    if (gapLookAt_ <= process_.now())
    {
        // A reorg that no listener saw may have left a gap.
        gapLookAt_ = process_.now() + timing::kLookForGaps;
        reorgLookWanted_ = true;
    }
    if (reorgLookWanted_ && !reorgLooking_ && lease_.held())
    {
        lookAtMinedSince();
    }
    if (open_.empty())
    {
        paused_ = false;
    }
    if (lease_.held())
    {
        tickAttempts();
    }
    for (const auto &[outgoing, at] : std::exchange(resends_, {}))
    {
        if (at <= process_.now() && lease_.held())
        {
            resend(outgoing);
        }
        else
        {
            resends_.emplace_back(outgoing, at);
        }
    }
    for (const Kind kind : core::kAllKinds)
    {
        const auto wake = process_.queue(kind).wakeAt(process_.now());
        if (wake && *wake <= process_.now())
        {
            process_.queue(kind).told();
            pull(kind);
        }
    }
}

std::size_t Engine::room() const
{
    if (!recovered_ || !lease_.held() || paused_)
    {
        return 0;
    }
    return timing::kRoom -
           std::min(timing::kRoom, preparing_ + ready_.size() + underWay_ + open_.size());
}

void Engine::pull(Kind kind)
{
    bool &pulling = pulling_[static_cast<std::size_t>(kind)];
    core::TxQueue &queue = process_.queue(kind);
    const std::size_t most = pulling ? 0 : room();
    const std::size_t tokens = most > 0 ? queue.takeTokens(most, process_.now()) : 0;
    if (tokens == 0)
    {
        return;
    }
    pulling = true;
    World &world = process_.world();
    process_.statement(
        [&world, kind, tokens, epoch = process_.epoch()] {
            return world.database().claim(kind, Status::Processing, epoch, tokens);
        },
        [this, kind, tokens](const std::vector<Claimed> *rows) {
            pulling_[static_cast<std::size_t>(kind)] = false;
            core::TxQueue &line = process_.queue(kind);
            if (rows == nullptr)
            {
                // It may have happened unseen: what we hold is looked at again.
                recovered_ = false;
                line.returnTokens(tokens, process_.now());
                return;
            }
            std::vector<std::int64_t> tickets;
            for (const Claimed &row : *rows)
            {
                tickets.push_back(row.ticket);
            }
            line.pulled(tickets);
            line.returnTokens(tokens - rows->size(), process_.now());
            take(*rows);
        });
}

void Engine::measure()
{
    if (std::exchange(measuring_, true))
    {
        return;
    }
    World &world = process_.world();
    process_.statement(
        [&world] {
            std::array<Head, core::kKinds> heads;
            for (const Kind kind : core::kAllKinds)
            {
                heads.at(static_cast<std::size_t>(kind)) =
                    world.database().head(kind, Status::Processing);
            }
            return heads;
        },
        [this](const std::array<Head, core::kKinds> *heads) {
            measuring_ = false;
            for (const Kind kind : core::kAllKinds)
            {
                if (heads != nullptr)
                {
                    const Head &head = heads->at(static_cast<std::size_t>(kind));
                    process_.queue(kind).level(head.ticket, head.waiting);
                }
            }
        });
}

void Engine::take(const std::vector<Claimed> &rows)
{
    for (const Claimed &row : rows)
    {
        ++preparing_;
        if (process_.world().fortuneOf(row.id).payloadBroken)
        {
            process_.world().had(Fault::PayloadBroken);
            fail(row.id, Transition::FailInternally);
            continue;
        }
        estimate({row.id, row.kind, 0, Time(0)});
    }
}

void Engine::estimate(Outgoing outgoing)
{
    World &world = process_.world();
    ++outgoing.tries;
    process_.call([&world, id = outgoing.request] { return !world.fortuneOf(id).estimateReverts; },
                  [this, outgoing](const bool *succeeds) {
                      if (succeeds == nullptr)
                      {
                          retry(outgoing);
                          return;
                      }
                      if (!*succeeds)
                      {
                          process_.world().had(Fault::EstimateReverts);
                          fail(outgoing.request, Transition::FailTransaction);
                          return;
                      }
                      --preparing_;
                      ready_.push_back(outgoing);
                      tickLane();
                  });
}

void Engine::retry(Outgoing outgoing)
{
    if (outgoing.tries >= timing::kMostSends)
    {
        fail(outgoing.request, Transition::FailTransaction);
        return;
    }
    process_.later(timing::kRetry, [this, outgoing] { estimate(outgoing); });
}

// Tries until the database has taken it.
void Engine::fail(RequestId request, Transition transition)
{
    World &world = process_.world();
    process_.statement(
        [&world, request, transition, epoch = process_.epoch()] {
            return world.database().apply(transition, request, epoch).won;
        },
        [this, request, transition](const bool *won) {
            if (won == nullptr)
            {
                process_.later(timing::kTryAgain,
                               [this, request, transition] { fail(request, transition); });
                return;
            }
            --preparing_;
        });
}

void Engine::releaseLater(RequestId request)
{
    process_.later(timing::kGiveBackAfter, [this, request] {
        World &world = process_.world();
        process_.statement(
            [&world, request, epoch = process_.epoch()] {
                world.database().release({request}, epoch);
                return true;
            },
            [this, request](const bool *written) {
                if (written == nullptr)
                {
                    releaseLater(request);
                }
            });
    });
}

void Engine::recoverWhenIdle()
{
    const bool idle = preparing_ == 0 && ready_.empty() && underWay_ == 0;
    if (recovered_ || recovering_ || !idle || !lease_.held())
    {
        return;
    }
    recovering_ = true;
    World &world = process_.world();
    process_.statement(
        [&world, epoch = process_.epoch()] { return world.database().stranded(epoch); },
        [this](const std::vector<RequestId> *stranded) {
            if (stranded == nullptr)
            {
                recovering_ = false;
                return;
            }
            recoverStranded(*stranded);
        });
}

void Engine::recoverStranded(std::vector<RequestId> stranded)
{
    World &world = process_.world();
    std::erase_if(stranded, [this](RequestId request) {
        return std::ranges::any_of(resends_,
                                   [&](const auto &each) { return each.first.request == request; });
    });
    if (!stranded.empty())
    {
        const RequestId next = stranded.back();
        stranded.pop_back();
        process_.statement(
            [&world, next, epoch = process_.epoch()] {
                return world.database().apply(Transition::Recover, next, epoch).won;
            },
            [this, stranded](const bool *won) {
                if (won == nullptr)
                {
                    recovering_ = false;
                    return;
                }
                recoverStranded(stranded);
            });
        return;
    }
    process_.statement(
        [&world, epoch = process_.epoch()] {
            world.database().releaseHeld(Status::Processing, epoch);
            return true;
        },
        [this](const bool *written) {
            recovering_ = false;
            recovered_ = written != nullptr;
        });
}

void Engine::resend(Outgoing outgoing)
{
    const bool carried = std::ranges::any_of(open_, [&](const auto &entry) {
        return entry.second->outgoing && entry.second->outgoing->request == outgoing.request;
    });
    if (carried)
    {
        return;  // it was recovered and sent some other way
    }
    World &world = process_.world();
    process_.statement(
        [&world, id = outgoing.request, epoch = process_.epoch()] {
            return world.database().apply(Transition::Recover, id, epoch).won;
        },
        [this, outgoing](const bool *won) {
            if (won == nullptr)
            {
                resends_.emplace_back(outgoing, process_.now() + timing::kTryAgain);
                return;
            }
            if (*won)
            {
                ++preparing_;
                Outgoing next = outgoing;
                next.tries = 0;
                estimate(next);
            }
        });
}

void Engine::adopt(const StoredAttempt &stored)
{
    if (open_.contains(stored.attempt.nonce))
    {
        catchUp(stored);
        return;
    }
    if (core::adoptionOf(stored.attempt.request != 0, stored.status, stored.attempt.closing) ==
        core::Adoption::MarkFirst)
    {
        adoptRecovered(stored);
        return;
    }
    resume(stored);
}

void Engine::adoptRecovered(const StoredAttempt &stored)
{
    World &world = process_.world();
    process_.statement(
        [&world, epoch = process_.epoch(), id = stored.attempt.request,
         hash = stored.attempt.versions.front().bytes.hash] {
            return world.database().apply(Transition::MarkTxInFlight, id, epoch, hash).won;
        },
        [this, stored](const bool *won) {
            if (won == nullptr)
            {
                if (lease_.held())
                {
                    lease_.doubt(process_.now());
                }
                return;
            }
            if (!open_.contains(stored.attempt.nonce))
            {
                resume(stored);
            }
        });
}

void Engine::reorganised(std::int64_t fromBlock)
{
    const Time now = process_.now();
    const bool again = reorgAt_ + timing::kReceiptMayBeStale > now;
    reorgFrom_ = again ? std::min(reorgFrom_, fromBlock) : fromBlock;
    reorgAt_ = now;
    reorgLookWanted_ = true;
}

void Engine::lookAtMinedSince()
{
    reorgLooking_ = true;
    reorgLookWanted_ = false;
    World &world = process_.world();
    process_.call([&world, lane = process_.lane()] { return world.chain().count(lane, 0); },
                  [this](const std::int64_t *count) {
                      if (count == nullptr)
                      {
                          reorgLooking_ = false;
                          reorgLookWanted_ = true;
                          return;
                      }
                      lookAtMinedFrom(*count);
                  });
}

void Engine::lookAtMinedFrom(std::int64_t nonce)
{
    World &world = process_.world();
    process_.statement(
        [&world, nonce, lane = process_.lane(), from = reorgFrom_] {
            return world.database().minedSince(lane, from, nonce);
        },
        [this, nonce](const std::vector<StoredAttempt> *mined) {
            reorgLooking_ = false;
            if (mined == nullptr)
            {
                reorgLookWanted_ = true;
                return;
            }
            lookForGap(nonce, *mined);
            for (const StoredAttempt &stored : *mined)
            {
                lookAtMined(stored);
            }
        });
}

// The chain waits for a nonce that is neither closed nor carried here: whether an attempt was
// opened again, or committed, was not told.
void Engine::lookForGap(std::int64_t next, const std::vector<StoredAttempt> &mined)
{
    const bool wasMined = std::ranges::any_of(
        mined, [next](const StoredAttempt &each) { return each.attempt.nonce == next; });
    if (next < nextNonce_ && !open_.contains(next) && !wasMined && lease_.held())
    {
        lease_.doubt(process_.now());
    }
}

// Nobody's reorg notice alone opens a nonce again: the node must know no receipt, and stand before
// it.
void Engine::lookAtMined(const StoredAttempt &stored)
{
    struct Seen
    {
        std::optional<Receipt> receipt;
        std::int64_t count = 0;
    };
    World &world = process_.world();
    process_.call(
        [&world, stored, lane = process_.lane()] {
            Seen seen;
            for (const Version &version : stored.attempt.versions)
            {
                seen.receipt =
                    seen.receipt ? seen.receipt : world.chain().receipt(version.bytes.hash, 0);
            }
            seen.count = world.chain().count(lane, 0);
            return seen;
        },
        [this, &world, stored](const Seen *seen) {
            if (seen == nullptr)
            {
                reorgLookWanted_ = true;
                return;
            }
            if (!seen->receipt)
            {
                if (seen->count <= stored.attempt.nonce)
                {
                    reopen(stored);
                }
                return;
            }
            if (stored.attempt.request == 0 || seen->receipt->gatewayId == 0)
            {
                return;
            }
            // Mined anew, perhaps under another id.
            process_.statement(
                [&world, id = stored.attempt.request, receipt = *seen->receipt] {
                    return world.database().replaceReceipt(id, receipt.hash, receipt.gatewayId);
                },
                [this](const bool *replaced) {
                    reorgLookWanted_ = reorgLookWanted_ || replaced == nullptr;
                    process_.answers().wake();
                });
        });
}

void Engine::reopen(const StoredAttempt &stored)
{
    World &world = process_.world();
    process_.statement(
        [&world, lane = process_.lane(), epoch = process_.epoch(), id = stored.attempt.id] {
            return world.database().reopen(lane, epoch, id);
        },
        [this, stored](const bool *opened) {
            if (opened == nullptr)
            {
                reorgLookWanted_ = true;
            }
            else if (*opened && !open_.contains(stored.attempt.nonce))
            {
                resume(stored);
            }
        });
}
}  // namespace relayer::sim
