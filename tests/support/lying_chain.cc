// Blocks, pool, requests and answers of the chain in memory.
#include "support/lying_chain.h"

#include "chain/keccak.h"
#include "chain/uint256.h"

#include <algorithm>
#include <utility>

namespace relayer::test
{
namespace
{
core::Hash32 hashOfNumber(std::uint64_t number)
{
    return chain::keccak256(chain::bigEndian(chain::Uint256(number)));
}
}  // namespace

chain::GatewayContracts LyingChain::defaultContracts()
{
    chain::GatewayContracts contracts;
    contracts.decryption.fill(0xd1);
    contracts.inputVerification.fill(0x1f);
    return contracts;
}

LyingChain::LyingChain(const Options &options) : options_(options)
{
    blocks_.push_back(newBlock());
    installHandlers();
    installReaders();
}

LyingChain::~LyingChain()
{
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
}

LyingChain::Block LyingChain::newBlock()
{
    Block block;
    block.number = blocks_.size();
    block.hash = hashOfNumber((blocksEver_++ << 20U) + block.number + 1);
    block.before = counters_;
    return block;
}

void LyingChain::mineAtOnce(bool atOnce)
{
    const std::scoped_lock lock(mutex_);
    mineAtOnce_ = atOnce;
    if (atOnce)
    {
        mineLocked();
    }
}

void LyingChain::mineBlock()
{
    const std::scoped_lock lock(mutex_);
    mineLocked();
}

std::uint64_t LyingChain::nonceOf(const core::Address &sender) const
{
    const auto mined = minedOf_.find(sender);
    return options_.firstNonce + (mined == minedOf_.end() ? 0 : mined->second);
}

std::uint64_t LyingChain::pendingNonceOf(const core::Address &sender) const
{
    std::uint64_t nonce = nonceOf(sender);
    if (const auto pooled = pool_.find(sender); pooled != pool_.end())
    {
        while (pooled->second.contains(nonce))
        {
            ++nonce;
        }
    }
    return nonce;
}

void LyingChain::place(chain::Log &log, const Block &block, std::uint32_t index,
                       const core::Hash32 &txHash) const
{
    log.blockNumber = block.number;
    log.blockHash = block.hash;
    log.logIndex = index;
    log.txHash = txHash;
}

void LyingChain::mineOne(Transaction &transaction, Block &block)
{
    chain::Receipt receipt;
    receipt.txHash = transaction.hash;
    receipt.blockNumber = block.number;
    receipt.blockHash = block.hash;
    const core::Bytes &calldata = transaction.content.data;
    const auto kind = requestKind(calldata, transaction.content.to, options_.contracts);
    receipt.succeeded = !kind || !revertWhenMined_ || !revertWhenMined_(calldata);
    if (kind && receipt.succeeded && withoutEvents_ > 0)
    {
        --withoutEvents_;
    }
    else if (kind && receipt.succeeded)
    {
        const core::Hash32 id = takeGatewayId(*kind, counters_);
        receipt.logs = requestLogs(*kind, calldata, id, options_.contracts);
        for (chain::Log &log : receipt.logs)
        {
            place(log, block, static_cast<std::uint32_t>(block.logs.size()), transaction.hash);
            block.logs.push_back(log);
        }
        transaction.request = Request{.txHash = transaction.hash,
                                      .kind = *kind,
                                      .calldata = calldata,
                                      .gatewayId = id,
                                      .sender = transaction.sender,
                                      .nonce = transaction.content.nonce,
                                      .block = block.number};
    }
    transaction.receipt = std::move(receipt);
    ++minedOf_[transaction.sender];
    block.transactions.push_back(transaction.hash);
}

void LyingChain::mineLocked()
{
    Block block = newBlock();
    for (auto &[sender, byNonce] : pool_)
    {
        std::uint64_t next = nonceOf(sender);
        for (auto found = byNonce.find(next); found != byNonce.end(); found = byNonce.find(++next))
        {
            mineOne(transactions_.at(found->second), block);
            byNonce.erase(found);
        }
    }
    std::erase_if(pool_, [](const auto &entry) { return entry.second.empty(); });
    std::vector<Request> mined;
    for (const core::Hash32 &hash : block.transactions)
    {
        if (const auto &request = transactions_.at(hash).request)
        {
            mined.push_back(*request);
        }
    }
    pushBlock(std::move(block));
    for (const Request &request : mined)
    {
        if (answerAtOnce_)
        {
            answerLocked(request);
        }
    }
}

void LyingChain::pushBlock(Block block)
{
    blocks_.push_back(std::move(block));
    std::vector<chain::Log> logs = blocks_.back().logs;
    if (pushBackwards_)
    {
        std::ranges::reverse(logs);
    }
    for (const chain::Log &log : logs)
    {
        node_.pushLog(logJson(log));
        if (pushTwice_)
        {
            node_.pushLog(logJson(log));
        }
    }
    changed_.notify_all();
}

// Answers come in transactions of others, which nobody asks for.
void LyingChain::addLogBlock(std::vector<chain::Log> logs)
{
    Block block = newBlock();
    const core::Hash32 txHash = hashOfNumber((blocksEver_ << 20U) + (1U << 19U));
    std::uint32_t index = 0;
    for (chain::Log &log : logs)
    {
        place(log, block, index++, txHash);
    }
    block.logs = std::move(logs);
    pushBlock(std::move(block));
}

void LyingChain::answerLocked(const Request &request)
{
    const auto &contracts = options_.contracts;
    std::vector<chain::Log> logs;
    switch (request.kind)
    {
        case core::Kind::InputProof:
            logs.push_back(proofAcceptedLog(request.gatewayId, contracts));
            break;
        case core::Kind::PublicDecrypt:
            logs.push_back(publicDecryptedLog(request.gatewayId, contracts));
            break;
        case core::Kind::UserDecrypt:
            for (std::size_t i = 0; i < options_.shares; ++i)
            {
                logs.push_back(shareLog(request.gatewayId, i, contracts));
            }
            logs.push_back(thresholdReachedLog(request.gatewayId, contracts));
            break;
    }
    addLogBlock(std::move(logs));
}

const LyingChain::Request *LyingChain::findRequest(const core::Hash32 &gatewayId) const
{
    for (const auto &[hash, transaction] : transactions_)
    {
        if (transaction.request && transaction.request->gatewayId == gatewayId)
        {
            return &*transaction.request;
        }
    }
    return nullptr;
}

void LyingChain::answerAtOnce(bool atOnce)
{
    const std::scoped_lock lock(mutex_);
    answerAtOnce_ = atOnce;
}

void LyingChain::answer(const core::Hash32 &gatewayId)
{
    const std::scoped_lock lock(mutex_);
    if (const Request *request = findRequest(gatewayId))
    {
        answerLocked(*request);
    }
}

void LyingChain::answerAll()
{
    for (const Request &request : requests())
    {
        answer(request.gatewayId);
    }
}

void LyingChain::reject(const core::Hash32 &gatewayId)
{
    const std::scoped_lock lock(mutex_);
    addLogBlock({proofRejectedLog(gatewayId, options_.contracts)});
}

void LyingChain::pushTwice(bool twice)
{
    const std::scoped_lock lock(mutex_);
    pushTwice_ = twice;
}

void LyingChain::pushBackwards(bool backwards)
{
    const std::scoped_lock lock(mutex_);
    pushBackwards_ = backwards;
}

void LyingChain::announceRemoved(bool announce)
{
    const std::scoped_lock lock(mutex_);
    announceRemoved_ = announce;
}

void LyingChain::addForeignRequest(core::Kind kind)
{
    const std::scoped_lock lock(mutex_);
    const core::Hash32 id = takeGatewayId(kind, counters_);
    addLogBlock(requestLogs(kind, {}, id, options_.contracts));
}

void LyingChain::reorg(std::size_t blocks, Fate fate, std::size_t foreign)
{
    const std::scoped_lock lock(mutex_);
    std::vector<core::Hash32> loose;
    for (; blocks > 0 && blocks_.size() > 1; --blocks)
    {
        const Block block = std::move(blocks_.back());
        blocks_.pop_back();
        counters_ = block.before;
        loose.insert(loose.end(), block.transactions.begin(), block.transactions.end());
        for (chain::Log log : block.logs)
        {
            log.removed = true;
            if (announceRemoved_)
            {
                node_.pushLog(logJson(log));
            }
        }
    }
    for (std::size_t i = 0; i < foreign; ++i)
    {
        for (const auto kind :
             {core::Kind::InputProof, core::Kind::PublicDecrypt, core::Kind::UserDecrypt})
        {
            const core::Hash32 id = takeGatewayId(kind, counters_);
            addLogBlock(requestLogs(kind, {}, id, options_.contracts));
        }
    }
    for (const core::Hash32 &hash : loose)
    {
        Transaction &transaction = transactions_.at(hash);
        transaction.receipt.reset();
        --minedOf_[transaction.sender];
        transaction.request.reset();
        if (fate == Fate::Forgotten)
        {
            transactions_.erase(hash);
        }
        else
        {
            pool_[transaction.sender].emplace(transaction.content.nonce, hash);
        }
    }
    if (fate == Fate::MinedAgain)
    {
        mineLocked();
    }
    changed_.notify_all();
}

bool LyingChain::forget(const core::Hash32 &hash)
{
    const std::scoped_lock lock(mutex_);
    const auto found = transactions_.find(hash);
    if (found == transactions_.end() || found->second.receipt)
    {
        return false;
    }
    pool_[found->second.sender].erase(found->second.content.nonce);
    transactions_.erase(found);
    changed_.notify_all();
    return true;
}

std::size_t LyingChain::forgetPool()
{
    const std::scoped_lock lock(mutex_);
    pool_.clear();
    const std::size_t forgotten = std::erase_if(
        transactions_, [](const auto &entry) { return !entry.second.receipt.has_value(); });
    changed_.notify_all();
    return forgotten;
}

void LyingChain::revertOnEstimate(Revert revert)
{
    const std::scoped_lock lock(mutex_);
    revertOnEstimate_ = std::move(revert);
}

void LyingChain::revertWhenMined(Revert revert)
{
    const std::scoped_lock lock(mutex_);
    revertWhenMined_ = std::move(revert);
}

void LyingChain::mineWithoutEvents(std::size_t requests)
{
    const std::scoped_lock lock(mutex_);
    withoutEvents_ = requests;
}

void LyingChain::refuseReceipts(bool refuse)
{
    const std::scoped_lock lock(mutex_);
    refuseReceipts_ = refuse;
}

void LyingChain::lieOnSend(Lie lie, When when, std::size_t times)
{
    const std::scoped_lock lock(mutex_);
    lies_.insert(lies_.end(), times, PlannedLie{.lie = lie, .when = when});
}

void LyingChain::takeBackwards(std::size_t sends)
{
    const std::scoped_lock lock(mutex_);
    backwards_ = sends;
}

void LyingChain::refuseGaps(bool refuse)
{
    const std::scoped_lock lock(mutex_);
    refuseGaps_ = refuse;
}

std::size_t LyingChain::liesLeft()
{
    const std::scoped_lock lock(mutex_);
    return lies_.size();
}

std::vector<LyingChain::Request> LyingChain::requests()
{
    const std::scoped_lock lock(mutex_);
    std::vector<Request> all;
    for (const Block &block : blocks_)
    {
        for (const core::Hash32 &hash : block.transactions)
        {
            if (const auto &request = transactions_.at(hash).request)
            {
                all.push_back(*request);
            }
        }
    }
    return all;
}

std::map<core::Bytes, std::size_t> LyingChain::minedPerRequest()
{
    std::map<core::Bytes, std::size_t> counts;
    for (const Request &request : requests())
    {
        ++counts[request.calldata];
    }
    return counts;
}

std::size_t LyingChain::minedTransactions()
{
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(
        transactions_, [](const auto &entry) { return entry.second.receipt.has_value(); }));
}

std::vector<std::uint64_t> LyingChain::minedNonces(const core::Address &sender)
{
    const std::scoped_lock lock(mutex_);
    std::vector<std::uint64_t> nonces;
    for (const auto &[hash, transaction] : transactions_)
    {
        if (transaction.receipt && transaction.sender == sender)
        {
            nonces.push_back(transaction.content.nonce);
        }
    }
    std::ranges::sort(nonces);
    return nonces;
}

std::size_t LyingChain::poolSize()
{
    const std::scoped_lock lock(mutex_);
    std::size_t size = 0;
    for (const auto &[sender, byNonce] : pool_)
    {
        size += byNonce.size();
    }
    return size;
}

std::uint64_t LyingChain::head()
{
    const std::scoped_lock lock(mutex_);
    return blocks_.back().number;
}

bool LyingChain::waitForRequests(std::size_t count, std::chrono::milliseconds deadline)
{
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, deadline, [&] {
        const auto mined = std::ranges::count_if(
            transactions_, [](const auto &entry) { return entry.second.request.has_value(); });
        return static_cast<std::size_t>(mined) >= count;
    });
}

bool LyingChain::waitForPool(std::size_t count, std::chrono::milliseconds deadline)
{
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, deadline, [&] {
        std::size_t size = 0;
        for (const auto &[sender, byNonce] : pool_)
        {
            size += byNonce.size();
        }
        return size >= count;
    });
}
}  // namespace relayer::test
