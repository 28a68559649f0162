// When the chain went another way: what was mined is looked at again, and nonces that the chain has
// given back are found. A part of tx_pipeline.h.
#include "plugins/tx_pipeline.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <vector>

namespace relayer::plugins
{
namespace
{
constexpr std::size_t kRowsPerRead = 500;
}  // namespace

drogon::AsyncTask TxPipeline::lookAtMinedSince(std::int64_t fromBlock)
{
    const auto self = shared_from_this();
    reorg_.looking = true;
    reorg_.lookWanted = false;
    try
    {
        const auto pass = context_->gate.enter();
        const auto next = static_cast<std::int64_t>(
            co_await context_->node->transactionCount(context_->signer->address(), "latest"));
        const auto mined = co_await resumedOn(
            context_->loop,
            context_->lanes->minedSince(context_->options.lane, fromBlock, next, kRowsPerRead));
        if (!mined.empty())
        {
            LOG_WARN << "step=reorganised from_block=" << fromBlock << " next_nonce=" << next
                     << " mined=" << mined.size();
        }
        lookForGap(next, mined);
        const auto open = co_await resumedOn(
            context_->loop, context_->lanes->openAttempts(context_->options.lane, 0, 1));
        lookForForgotten(open.empty() ? std::nullopt : std::optional(open.front().nonce));
        for (const models::StoredAttempt &stored : mined)
        {
            co_await lookAtMined(stored);
        }
    }
    catch (const std::exception &error)
    {
        LOG_WARN << "step=reorg_not_checked why=" << error.what();
        reorg_.lookWanted = !context_->gate.closed();
    }
    reorg_.looking = false;
}

// The chain waits for a nonce that is neither closed nor carried here: an attempt was opened again,
// or committed, and nobody told us.
void TxPipeline::lookForGap(std::int64_t next, const std::vector<models::StoredAttempt> &mined)
{
    const bool wasMined = std::any_of(mined.begin(), mined.end(),
                                      [next](const auto &each) { return each.nonce == next; });
    if (next < lane_->nextNonce() && !attempts_->carries(next) && !wasMined)
    {
        lane_->readAgain();
    }
}

// The same of a nonce that the chain has gone past: the lowest that is open in the books. Seen
// twice, since what is just being closed may have been read as open.
void TxPipeline::lookForForgotten(std::optional<std::int64_t> lowest)
{
    const bool known = !lowest || *lowest >= lane_->nextNonce() || attempts_->carries(*lowest);
    if (!known && reorg_.notCarried == lowest)
    {
        LOG_WARN << "step=attempt_forgotten nonce=" << *lowest;
        lane_->readAgain();
    }
    reorg_.notCarried = known ? std::nullopt : lowest;
}

// Nobody's reorg notice alone opens a nonce again: the node must know no receipt, and stand before
// it.
drogon::Task<> TxPipeline::lookAtMined(models::StoredAttempt stored)
{
    std::vector<core::Hash32> hashes(stored.versions.size());
    std::transform(stored.versions.begin(), stored.versions.end(), hashes.begin(),
                   [](const models::TxVersion &version) { return version.hash; });
    const auto receipts = co_await context_->node->receipts(std::move(hashes));
    const auto mined = std::find_if(receipts.begin(), receipts.end(),
                                    [](const auto &receipt) { return receipt.has_value(); });
    if (mined != receipts.end())
    {
        const auto id =
            chain::requestIdIn((*mined)->logs, stored.kind, context_->options.contracts);
        if (stored.request && id)
        {
            // Mined anew, perhaps under another id.
            co_await resumedOn(context_->loop,
                               context_->requests().replaceReceipt(*stored.request, std::nullopt,
                                                                   (*mined)->txHash, *id));
            events_.receiptStored(stored.kind, *id);
        }
        co_return;
    }
    const auto count =
        co_await context_->node->transactionCount(context_->signer->address(), "latest");
    if (count > static_cast<std::uint64_t>(stored.nonce))
    {
        co_return;
    }
    const models::LaneHold hold = context_->hold();
    const bool open = co_await resumedOn(context_->loop, context_->lanes->reopen(hold, stored.id));
    if (open && !attempts_->carries(stored.nonce))
    {
        ++places_;
        stored.state = models::AttemptState::Signed;
        attempts_->resume(stored);
    }
}
}  // namespace relayer::plugins
