#include "plugins/gateway_listener_reader.h"

#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using chain::rpc::RpcError;
using core::Hash32;
using drogon::Task;
using models::ChainCursor;

namespace
{
constexpr std::size_t kTrail = 64;
constexpr std::size_t kKnownBlocks = 4096;
// A chain that was reset is read from its first block, unless it is a long one: then we were
// pointed at another network, and nothing of its past concerns us.
constexpr std::int64_t kRangesOfAReset = 10;
// One node behind a name may be behind the head that another one told: what it shows is looked for
// in steps of 1, 2, 4, ... back from there.
constexpr std::int64_t kLongestStepBack = 128;
constexpr int kMostRefusals = 3;

bool isUnknown(const Hash32 &hash)
{
    return hash == Hash32{};
}
}  // namespace

BlockReader::BlockReader(Context context, const ListenerOptions &options, EventIntake *intake,
                         SourceState *state)
    : context_(std::move(context)),
      options_(options),
      intake_(intake),
      state_(state),
      chunk_(options.maxBlockRange)
{}

void BlockReader::changeNode()
{
    nodeIndex_ = (nodeIndex_ + 1) % context_.nodes.size();
    showsBlocks_ = false;
    refusals_ = 0;
}

Task<bool> BlockReader::advance()
{
    progress_ = Progress::None;
    const std::uint64_t head = co_await resumedOn(context_.loop, node().blockNumber());
    head_ = static_cast<std::int64_t>(head);
    state_->head = head_;
    if (!cursor_)
    {
        co_await findCursor();
    }
    core::Reading reading;
    reading.cursor = cursor_->blockNumber;
    reading.head = head_;
    reading.confirmations = options_.confirmations;
    reading.overlap = options_.overlap;
    reading.chunk = chunk_.blocks();
    auto range = core::nextRange(reading);
    // The end of the range first, then where we stand, then the logs: whenever the chain changes
    // its mind in between, either this look at the cursor tells or, since the end is of the old
    // way, the next one does. An end asked for behind that look could be of the new way already,
    // and what was replaced behind the cursor would never be noticed.
    BlockLook last;
    if (range)
    {
        const RangeEnd end = co_await lookAtTheEnd(range->to);
        range->to = end.block;
        last = end.look;
    }
    const Way way = co_await lookAtCursor();
    if (way == Way::Another)
    {
        co_return true;
    }
    const bool withheld = isMoody(way == Way::Untold || last.refused);
    if (way == Way::Unclear || withheld || (range && isMissing(range->to, last)))
    {
        co_return false;
    }
    if (!range || range->to <= cursor_->blockNumber)
    {
        const bool behind = head_ < cursor_->blockNumber;
        progress_ = behind ? Progress::None : Progress::ToTheHead;
        co_return false;
    }
    co_await read(*range, last.hash);
    const bool more = cursor_->blockNumber < core::lastThatCounts(reading);
    progress_ = more ? Progress::Further : Progress::ToTheHead;
    co_return more;
}

Task<BlockReader::RangeEnd> BlockReader::lookAtTheEnd(std::int64_t block)
{
    RangeEnd end;
    end.block = block;
    end.look = co_await lookAt(block);
    // Before what is missing in longer and longer steps, and then between it and what is there.
    const std::int64_t read = cursor_->blockNumber;
    std::int64_t missing = block + 1;
    for (std::int64_t step = 1; isMissing(end.block, end.look) && step <= kLongestStepBack;
         step *= 2)
    {
        missing = end.block;
        end.block = std::max(end.block - step, read);
        if (end.block == read)
        {
            end.look = {};
            break;
        }
        end.look = co_await lookAt(end.block);
    }
    while (!isMissing(end.block, end.look) && missing - end.block > 1)
    {
        const std::int64_t between = end.block + (missing - end.block) / 2;
        const BlockLook seen = co_await lookAt(between);
        if (isMissing(between, seen))
        {
            missing = between;
            continue;
        }
        end = {between, seen};
    }
    co_return end;
}

bool BlockReader::isMoody(bool refused)
{
    if (!refused || !showsBlocks_)
    {
        refusals_ = 0;
        return false;
    }
    return ++refusals_ <= kMostRefusals;
}

Task<> BlockReader::findCursor()
{
    const auto genesis = co_await steadyHashOf(0);
    const std::string own = "listener." + state_->name;
    auto stored = co_await resumedOn(context_.loop, context_.inbox().cursor(own));
    if (!stored)
    {
        // An endpoint under a new name: what has come since the old ones were read is not to be
        // passed over.
        stored = co_await resumedOn(context_.loop, context_.inbox().furthestCursor(own));
        if (stored)
        {
            co_await resumedOn(context_.loop, context_.inbox().setCursor(*stored));
        }
    }
    if (stored)
    {
        cursor_ = std::move(stored);
        state_->cursor = cursor_->blockNumber;
        try
        {
            co_await checkChain(genesis);
        }
        catch (...)
        {
            cursor_.reset();  // or we would read on from where another chain was
            throw;
        }
        co_return;
    }
    const std::int64_t from = options_.startBlock.value_or(std::max<std::int64_t>(head_, 0));
    const auto hash = co_await hashOf(from - 1);
    co_await moveTo(from - 1, hash.value_or(Hash32{}), genesis.value_or(Hash32{}));
    LOG_INFO << "step=listening_from source=" << state_->name << " block=" << from;
}

Task<> BlockReader::checkChain(std::optional<Hash32> genesis)
{
    const Hash32 read = cursor_->genesisHash;
    const bool sameId = cursor_->chainId == options_.chainId;
    if (genesis && !isUnknown(read) ? *genesis != read : !sameId)
    {
        co_await startOver(genesis);
    }
    else if (!sameId || (genesis && isUnknown(read)))
    {
        co_await moveTo(cursor_->blockNumber, cursor_->blockHash, genesis.value_or(read));
    }
}

bool BlockReader::isMissing(std::int64_t block, const BlockLook &seen) const
{
    return seen.none && showsBlocks_ && head_ - block <= options_.maxReorgDepth;
}

std::optional<core::KnownBlock> BlockReader::standing() const
{
    if (cursor_->blockNumber >= 0 && !isUnknown(cursor_->blockHash))
    {
        return core::KnownBlock{cursor_->blockNumber, cursor_->blockHash, false};
    }
    return trail_.empty() ? std::nullopt : std::optional(trail_.back());
}

Task<BlockReader::Way> BlockReader::lookAtCursor()
{
    const auto stood = standing();
    if (!stood)
    {
        co_return Way::Same;
    }
    const bool behind = head_ < cursor_->blockNumber;
    if (!behind)
    {
        lagLogged_ = false;
        const BlockLook first = co_await lookAt(stood->number);
        if (isMissing(stood->number, first))
        {
            co_return Way::Unclear;
        }
        if (!first.hash)
        {
            co_return first.refused ? Way::Untold : Way::Same;
        }
        if (*first.hash == stood->hash)
        {
            co_return Way::Same;
        }
        const auto second = co_await hashOf(stood->number);
        if (second != first.hash)
        {
            // The chain goes back and forth, or two nodes behind one name differ, or one of them
            // did not say. Or it is a node that makes up hashes, another for each question, and
            // then nothing is to be had by waiting.
            const auto third = co_await hashOf(stood->number);
            const bool madeUp = second && third && *second != stood->hash &&
                                *third != stood->hash && *third != *second && third != first.hash;
            co_return madeUp ? Way::Same : Way::Unclear;
        }
    }
    const auto genesis = co_await steadyHashOf(0);
    if (genesis && !isUnknown(cursor_->genesisHash) && *genesis != cursor_->genesisHash)
    {
        co_await startOver(genesis);
        co_return Way::Another;
    }
    if (behind)
    {
        // A node that lags, or a chain that became shorter: once it is as long again, the hash of
        // the cursor's block tells.
        if (!std::exchange(lagLogged_, true))
        {
            LOG_WARN << "step=head_behind_cursor source=" << state_->name << " head=" << head_
                     << " cursor=" << cursor_->blockNumber;
        }
        co_return Way::Same;
    }
    co_await walkBack();
    co_return Way::Another;
}

Task<> BlockReader::walkBack()
{
    const std::int64_t floor =
        std::max<std::int64_t>(-1, cursor_->blockNumber - options_.maxReorgDepth);
    std::vector<core::KnownBlock> known(trail_.begin(), trail_.end());
    const auto seen = co_await resumedOn(
        context_.loop,
        context_.inbox().blocksSince(std::max<std::int64_t>(0, floor), kKnownBlocks));
    for (const auto &block : seen)
    {
        known.push_back({block.number, block.hash, true});
    }
    core::WalkBack walk(std::move(known), {head_, floor});
    while (const auto number = walk.ask())
    {
        walk.answer(co_await hashOf(*number));
    }
    const core::KnownBlock agreed = walk.agreedOn();
    LOG_WARN << "step=reorg source=" << state_->name << " from=" << agreed.number + 1
             << " cursor=" << cursor_->blockNumber << " orphans=" << walk.orphans().size()
             << (walk.reachedFloor() ? "; nothing known agrees, reading as far back as we go" : "");
    ++state_->reorgs;
    intake_->forgetWhatWasStored();
    co_await resumedOn(context_.loop, context_.inbox().removeBlocks(walk.orphans()));
    const Hash32 genesis = cursor_->genesisHash;
    co_await moveTo(agreed.number, agreed.hash, genesis);
    context_.reorganised(agreed.number + 1);
}

Task<> BlockReader::startOver(std::optional<Hash32> genesis)
{
    LOG_WARN << "step=chain_reset source=" << state_->name
             << ": this is another chain than the one we have read so far; its events are "
                "forgotten, and reading starts over";
    // Other sources notice too; the inbox is emptied once.
    co_await resumedOn(context_.loop, context_.inbox().forget(genesis));
    intake_->forgetWhatWasStored();
    trail_.clear();
    const std::int64_t from = options_.startBlock.value_or(
        std::max<std::int64_t>(0, head_ - kRangesOfAReset * options_.maxBlockRange));
    const auto hash = co_await hashOf(from - 1);
    co_await moveTo(from - 1, hash.value_or(Hash32{}), genesis.value_or(Hash32{}));
    context_.reorganised(0);
}

Task<> BlockReader::moveTo(std::int64_t block, Hash32 hash, Hash32 genesis)
{
    ChainCursor cursor;
    cursor.listener = "listener." + state_->name;
    cursor.chainId = options_.chainId;
    cursor.genesisHash = genesis;
    cursor.blockNumber = block;
    cursor.blockHash = hash;
    co_await resumedOn(context_.loop, context_.inbox().setCursor(cursor));
    cursor_ = std::move(cursor);
    state_->cursor = block;
    std::erase_if(trail_, [&](const core::KnownBlock &passed) { return passed.number > block; });
}

Task<> BlockReader::read(core::BlockRange range, std::optional<Hash32> hash)
{
    auto found = co_await logsOf(range);
    state_->skipped += found.skipped;
    std::erase_if(found.logs, [&](const chain::Log &log) {
        // A node that ignores the filter must not make us count a block before its time.
        return log.removed || (options_.confirmations > 0 &&
                               static_cast<std::int64_t>(log.blockNumber) > range.to);
    });
    std::vector<models::InboxEvent> events = intake_->select(found.logs);
    ChainCursor next = *cursor_;
    next.blockNumber = range.to;
    next.blockHash = hash.value_or(Hash32{});
    co_await intake_->deliver(std::move(events), next);
    cursor_ = std::move(next);
    state_->cursor = cursor_->blockNumber;
    if (hash)
    {
        trail_.push_back({range.to, *hash, false});
        if (trail_.size() > kTrail)
        {
            trail_.pop_front();
        }
    }
}

Task<chain::rpc::Logs> BlockReader::logsOf(core::BlockRange range)
{
    chain::rpc::LogFilter filter;
    filter.fromBlock = static_cast<std::uint64_t>(range.from);
    filter.toBlock = static_cast<std::uint64_t>(range.to);
    filter.addresses = {options_.contracts.decryption, options_.contracts.inputVerification};
    filter.anyTopic0 = chain::gatewayTopics();
    try
    {
        auto logs = co_await resumedOn(context_.loop, node().logs(std::move(filter)));
        chunk_.taken();
        co_return logs;
    }
    catch (const RpcError &error)
    {
        // Whatever it says: the limits of providers come as any of the other kinds.
        if (error.kind() != RpcError::Kind::Busy)
        {
            chunk_.refused(range.to - range.from + 1);
        }
        throw;
    }
}

Task<std::optional<Hash32>> BlockReader::hashOf(std::int64_t block)
{
    co_return (co_await lookAt(block)).hash;
}

Task<BlockReader::BlockLook> BlockReader::lookAt(std::int64_t block)
{
    BlockLook look;
    if (block < 0)
    {
        co_return look;
    }
    try
    {
        const auto header =
            co_await resumedOn(context_.loop, node().block(static_cast<std::uint64_t>(block)));
        look.none = !header;
        if (header && !isUnknown(header->hash))
        {
            look.hash = header->hash;
            showsBlocks_ = true;
        }
    }
    catch (const RpcError &error)
    {
        // Some nodes do not serve old blocks, or none. We do without what hangs on hashes then.
        look.refused = true;
        if (error.kind() != RpcError::Kind::Rpc && error.kind() != RpcError::Kind::Undecodable)
        {
            throw;
        }
    }
    co_return look;
}

Task<std::optional<Hash32>> BlockReader::steadyHashOf(std::int64_t block)
{
    const auto once = co_await hashOf(block);
    if (!once)
    {
        co_return std::nullopt;
    }
    const auto twice = co_await hashOf(block);
    co_return once == twice ? once : std::nullopt;
}
}  // namespace relayer::plugins
