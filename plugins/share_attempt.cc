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

// Sent before, by us or by who held it: it may be there.
Task<bool> isThere(Context context, TakenShare share)
{
    if (!share.nullifier)
    {
        co_return false;
    }
    co_return co_await context->parts.nullifiers->spent(share.key.round, *share.nullifier);
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

Task<bool> isStillOurs(Context context, models::ShareId share, models::Claimer claimer,
                       Hash32 nullifier, std::optional<Hash32> txHash)
{
    return resumedOn(context->loop, context->shares->noteSent(share, claimer, nullifier, txHash));
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
    const auto answer = co_await context->parts.submitter->submit(std::move(message));
    const End end = co_await judge(context, share, answer.verdict, nullifier);
    if (end)
    {
        co_return *end;
    }
    if (!answer.txHash)
    {
        co_return Result{AttemptEnd::MayGoBetter, "no_tx_hash"};
    }
    if (!co_await isStillOurs(context, share.id, claimer, nullifier, answer.txHash))
    {
        co_return lost;
    }
    co_return co_await waitForBlock(context, share, *answer.txHash, nullifier);
}

Task<Result> stepByStep(Context context, TakenShare taken, models::Claimer claimer,
                        std::function<void()> proved)
{
    if (co_await isThere(context, taken))
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
    const auto path = co_await context->parts.tree->path(taken.key.round, taken.key.treePosition);
    if (context->stopping)
    {
        co_return kStopping;
    }
    RevealMessage message;
    message.share = *share;
    message.anchorHeight = path.anchorHeight;
    message.reveal = co_await context->parts.prover->prove(*share, path.merkle);
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
    try
    {
        co_return co_await stepByStep(context, std::move(share), claimer, std::move(proved));
    }
    catch (const ShareTrouble &trouble)
    {
        LOG_WARN << "step=process_share " << which << " code=" << trouble.code() << ": "
                 << trouble.what();
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
