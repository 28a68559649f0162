// As plugins/tx_attempts.cc and tx_attempts_closing.cc.
#include "sim/engine.h"
#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>

namespace relayer::sim
{
using chain::SendAnswer;
using core::AttemptStep;

void Engine::launch(const AttemptPtr &attempt)
{
    const Time now = process_.now();
    open_.insert_or_assign(attempt->nonce, attempt);
    attempt->signedAt = now;
    attempt->lookAt = now + timing::kReceiptPoll;
    attempt->bumpAt = now + timing::kBump;
    send(attempt);
}

void Engine::resume(const StoredAttempt &stored)
{
    const Time now = process_.now();
    auto attempt = std::make_shared<Attempt>();
    attempt->id = stored.attempt.id;
    attempt->nonce = stored.attempt.nonce;
    attempt->versions = stored.attempt.versions;
    attempt->closing = stored.attempt.closing;
    attempt->sends = stored.attempt.sends;
    attempt->sendsBeforeClosing = stored.attempt.closing ? stored.attempt.sends : 0;
    attempt->mayBeInPool = true;
    attempt->signedAt = now - stored.age;
    attempt->lookAt = now;
    attempt->sendAt = now;
    attempt->bumpAt = now + timing::kBump;
    const bool carries = stored.attempt.request != 0;
    if (carries)
    {
        attempt->outgoing = Outgoing{stored.attempt.request, stored.kind, 0, Time(0)};
    }
    open_.insert_or_assign(attempt->nonce, attempt);
    if (core::adoptionOf(carries, stored.status, stored.attempt.closing) ==
        core::Adoption::ResumeAndClose)
    {
        attempt->requestEnded = true;
        giveUp(attempt);
    }
}

void Engine::catchUp(const StoredAttempt &stored)
{
    const AttemptPtr attempt = open_.at(stored.attempt.nonce);
    const auto isKnown = [&attempt](const Version &version) {
        return std::ranges::any_of(attempt->versions, [&version](const Version &each) {
            return each.bytes.hash == version.bytes.hash;
        });
    };
    if (attempt->id != stored.attempt.id || std::ranges::all_of(stored.attempt.versions, isKnown))
    {
        return;
    }
    attempt->versions = stored.attempt.versions;
    attempt->sightings = {};
    attempt->mayBeInPool = true;
    attempt->lookAt = process_.now();
    if (stored.attempt.closing && !attempt->closing)
    {
        attempt->closing = true;
        attempt->sendsBeforeClosing = attempt->sends;
    }
}

bool Engine::isOpen(const AttemptPtr &attempt) const
{
    const auto entry = open_.find(attempt->nonce);
    return entry != open_.end() && entry->second == attempt;
}

void Engine::notOurs(const AttemptPtr &attempt)
{
    attempt->sending = false;
    if (isOpen(attempt) && !attempt->over())
    {
        lose();
    }
}

void Engine::lookFor(Hash hash)
{
    for (const auto &[nonce, attempt] : open_)
    {
        for (const Version &version : attempt->versions)
        {
            if (version.bytes.hash == hash)
            {
                attempt->lookAt = Time(0);
            }
        }
    }
}

void Engine::tickAttempts()
{
    const Time now = process_.now();
    std::vector<AttemptPtr> due;
    for (const auto &[nonce, attempt] : open_)
    {
        if (attempt->lookAt <= now)
        {
            due.push_back(attempt);
        }
    }
    for (const AttemptPtr &attempt : due)
    {
        if (attempt->over())
        {
            if (!attempt->ending)
            {
                end(attempt);
            }
            continue;
        }
        attempt->lookAt = now + timing::kReceiptPoll;
        look(attempt);
    }
}

void Engine::look(const AttemptPtr &attempt)
{
    World &world = process_.world();
    call(
        [&world, versions = attempt->versions] {
            std::optional<Receipt> receipt;
            const std::int64_t lag = world.lag();
            for (const Version &version : versions)
            {
                receipt = receipt ? receipt : world.chain().receipt(version.bytes.hash, lag);
            }
            return receipt;
        },
        [this, attempt](const std::optional<Receipt> *receipt) {
            if (!isOpen(attempt) || attempt->over())
            {
                return;
            }
            if (receipt != nullptr && *receipt)
            {
                found(attempt, **receipt);
                return;
            }
            act(attempt, receipt != nullptr);
        });
}

void Engine::act(const AttemptPtr &attempt, bool looked)
{
    const Time now = process_.now();
    core::UnminedAttempt unmined;
    unmined.underWay = attempt->sending;
    unmined.looked = looked;
    unmined.suspect = attempt->suspect;
    unmined.checkDue = attempt->sightingAt <= now;
    unmined.closing = attempt->closing;
    unmined.overdue = now - attempt->signedAt >= timing::kTxDeadline;
    unmined.sendDue = attempt->sendAt <= now;
    unmined.outOfSends = attempt->sends - attempt->sendsBeforeClosing >= timing::kMostSends;
    unmined.bumpDue = attempt->bumpAt <= now;
    unmined.atTheFront = true;
    switch (core::nextStep(unmined))
    {
        case AttemptStep::Wait: return;
        case AttemptStep::CheckNonce:
            attempt->sightingAt = now + timing::kRetry * 2;
            checkNonce(attempt);
            return;
        case AttemptStep::GiveUpOverdue:
        case AttemptStep::GiveUpUnsent: giveUp(attempt); return;
        case AttemptStep::Send: send(attempt); return;
        case AttemptStep::FailUnclosed:
            failRequest(attempt);
            attempt->sendsBeforeClosing = attempt->sends;
            attempt->sendAt = now + timing::kSlow;
            return;
        case AttemptStep::RaiseFees: bump(attempt); return;
    }
}

void Engine::send(const AttemptPtr &attempt)
{
    attempt->sending = true;
    if (attempt->sends == 0)
    {
        attempt->sends = 1;  // with the commit
        ask(attempt);
        return;
    }
    World &world = process_.world();
    statement([&world, lane = process_.lane(), epoch = process_.epoch(),
               id = attempt->id] { return world.database().countSend(lane, epoch, id); },
              [this, attempt](const bool *ours) {
                  if (ours == nullptr)
                  {
                      attempt->sending = false;
                      attempt->sendAt = process_.now() + timing::kTryAgain;
                      return;
                  }
                  if (!*ours)
                  {
                      notOurs(attempt);
                      return;
                  }
                  ++attempt->sends;
                  ask(attempt);
              });
}

void Engine::ask(const AttemptPtr &attempt)
{
    World &world = process_.world();
    call([&world, bytes = attempt->versions.back().bytes] { return world.chain().send(bytes); },
         [this, attempt](const SendAnswer *answer) {
             attempt->sending = false;
             if (isOpen(attempt) && !attempt->over())
             {
                 react(attempt, answer == nullptr ? SendAnswer::InDoubt : *answer);
             }
         });
}

void Engine::react(const AttemptPtr &attempt, SendAnswer answer)
{
    const Time now = process_.now();
    const chain::Reaction reaction = chain::reactionTo(answer);
    if (process_.world().mutation() == Mutation::NewNonceInDoubt && answer == SendAnswer::InDoubt)
    {
        attempt->consumed = true;
        end(attempt);
        return;
    }
    attempt->mayBeInPool = attempt->mayBeInPool || reaction.mayBeInPool;
    attempt->suspect = attempt->suspect || reaction.suspectNonce;
    attempt->lookAt = reaction.mayBeInPool ? now : now + timing::kReceiptPoll;
    attempt->sendAt = now + (reaction.sendAgain ? timing::kRetry : timing::kRebroadcast);
    if (reaction.raiseFees)
    {
        attempt->bumpAt = answer == SendAnswer::FeeTooLow
                              ? now
                              : std::min(attempt->bumpAt, now + 2 * timing::kReceiptPoll);
    }
    if (reaction.pausesLane)
    {
        paused_ = true;
        attempt->sendAt = now + timing::kFundsProbe;
        attempt->sendsBeforeClosing++;
    }
    else if (answer == SendAnswer::Accepted || answer == SendAnswer::Known)
    {
        paused_ = false;
    }
    if (reaction.givesUp)
    {
        refuse(attempt);
    }
}

void Engine::bump(const AttemptPtr &attempt)
{
    World &world = process_.world();
    attempt->bumpAt = process_.now() + timing::kBump;
    attempt->sending = true;
    Version version = attempt->versions.back();
    version.bytes.hash = world.newHash();
    version.bytes.fee =
        std::max(version.bytes.fee + version.bytes.fee / 4, world.chain().usualFee());
    statement([&world, lane = process_.lane(), epoch = process_.epoch(), id = attempt->id,
               version] { return world.database().addVersion(lane, epoch, id, version, false); },
              [this, attempt, version](const bool *added) {
                  attempt->sending = false;
                  if (added == nullptr)
                  {
                      return;
                  }
                  if (!*added)
                  {
                      notOurs(attempt);
                      return;
                  }
                  attempt->versions.push_back(version);
                  if (isOpen(attempt) && !attempt->over())
                  {
                      send(attempt);
                  }
              });
}

void Engine::checkNonce(const AttemptPtr &attempt)
{
    World &world = process_.world();
    attempt->sending = true;
    call([&world, lane = process_.lane()] { return world.chain().count(lane, world.lag()); },
         [this, attempt](const std::int64_t *count) {
             attempt->sending = false;
             if (count == nullptr || !isOpen(attempt) || attempt->over())
             {
                 return;
             }
             attempt->suspect = *count > attempt->nonce;
             if (attempt->sightings.saw(attempt->suspect))
             {
                 attempt->consumed = true;
                 end(attempt);
             }
         });
}

void Engine::refuse(const AttemptPtr &attempt)
{
    if (attempt->closing)
    {
        attempt->sendAt = process_.now() + timing::kRetry;
        return;
    }
    if (attempt->mayBeInPool)
    {
        giveUp(attempt);
        return;
    }
    World &world = process_.world();
    attempt->sending = true;
    call([&world, hash = attempt->versions.back().bytes.hash] { return world.chain().knows(hash); },
         [this, attempt](const bool *known) {
             attempt->sending = false;
             if (!isOpen(attempt) || attempt->over())
             {
                 return;
             }
             attempt->mayBeInPool = known == nullptr || *known;
             giveUp(attempt);
         });
}

void Engine::giveUp(const AttemptPtr &attempt)
{
    World &world = process_.world();
    if (world.mutation() == Mutation::NonceLeftOpen)
    {
        attempt->closing = true;
        attempt->consumed = true;
        end(attempt);
        return;
    }
    attempt->sending = true;
    attempt->sendAt = process_.now() + timing::kTryAgain;
    Version version;
    version.noOp = true;
    version.bytes = attempt->versions.back().bytes;
    version.bytes.request = 0;
    version.bytes.hash = world.newHash();
    version.bytes.fee =
        std::max(version.bytes.fee + version.bytes.fee / 4, world.chain().usualFee());
    statement([&world, lane = process_.lane(), epoch = process_.epoch(), id = attempt->id,
               version] { return world.database().addVersion(lane, epoch, id, version, true); },
              [this, attempt, version](const bool *added) {
                  attempt->sending = false;
                  if (added == nullptr)
                  {
                      return;  // act() comes back to it
                  }
                  if (!*added)
                  {
                      notOurs(attempt);
                      return;
                  }
                  attempt->versions.push_back(version);
                  attempt->closing = true;
                  attempt->sendsBeforeClosing = attempt->sends;
                  givenUp(attempt);
              });
}

void Engine::givenUp(const AttemptPtr &attempt)
{
    if (!isOpen(attempt) || attempt->over())
    {
        return;
    }
    if (!attempt->mayBeInPool)
    {
        failRequest(attempt);
    }
    send(attempt);
}

void Engine::failRequest(const AttemptPtr &attempt)
{
    if (attempt->requestEnded || !attempt->outgoing || !attempt->closing)
    {
        return;
    }
    World &world = process_.world();
    statement(
        [&world, epoch = process_.epoch(), id = attempt->outgoing->request] {
            return world.database().apply(core::Transition::FailTransaction, id, epoch).won;
        },
        [attempt](const bool *won) {
            attempt->requestEnded = attempt->requestEnded || won != nullptr;
        });
}
}  // namespace relayer::sim
