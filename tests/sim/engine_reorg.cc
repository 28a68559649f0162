// As plugins/tx_pipeline_reorg.cc: what was mined and may not be any more.
#include "sim/engine.h"
#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>

namespace relayer::sim
{
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
    call([&world, lane = process_.lane()] { return world.chain().count(lane, 0); },
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
    statement([&world, nonce, lane = process_.lane(),
               from = reorgFrom_] { return world.database().minedSince(lane, from, nonce); },
              [this, nonce](const std::vector<StoredAttempt> *mined) {
                  reorgLooking_ = false;
                  if (mined == nullptr)
                  {
                      reorgLookWanted_ = true;
                      return;
                  }
                  lookForGap(nonce, *mined);
                  lookForForgotten();
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

// The same of a nonce that the chain has gone past. Seen twice, since what is just being closed may
// still stand in the books as open.
void Engine::lookForForgotten()
{
    World &world = process_.world();
    statement([&world, lane = process_.lane()] { return world.database().openAttempts(lane); },
              [this](const std::vector<StoredAttempt> *open) {
                  if (open == nullptr)
                  {
                      return;
                  }
                  const auto lowest =
                      open->empty() ? std::nullopt : std::optional(open->front().attempt.nonce);
                  const bool known = !lowest || *lowest >= nextNonce_ || open_.contains(*lowest);
                  if (!known && notCarried_ == lowest && lease_.held())
                  {
                      lease_.doubt(process_.now());
                  }
                  notCarried_ = known ? std::nullopt : lowest;
              });
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
    call(
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
            statement(
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
    statement([&world, lane = process_.lane(), epoch = process_.epoch(),
               id = stored.attempt.id] { return world.database().reopen(lane, epoch, id); },
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
