#include "sim/fake_chain.h"

#include <algorithm>
#include <utility>

namespace relayer::sim
{
using chain::SendAnswer;
using core::Kind;

namespace
{
constexpr Hash kBlock = 1ULL << 40U;
constexpr Hash kForeign = 1ULL << 41U;
constexpr Hash kAnswer = 1ULL << 42U;
}  // namespace

FakeChain::FakeChain(Surroundings surroundings) : with_(std::move(surroundings))
{
    Block genesis;
    genesis.hash = kBlock;
    blocks_.push_back(genesis);
}

const FakeChain::Block &FakeChain::at(std::int64_t lag) const
{
    return blocks_[static_cast<std::size_t>(std::max<std::int64_t>(0, head() - lag))];
}

void FakeChain::addLog(Block &block, Log log)
{
    log.blockNumber = static_cast<std::int64_t>(blocks_.size());
    log.blockHash = block.hash;
    log.index = static_cast<int>(block.logs.size());
    block.logs.push_back(log);
}

FakeChain::Fate FakeChain::fateOf(const Signed &transaction)
{
    const Fortune &fortune = with_.fortuneOf(transaction.request);
    if (fortune.revertsOnChain)
    {
        return Fate::Reverted;
    }
    if (fortune.minedWithoutEvent == 0)
    {
        return Fate::Event;
    }
    // Of the same call at the same nonce the contract makes the same each time.
    const auto name = std::pair(transaction.lane, transaction.nonce);
    auto known = std::ranges::find(withoutEvent_, name,
                                   &std::pair<std::pair<int, std::int64_t>, bool>::first);
    if (known == withoutEvent_.end())
    {
        const auto place = static_cast<std::size_t>(transaction.request);
        triedWithoutEvent_.resize(std::max(triedWithoutEvent_.size(), place + 1));
        const bool without = triedWithoutEvent_[place]++ < fortune.minedWithoutEvent;
        withoutEvent_.emplace_back(name, without);
        known = withoutEvent_.end() - 1;
        if (without)
        {
            with_.coverage->had(Fault::MinedWithoutEvent);
        }
    }
    return known->second ? Fate::WithoutEvent : Fate::Event;
}

void FakeChain::include(Block &block, const Signed &transaction)
{
    ++block.counts.at(static_cast<std::size_t>(transaction.lane));
    Mined mined{transaction, Fate::WithoutEvent, 0};
    if (transaction.noOp())
    {
        block.mined.push_back(mined);
        return;
    }
    const Kind kind = with_.kindOf(transaction.request);
    mined.fate = fateOf(transaction);
    if (mined.fate == Fate::Event)
    {
        mined.gatewayId = ++block.ids.at(static_cast<std::size_t>(kind));
        Log log;
        log.request = true;
        log.kind = kind;
        log.gatewayId = mined.gatewayId;
        log.txHash = transaction.hash;
        log.about = transaction.request;
        addLog(block, log);
        unanswered_.push_back({transaction.request, kind, mined.gatewayId,
                               static_cast<std::int64_t>(blocks_.size()) +
                                   with_.fortuneOf(transaction.request).answerAfterBlocks,
                               0});
    }
    else if (mined.fate == Fate::Reverted)
    {
        with_.coverage->had(Fault::RevertsOnChain);
    }
    with_.minedRequest(transaction, mined.fate);
    block.mined.push_back(mined);
}

void FakeChain::answer(Block &block)
{
    const auto number = static_cast<std::int64_t>(blocks_.size());
    for (Unanswered &open : unanswered_)
    {
        if (open.due > number)
        {
            continue;
        }
        const Fortune &fortune = with_.fortuneOf(open.request);
        Log log;
        log.kind = open.kind;
        log.gatewayId = open.gatewayId;
        log.txHash = kAnswer + nextHash_++;
        log.accepted = !fortune.rejected;
        log.about = open.request;
        log.share = open.next++;
        if (fortune.answered || (open.kind == Kind::UserDecrypt && open.next < kThreshold))
        {
            addLog(block, log);
        }
        const int last = open.kind == Kind::UserDecrypt ? kShares : 1;
        open.due = open.next < last ? number + static_cast<std::int64_t>(with_.random->below(2))
                                    : INT64_MAX;
    }
}

void FakeChain::mine()
{
    Block block;
    block.hash = kBlock + nextHash_++;
    block.counts = blocks_.back().counts;
    block.ids = blocks_.back().ids;
    for (int lane = 0; lane < kMostLanes; ++lane)
    {
        for (;;)
        {
            const std::int64_t nonce = block.counts.at(static_cast<std::size_t>(lane));
            const auto next = std::ranges::find_if(pool_, [&](const Signed &each) {
                return each.lane == lane && each.nonce == nonce && each.fee >= baseFee;
            });
            if (next == pool_.end() || block.mined.size() >= 6)
            {
                break;
            }
            const Signed transaction = *next;
            std::erase_if(pool_, [&](const Signed &each) {
                return each.lane == lane && each.nonce == nonce;
            });
            include(block, transaction);
        }
    }
    answer(block);
    blocks_.push_back(std::move(block));
}

void FakeChain::reorg(std::size_t depth, bool dropSome)
{
    for (std::size_t i = 0; i < depth && blocks_.size() > 1; ++i)
    {
        const Block gone = std::move(blocks_.back());
        blocks_.pop_back();
        for (const Mined &mined : gone.mined)
        {
            if (!mined.transaction.noOp())
            {
                with_.unminedRequest(mined.transaction, mined.fate);
                std::erase_if(unanswered_, [&](const Unanswered &open) {
                    return open.request == mined.transaction.request &&
                           open.gatewayId == mined.gatewayId;
                });
            }
            // What others signed is not lost: of our own, the nonce would be ours again.
            const bool dropped =
                dropSome && !mined.transaction.foreign && with_.random->chance(300);
            if (!dropped)
            {
                pool_.push_back(mined.transaction);
            }
            else
            {
                with_.coverage->had(Fault::TransactionDropped);
            }
        }
        for (const Log &log : gone.logs)
        {
            with_.takenBack(log.about);
            for (Unanswered &open : unanswered_)
            {
                if (!log.request && open.request == log.about && open.gatewayId == log.gatewayId)
                {
                    open.next = std::min(open.next, log.share);
                    open.due = head() + 1;
                }
            }
        }
    }
}

bool FakeChain::dropOne()
{
    const auto ours = std::ranges::find_if(pool_, [](const Signed &each) { return !each.foreign; });
    if (ours == pool_.end())
    {
        return false;
    }
    pool_.erase(ours);
    return true;
}

bool FakeChain::foreignTransaction(int lane)
{
    Signed other;
    other.hash = kForeign + nextHash_++;
    other.lane = lane;
    other.nonce = blocks_.back().counts.at(static_cast<std::size_t>(lane));
    other.fee = baseFee * 3;
    other.foreign = true;
    // It outbids what is there.
    std::erase_if(
        pool_, [&](const Signed &each) { return each.lane == lane && each.nonce == other.nonce; });
    pool_.push_back(other);
    foreign_.emplace_back(lane, other.nonce);
    return true;
}

bool FakeChain::isForeign(int lane, std::int64_t nonce) const
{
    return std::ranges::count(foreign_, std::pair(lane, nonce)) > 0;
}

SendAnswer FakeChain::send(const Signed &transaction)
{
    with_.seen(transaction);
    const std::int64_t next = blocks_.back().counts.at(static_cast<std::size_t>(transaction.lane));
    if (!transaction.noOp() && with_.fortuneOf(transaction.request).refusedByNodes)
    {
        with_.coverage->had(Fault::NodeRefuses);
        return SendAnswer::Refused;
    }
    if (noFunds)
    {
        with_.coverage->had(Fault::NoFunds);
        return SendAnswer::NoFunds;
    }
    if (transaction.nonce < next)
    {
        return SendAnswer::NonceTooLow;
    }
    const auto there = std::ranges::find_if(pool_, [&](const Signed &each) {
        return each.lane == transaction.lane && each.nonce == transaction.nonce;
    });
    if (there != pool_.end())
    {
        if (there->hash == transaction.hash)
        {
            return SendAnswer::Known;
        }
        if (there->fee + there->fee / 10 > transaction.fee)
        {
            return SendAnswer::Underpriced;
        }
        *there = transaction;
        return SendAnswer::Accepted;
    }
    if (transaction.fee < baseFee)
    {
        with_.coverage->had(Fault::FeesRise);
        return SendAnswer::FeeTooLow;
    }
    if (refusesGaps && transaction.nonce > next &&
        pendingCount(transaction.lane) < transaction.nonce)
    {
        with_.coverage->had(Fault::GapsRefused);
        return SendAnswer::NonceTooHigh;
    }
    pool_.push_back(transaction);
    return SendAnswer::Accepted;
}

std::optional<Receipt> FakeChain::receipt(Hash hash, std::int64_t lag) const
{
    const auto last = static_cast<std::size_t>(std::max<std::int64_t>(0, head() - lag));
    for (std::size_t number = last + 1; number-- > 0;)
    {
        for (const Mined &mined : blocks_[number].mined)
        {
            if (mined.transaction.hash == hash)
            {
                return Receipt{hash, static_cast<std::int64_t>(number),
                               mined.fate != Fate::Reverted, mined.gatewayId};
            }
        }
    }
    return std::nullopt;
}

std::int64_t FakeChain::count(int lane, std::int64_t lag) const
{
    return at(lag).counts.at(static_cast<std::size_t>(lane));
}

std::int64_t FakeChain::pendingCount(int lane) const
{
    std::int64_t nonce = count(lane, 0);
    while (std::ranges::any_of(
        pool_, [&](const Signed &each) { return each.lane == lane && each.nonce == nonce; }))
    {
        ++nonce;
    }
    return nonce;
}

bool FakeChain::knows(Hash hash) const
{
    return receipt(hash, 0).has_value() ||
           std::ranges::any_of(pool_, [&](const Signed &each) { return each.hash == hash; });
}

std::optional<Hash> FakeChain::hashOf(std::int64_t block) const
{
    return block < 0 || block > head()
               ? std::nullopt
               : std::optional(blocks_[static_cast<std::size_t>(block)].hash);
}

std::vector<Log> FakeChain::logs(std::int64_t from, std::int64_t to) const
{
    std::vector<Log> found;
    for (std::int64_t number = std::max<std::int64_t>(0, from); number <= std::min(to, head());
         ++number)
    {
        const auto &logs = blocks_[static_cast<std::size_t>(number)].logs;
        found.insert(found.end(), logs.begin(), logs.end());
    }
    return found;
}

bool FakeChain::wasAnsweredBy(RequestId request, std::int64_t block) const
{
    int answers = 0;
    Kind kind = Kind::InputProof;
    for (const Log &log : logs(0, block))
    {
        answers += !log.request && log.about == request ? 1 : 0;
        kind = log.about == request ? log.kind : kind;
    }
    return answers >= (kind == Kind::UserDecrypt ? kThreshold : 1);
}
}  // namespace relayer::sim
