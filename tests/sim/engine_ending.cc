// As plugins/tx_attempts_ending.cc: the request first, the attempt last.
#include "sim/engine.h"
#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>

namespace relayer::sim
{
using core::Transition;

void Engine::found(const AttemptPtr &attempt, const Receipt &receipt)
{
    paused_ = false;
    attempt->receipt = receipt;
    attempt->overAt = process_.now();
    end(attempt);
}

void Engine::end(const AttemptPtr &attempt)
{
    attempt->ending = true;
    if (attempt->receipt)
    {
        writeMined(attempt);
    }
    else
    {
        writeConsumed(attempt);
    }
}

void Engine::notWritten(const AttemptPtr &attempt)
{
    attempt->ending = false;
    attempt->lookAt = process_.now() + timing::kTryAgain;
}

void Engine::close(const AttemptPtr &attempt)
{
    attempt->ending = false;
    if (!isOpen(attempt))
    {
        return;
    }
    open_.erase(attempt->nonce);
    // Its receipt may be of a block that is gone: found before the reorg, written after it.
    if (attempt->receipt && attempt->overAt <= reorgAt_ + timing::kReceiptMayBeStale &&
        attempt->receipt->block >= reorgFrom_)
    {
        reorgLookWanted_ = true;
    }
}

void Engine::writeConsumed(const AttemptPtr &attempt)
{
    const auto means = core::meaningOfConsumed(attempt->outgoing.has_value(), attempt->closing,
                                               attempt->requestEnded);
    World &world = process_.world();
    const auto mark = [this, &world, attempt, means] {
        statement(
            [&world, lane = process_.lane(), epoch = process_.epoch(), id = attempt->id] {
                world.database().markConsumed(lane, epoch, id);
                return true;
            },
            [this, attempt, means](const bool *written) {
                if (written == nullptr)
                {
                    notWritten(attempt);
                    return;
                }
                if (means == core::ConsumedMeans::SendAnew)
                {
                    if (lease_.held())
                    {
                        lease_.doubt(process_.now());
                    }
                    resends_.emplace_back(*attempt->outgoing, process_.now());
                }
                close(attempt);
            });
    };
    if (means != core::ConsumedMeans::Fails)
    {
        mark();
        return;
    }
    statement(
        [&world, epoch = process_.epoch(), id = attempt->outgoing->request] {
            return world.database().apply(Transition::FailTransaction, id, epoch).won;
        },
        [this, attempt, mark](const bool *won) {
            if (won == nullptr)
            {
                notWritten(attempt);
                return;
            }
            attempt->requestEnded = true;
            mark();
        });
}

void Engine::writeMined(const AttemptPtr &attempt)
{
    if (!attempt->outgoing || attempt->requestEnded)
    {
        closeMined(attempt, false);
        return;
    }
    const Receipt &receipt = *attempt->receipt;
    const auto version = std::ranges::find_if(
        attempt->versions, [&](const Version &each) { return each.bytes.hash == receipt.hash; });
    core::MinedAttempt mined;
    mined.kind = attempt->outgoing->kind;
    mined.noOp = version != attempt->versions.end() && version->noOp;
    mined.succeeded = receipt.succeeded;
    mined.requestEvent = receipt.gatewayId != 0;
    switch (core::meaningOf(mined))
    {
        case core::MinedMeans::Receipt: storeReceipt(attempt); return;
        case core::MinedMeans::SendAnew: closeMined(attempt, true); return;
        case core::MinedMeans::Reverted:
            process_.world().mutation() == Mutation::RevertedSentAnew ? closeMined(attempt, true)
                                                                      : failMined(attempt);
            return;
        case core::MinedMeans::Closed:
        case core::MinedMeans::WithoutEvent: failMined(attempt); return;
    }
}

void Engine::failMined(const AttemptPtr &attempt)
{
    World &world = process_.world();
    statement(
        [&world, epoch = process_.epoch(), id = attempt->outgoing->request] {
            return world.database().apply(Transition::FailTransaction, id, epoch).won;
        },
        [this, attempt](const bool *won) {
            if (won == nullptr)
            {
                notWritten(attempt);
                return;
            }
            closeMined(attempt, false);
        });
}

void Engine::closeMined(const AttemptPtr &attempt, bool again)
{
    World &world = process_.world();
    statement(
        [&world, lane = process_.lane(), epoch = process_.epoch(), id = attempt->id,
         receipt = *attempt->receipt] {
            world.database().markMined(lane, epoch, id, receipt.hash, receipt.block);
            return true;
        },
        [this, attempt, again](const bool *written) {
            if (written == nullptr)
            {
                notWritten(attempt);
                return;
            }
            if (again)
            {
                Outgoing next = *attempt->outgoing;
                const Time wait = std::clamp(next.resendDelay, timing::kResendWithoutEvent,
                                             timing::kResendWithoutEvent * 4);
                next.resendDelay = wait * 2;
                resends_.emplace_back(next, process_.now() + wait);
            }
            close(attempt);
        });
}

// RequestStore::markReceiptReceived, each statement on its own.
template <typename Then>
void Engine::markReceipt(RequestId request, core::Kind kind, const Receipt &receipt, Then then)
{
    World &world = process_.world();
    const auto apply = [&world, epoch = process_.epoch(), request, receipt] {
        return world.database()
            .apply(Transition::MarkReceiptReceived, request, epoch, receipt.hash, receipt.gatewayId)
            .won;
    };
    const auto settled = [this, &world, kind, receipt, then](const bool *won) {
        if (won == nullptr || !*won)
        {
            then(won);
            return;
        }
        statement(
            [&world, kind, id = receipt.gatewayId] {
                return world.database().settle(kind, id).has_value();
            },
            [then](const bool *ended) {
                constexpr bool kWon = true;
                then(ended == nullptr ? nullptr : &kWon);
            });
    };
    statement(apply, [this, &world, apply, settled, request, receipt](const bool *won) {
        if (won == nullptr || *won)
        {
            settled(won);
            return;
        }
        statement([&world, request,
                   receipt] { return world.database().freeGatewayId(request, receipt.gatewayId); },
                  [this, apply, settled](const bool *freed) {
                      if (freed == nullptr || !*freed)
                      {
                          settled(freed);
                          return;
                      }
                      statement(apply, settled);
                  });
    });
}

void Engine::storeReceipt(const AttemptPtr &attempt)
{
    markReceipt(attempt->outgoing->request, attempt->outgoing->kind, *attempt->receipt,
                [this, attempt](const bool *won) {
                    if (won == nullptr)
                    {
                        notWritten(attempt);
                    }
                    else if (*won)
                    {
                        receiptStored(attempt);
                    }
                    else
                    {
                        receiptNotFirst(attempt);
                    }
                });
}

void Engine::receiptStored(const AttemptPtr &attempt)
{
    process_.answers().wake();
    closeMined(attempt, false);
}

// It may have had a receipt before, which the chain took back.
void Engine::receiptNotFirst(const AttemptPtr &attempt)
{
    World &world = process_.world();
    statement(
        [&world, request = attempt->outgoing->request, receipt = *attempt->receipt] {
            return world.database().replaceReceipt(request, receipt.hash, receipt.gatewayId);
        },
        [this, &world, attempt](const bool *replaced) {
            if (replaced == nullptr)
            {
                notWritten(attempt);
                return;
            }
            if (!*replaced)
            {
                storeReceiptAfterAll(attempt);
                return;
            }
            statement(
                [&world, kind = attempt->outgoing->kind, id = attempt->receipt->gatewayId] {
                    return world.database().settle(kind, id).has_value();
                },
                [this, attempt](const bool *ended) {
                    if (ended == nullptr)
                    {
                        notWritten(attempt);
                        return;
                    }
                    receiptStored(attempt);
                });
        });
}

void Engine::storeReceiptAfterAll(const AttemptPtr &attempt)
{
    World &world = process_.world();
    statement(
        [&world, hash = attempt->versions.front().bytes.hash] {
            return world.database().rowOf(hash);
        },
        [this, &world, attempt](const std::optional<Row> *row) {
            if (row == nullptr)
            {
                notWritten(attempt);
                return;
            }
            const auto untaken =
                *row ? core::untakenReceipt((*row)->status) : core::UntakenReceipt::NotNeeded;
            if (untaken == core::UntakenReceipt::NotNeeded)
            {
                receiptStored(attempt);
                return;
            }
            if (untaken == core::UntakenReceipt::Again)
            {
                storeMarked(attempt, **row);
                return;
            }
            statement(
                [&world, epoch = process_.epoch(), id = (*row)->id, hash = attempt->receipt->hash] {
                    return world.database().apply(Transition::MarkTxInFlight, id, epoch, hash).won;
                },
                [this, attempt, kept = **row](const bool *won) {
                    if (won == nullptr)
                    {
                        notWritten(attempt);
                        return;
                    }
                    storeMarked(attempt, kept);
                });
        });
}

void Engine::storeMarked(const AttemptPtr &attempt, const Row &row)
{
    markReceipt(row.id, row.kind, *attempt->receipt, [this, attempt, row](const bool *won) {
        if (won == nullptr)
        {
            notWritten(attempt);
            return;
        }
        const bool ofAnother = row.owner && *row.owner != process_.epoch();
        if (*won)
        {
            receiptStored(attempt);
            return;
        }
        if (core::whyUntaken(row.status, ofAnother) ==
            core::TakenGatewayId::SomebodyElseHasTheRequest)
        {
            if (lease_.held())
            {
                lease_.doubt(process_.now());
            }
            notWritten(attempt);
            return;
        }
        World &world = process_.world();
        statement(
            [&world, epoch = process_.epoch(), id = row.id] {
                return world.database().apply(Transition::FailInternally, id, epoch).won;
            },
            [this, attempt](const bool *failed) {
                if (failed == nullptr)
                {
                    notWritten(attempt);
                    return;
                }
                receiptStored(attempt);
            });
    });
}
}  // namespace relayer::sim
