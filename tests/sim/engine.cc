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

namespace
{
constexpr std::size_t kRowsPerRead = 5;
}  // namespace

Engine::Engine(Process &process) : process_(process), lease_(timing::kLaneLease) {}

void Engine::drain()
{
    draining_ = true;
    tickLane();
}

std::size_t Engine::left() const
{
    return preparing_ + ready_.size() + underWay_ + releasing_ + open_.size() +
           (recovering_ ? 1 : 0) + (signing_ ? 1 : 0) +
           static_cast<std::size_t>(std::ranges::count(pulling_, true));
}

void Engine::tick()
{
    if (resting_)
    {
        return;
    }
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
        if (at <= process_.now() && lease_.held() && !draining_)
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
        const auto wake = process_.seeQueue(kind).wakeAt(process_.now());
        if (wake && *wake <= process_.now())
        {
            process_.queue(kind).told();
            pull(kind);
        }
    }
}

std::size_t Engine::room() const
{
    if (draining_ || !recovered_ || !lease_.held() || paused_)
    {
        return 0;
    }
    return timing::kRoom -
           std::min(timing::kRoom, preparing_ + ready_.size() + underWay_ + open_.size());
}

void Engine::pull(Kind kind)
{
    bool &pulling = pulling_[static_cast<std::size_t>(kind)];
    const std::size_t most = pulling ? 0 : room();
    const std::size_t tokens = most > 0 ? process_.queue(kind).takeTokens(most, process_.now()) : 0;
    if (tokens == 0)
    {
        return;
    }
    pulling = true;
    World &world = process_.world();
    statement(
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
    statement(
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
        if (draining_)
        {
            releaseLater(row.id);
            continue;
        }
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
    call([&world, id = outgoing.request] { return !world.fortuneOf(id).estimateReverts; },
         [this, outgoing](const bool *succeeds) {
             if (draining_)
             {
                 --preparing_;
                 releaseLater(outgoing.request);
                 return;
             }
             if (carries(outgoing.request))
             {
                 --preparing_;
                 return;
             }
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
    statement(
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
    ++releasing_;
    process_.later(draining_ ? timing::kReleaseWhileDraining : timing::kGiveBackAfter,
                   [this, request] {
                       World &world = process_.world();
                       statement(
                           [&world, request, epoch = process_.epoch()] {
                               world.database().release({request}, epoch);
                               return true;
                           },
                           [this, request](const bool *written) {
                               --releasing_;
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
    if (recovered_ || recovering_ || draining_ || !idle || !lease_.held())
    {
        return;
    }
    recovering_ = true;
    World &world = process_.world();
    statement([&world, epoch = process_.epoch()] { return world.database().stranded(epoch); },
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
        statement(
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
    releaseHeld(LivePlace());
}

void Engine::releaseHeld(LivePlace from)
{
    World &world = process_.world();
    statement(
        [&world, from, epoch = process_.epoch()] {
            return world.database().release(epoch, Status::Processing, from, kRowsPerRead);
        },
        [this](const Page *page) {
            if (page != nullptr && page->next)
            {
                releaseHeld(*page->next);
                return;
            }
            recovering_ = false;
            recovered_ = page != nullptr;
        });
}

bool Engine::carries(RequestId request) const
{
    return std::ranges::any_of(open_, [request](const auto &entry) {
        return entry.second->outgoing && entry.second->outgoing->request == request;
    });
}

void Engine::resend(Outgoing outgoing)
{
    if (carries(outgoing.request))
    {
        return;  // it was recovered and sent some other way
    }
    World &world = process_.world();
    statement(
        [&world, id = outgoing.request, epoch = process_.epoch()] {
            return world.database().apply(Transition::Recover, id, epoch).won;
        },
        [this, outgoing](const bool *won) {
            if (won == nullptr)
            {
                resends_.emplace_back(outgoing, process_.now() + timing::kTryAgain);
                return;
            }
            if (*won && draining_)
            {
                releaseLater(outgoing.request);
            }
            else if (*won)
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
    statement(
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
}  // namespace relayer::sim
