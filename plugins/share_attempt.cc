#include "plugins/share_attempt.h"

#include "core/bytes.h"
#include "models/store_error.h"
#include "plugins/resumed_on.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace relayer::plugins
{
using core::AttemptEnd;
using core::Hash32;
using core::VerdictMeans;
using drogon::Task;
using models::TakenShare;

namespace
{
using Context = std::shared_ptr<ShareAttemptContext>;
using Result = ShareAttemptResult;
// Of a step: nothing, and the attempt goes on, or how it ended.
using End = std::optional<Result>;

const Result kOnTheChain = {AttemptEnd::OnTheChain, ""};
const Result kStopping = {AttemptEnd::Interrupted, "stopping"};

// As the log may name it: not by its place in the tree.
std::string nameOf(const TakenShare &share)
{
    return "share=" + std::to_string(share.id) + " round_id=" + core::toHex(share.key.round) +
           " share_index=" + std::to_string(share.key.shareIndex);
}

bool roundIsOver(const Context &context, const TakenShare &share)
{
    return share.voteEndTime > 0 && context->now() >= share.voteEndTime;
}

VerdictMeans meansOf(const Context &context, const TakenShare &share,
                     const core::ChainVerdict &said)
{
    return core::verdictOf(said, share.attempts, roundIsOver(context, share)).means;
}

// Sent before, by us or by who held it: it may be there. What else a block said of it is no reason
// to leave it at that; the chain says it again.
Task<bool> isThere(Context context, TakenShare share, std::optional<Hash32> nullifier)
{
    bool there = false;
    if (nullifier)
    {
        there = co_await context->parts.nullifiers->spent(share.key.round, *nullifier);
    }
    if (there || !share.txHash)
    {
        co_return there;
    }
    const auto said = co_await context->parts.submitter->inBlock(*share.txHash);
    const auto means = said ? meansOf(context, share, *said) : VerdictMeans::Ended;
    co_return means == VerdictMeans::Accepted || means == VerdictMeans::AlreadySpent;
}

Task<End> mustBeActive(Context context, TakenShare share)
{
    const auto round = co_await context->parts.rounds->find(share.key.round);
    if (round && round->active)
    {
        co_return std::nullopt;
    }
    // The node may lag behind; but a round that is over will not become active again.
    co_return Result{
        roundIsOver(context, share) ? AttemptEnd::WillNotChange : AttemptEnd::MayGoBetter,
        round ? "round_not_active" : "round_not_found"};
}

// Nothing: the chain accepts it, as far as it has looked.
Task<End> judge(Context context, TakenShare share, core::ChainVerdict said, Hash32 nullifier)
{
    const core::Verdict verdict =
        core::verdictOf(said, share.attempts, roundIsOver(context, share));
    switch (verdict.means)
    {
        case VerdictMeans::Accepted: co_return std::nullopt;
        case VerdictMeans::AlreadySpent: co_return kOnTheChain;
        case VerdictMeans::PerhapsSpent:
            if (co_await context->parts.nullifiers->spent(share.key.round, nullifier))
            {
                co_return kOnTheChain;
            }
            break;
        case VerdictMeans::Ended: co_return Result{verdict.end, std::string(verdict.name)};
    }
    co_return Result{AttemptEnd::MayGoBetter, std::string(verdict.name)};
}

Task<Result> waitForBlock(Context context, TakenShare share, Hash32 txHash, Hash32 nullifier)
{
    const auto interval = std::max(context->options.blockInterval, std::chrono::milliseconds(1));
    for (auto waited = 0 * interval; waited <= context->options.blockPatience; waited += interval)
    {
        const auto said = co_await context->parts.submitter->inBlock(txHash);
        if (said)
        {
            const End end = co_await judge(context, share, *said, nullifier);
            co_return end.value_or(kOnTheChain);
        }
        if (context->stopping)
        {
            co_return kStopping;
        }
        co_await drogon::sleepCoro(context->loop, interval);
    }
    co_return Result{AttemptEnd::MayGoBetter, "not_in_a_block"};
}

// The pool knows the nullifier. It may be on the chain, or only in that pool: sent by us before, or
// by another helper; and what is in a pool can drop out of it. Nothing: nobody can tell.
Task<End> waitUntilSpent(Context context, TakenShare share, VerdictMeans said, Hash32 nullifier)
{
    const bool nodeTells = context->parts.nullifiers->canTell();
    const auto interval = std::max(context->options.blockInterval, std::chrono::milliseconds(1));
    for (auto waited = 0 * interval; waited <= context->options.blockPatience; waited += interval)
    {
        if (co_await isThere(context, share, nullifier))
        {
            co_return kOnTheChain;
        }
        if (context->stopping)
        {
            co_return kStopping;
        }
        co_await drogon::sleepCoro(context->loop, interval);
    }
    if (said == VerdictMeans::AlreadySpent && nodeTells)
    {
        // As long as it is in the pool, nothing is wrong with it.
        co_return Result{AttemptEnd::HeldUp, "in_the_pool"};
    }
    if (said == VerdictMeans::AlreadySpent && !share.txHash)
    {
        co_return std::nullopt;
    }
    co_return Result{AttemptEnd::MayGoBetter, "nullifier_spent"};
}

Task<bool> isStillOurs(Context context, models::ShareId share, models::Claimer claimer,
                       Hash32 nullifier, std::optional<Hash32> txHash)
{
    return resumedOn(context->loop, context->shares->noteSent(share, claimer, nullifier, txHash));
}

// What the pool says of it, and what came of that. Nothing: it took it, and told a hash.
Task<End> ask(Context context, TakenShare share, RevealMessage message,
              std::shared_ptr<ShareSubmitter::Answer> answer)
{
    const Hash32 nullifier = message.reveal.nullifier;
    for (const bool again : {false, true})
    {
        *answer = co_await context->parts.submitter->submit(message);
        const auto means = meansOf(context, share, answer->verdict);
        if (means != VerdictMeans::AlreadySpent && means != VerdictMeans::PerhapsSpent)
        {
            break;
        }
        End end = co_await waitUntilSpent(context, share, means, nullifier);
        // Without anybody to ask, it is the pool that is asked again: by then it has taken what it
        // had into a block, or dropped it, and takes this.
        if (!end && again)
        {
            end = kOnTheChain;
        }
        if (end)
        {
            co_return end;
        }
    }
    const End end = co_await judge(context, share, answer->verdict, nullifier);
    if (!end && !answer->txHash)
    {
        co_return Result{AttemptEnd::MayGoBetter, "no_tx_hash"};
    }
    co_return end;
}

Task<Result> send(Context context, TakenShare share, models::Claimer claimer, RevealMessage message)
{
    const Result lost = {AttemptEnd::Interrupted, "taken_over"};
    const Hash32 nullifier = message.reveal.nullifier;
    // Noted first: who comes after a crash asks the chain before it sends anything.
    if (!co_await isStillOurs(context, share.id, claimer, nullifier, std::nullopt))
    {
        co_return lost;
    }
    const auto answer = std::make_shared<ShareSubmitter::Answer>();
    const End end = co_await ask(context, share, std::move(message), answer);
    if (end)
    {
        co_return *end;
    }
    if (!co_await isStillOurs(context, share.id, claimer, nullifier, answer->txHash))
    {
        co_return lost;
    }
    co_return co_await waitForBlock(context, share, *answer->txHash, nullifier);
}

void noteProof(const Context &context, const TakenShare &share, std::chrono::nanoseconds took)
{
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took);
    LOG_INFO << "step=share_proved " << nameOf(share) << " proof_ms=" << micros.count() / 1000;
    if (context->proofTook)
    {
        context->proofTook(micros);
    }
}

// `answered` once the chain has answered something.
Task<Result> stepByStep(Context context, TakenShare taken, models::Claimer claimer,
                        std::function<void()> proved, std::shared_ptr<bool> answered)
{
    if (co_await isThere(context, taken, taken.nullifier))
    {
        co_return kOnTheChain;
    }
    const auto share = context->keys->open(taken.key, taken.sealed);
    if (!share)
    {
        // A key that is missing can be named again, so nothing is given up for it.
        throw ShareTrouble(AttemptEnd::HeldUp, "witness_unreadable",
                           "no key of share_scheduler opens the witness");
    }
    const End end = co_await mustBeActive(context, taken);
    if (end)
    {
        co_return *end;
    }
    *answered = true;
    const auto path = co_await context->parts.tree->path(taken.key.round, taken.key.treePosition);
    if (context->stopping)
    {
        co_return kStopping;
    }
    RevealMessage message;
    message.share = *share;
    message.anchorHeight = path.anchorHeight;
    const auto begin = std::chrono::steady_clock::now();
    message.reveal = co_await context->parts.prover->prove(*share, path.merkle);
    noteProof(context, taken, std::chrono::steady_clock::now() - begin);
    proved();
    if (context->stopping)
    {
        co_return kStopping;
    }
    co_return co_await send(context, std::move(taken), claimer, std::move(message));
}
}  // namespace

Task<ShareAttemptResult> attemptShare(Context context, TakenShare share, models::Claimer claimer,
                                      std::function<void()> proved)
{
    const std::string which = nameOf(share);
    const auto answered = std::make_shared<bool>(false);
    try
    {
        co_return co_await stepByStep(context, std::move(share), claimer, std::move(proved),
                                      answered);
    }
    catch (const ShareTrouble &trouble)
    {
        LOG_WARN << "step=process_share " << which << " code=" << trouble.code() << ": "
                 << trouble.what();
        if (trouble.code() == kChainError && *answered)
        {
            co_return Result{AttemptEnd::MayGoBetter, trouble.code(), true};
        }
        co_return Result{trouble.end(), trouble.code()};
    }
    catch (const models::StoreError &error)
    {
        // What was sent is not noted; the next attempt learns of it from the chain.
        LOG_WARN << "step=process_share " << which << ": " << error.what();
        co_return Result{AttemptEnd::HeldUp, "database"};
    }
    catch (const std::exception &error)
    {
        LOG_ERROR << "step=panic " << which << ": " << error.what();
        co_return Result{AttemptEnd::MayGoBetter, "internal"};
    }
}
}  // namespace relayer::plugins
