// What the node in front of the chain answers, and how it lies.
#include "chain/uint256.h"
#include "support/lying_chain.h"

#include <algorithm>

namespace relayer::test
{
namespace
{
std::uint64_t quantityOf(const Json::Value &value)
{
    const auto number = chain::parseQuantity(value.asString());
    return number ? static_cast<std::uint64_t>(*number) : 0;
}

core::Bytes bytesOf(const Json::Value &value)
{
    const std::string text = value.asString();
    return core::fromHex(text.starts_with("0x") ? text.substr(2) : text).value_or(core::Bytes{});
}

template <typename Array>
Array arrayOf(const Json::Value &value)
{
    const core::Bytes bytes = bytesOf(value);
    Array array{};
    std::copy_n(bytes.begin(), std::min(bytes.size(), array.size()), array.begin());
    return array;
}

// Of an eth_getLogs filter: a missing one, a single value or a list.
bool listed(const Json::Value &wanted, const std::string &actual)
{
    if (wanted.isNull())
    {
        return true;
    }
    if (wanted.isString())
    {
        return wanted.asString() == actual;
    }
    return wanted.empty() || std::ranges::any_of(wanted, [&](const Json::Value &one) {
               return one.asString() == actual;
           });
}
}  // namespace

const std::vector<Lie> &allLies()
{
    static const std::vector<Lie> lies = {
        Lie::AlreadyKnown, Lie::AlreadyImported, Lie::NonceTooLow,        Lie::NonceTooHigh,
        Lie::Underpriced,  Lie::TimeoutWithHash, Lie::TimeoutWithoutHash, Lie::TransportLoss,
        Lie::Silence,      Lie::NullResult,      Lie::RevertText,         Lie::NoFunds,
        Lie::Busy,         Lie::AnsweredTwice};
    return lies;
}

std::string nameOf(Lie lie)
{
    switch (lie)
    {
        case Lie::AlreadyKnown: return "AlreadyKnown";
        case Lie::AlreadyImported: return "AlreadyImported";
        case Lie::NonceTooLow: return "NonceTooLow";
        case Lie::NonceTooHigh: return "NonceTooHigh";
        case Lie::Underpriced: return "Underpriced";
        case Lie::TimeoutWithHash: return "TimeoutWithHash";
        case Lie::TimeoutWithoutHash: return "TimeoutWithoutHash";
        case Lie::TransportLoss: return "TransportLoss";
        case Lie::Silence: return "Silence";
        case Lie::NullResult: return "NullResult";
        case Lie::RevertText: return "RevertText";
        case Lie::NoFunds: return "NoFunds";
        case Lie::Busy: return "Busy";
        case Lie::AnsweredTwice: return "AnsweredTwice";
    }
    return "";
}

FakeNode::Reply LyingChain::tell(Lie lie, const core::Hash32 &hash) const
{
    switch (lie)
    {
        case Lie::AlreadyKnown: return FakeNode::error(-32000, "already known");
        case Lie::AlreadyImported: return FakeNode::error(-32003, "transaction already imported");
        case Lie::NonceTooLow: return FakeNode::error(-32003, "nonce too low");
        case Lie::NonceTooHigh: return FakeNode::error(-32000, "nonce too high");
        case Lie::Underpriced:
            return FakeNode::error(-32003, "replacement transaction underpriced");
        case Lie::TimeoutWithHash:
            return FakeNode::error(4,
                                   "The transaction was added to the mempool but wasn't processed",
                                   quoted(hexData(hash)));
        case Lie::TimeoutWithoutHash:
            return FakeNode::error(-32603, "Transaction confirmation timeout");
        case Lie::TransportLoss: return {.wire = {.closeInsteadOfAnswering = true}};
        case Lie::Silence: return {.wire = {.neverAnswer = true}};
        case Lie::NullResult: return FakeNode::result("null");
        case Lie::RevertText: return FakeNode::error(-32000, "execution reverted: 0xd93c0665");
        case Lie::NoFunds:
            return FakeNode::error(-32003, "Insufficient funds for gas * price + value");
        case Lie::Busy:
        {
            Reply reply = FakeNode::error(-32005, "too many requests");
            reply.wire.status = 429;
            return reply;
        }
        case Lie::AnsweredTwice: break;
    }
    return {};
}

// Nothing: it is in the pool, or mined.
std::optional<FakeNode::Reply> LyingChain::accept(const core::Bytes &raw)
{
    const auto decoded = chain::decodeTransaction(raw);
    const auto sender = decoded ? chain::senderOf(*decoded) : std::nullopt;
    if (!sender)
    {
        return FakeNode::error(-32602, "Failed to decode transaction");
    }
    if (decoded->transaction.chainId != options_.chainId)
    {
        return FakeNode::error(-32003, "invalid chain id for signer");
    }
    const core::Hash32 hash = chain::transactionHash(raw);
    if (const auto known = transactions_.find(hash); known != transactions_.end())
    {
        return known->second.receipt   ? FakeNode::error(-32003, "nonce too low")
               : options_.saysImported ? FakeNode::error(-32003, "transaction already imported")
                                       : FakeNode::error(-32000, "already known");
    }
    const std::uint64_t nonce = decoded->transaction.nonce;
    if (nonce < nonceOf(*sender))
    {
        return FakeNode::error(-32003, "nonce too low");
    }
    if (nonce > pendingNonceOf(*sender) && refuseGaps_)
    {
        return FakeNode::error(-32000, "nonce too high");
    }
    auto &byNonce = pool_[*sender];
    if (const auto rival = byNonce.find(nonce); rival != byNonce.end())
    {
        const chain::Transaction &old = transactions_.at(rival->second).content;
        if (decoded->transaction.maxFeePerGas * 10 < old.maxFeePerGas * 11)
        {
            return FakeNode::error(-32003, "replacement transaction underpriced");
        }
        transactions_.erase(rival->second);
    }
    byNonce[nonce] = hash;
    Transaction &transaction = transactions_[hash];
    transaction.hash = hash;
    transaction.raw = raw;
    transaction.content = decoded->transaction;
    transaction.sender = *sender;
    if (mineAtOnce_)
    {
        mineLocked();
    }
    changed_.notify_all();
    return std::nullopt;
}

Json::Value LyingChain::receiptJson(const chain::Receipt &receipt)
{
    Json::Value json;
    json["transactionHash"] = hexData(receipt.txHash);
    json["blockNumber"] = hexQuantity(receipt.blockNumber);
    json["blockHash"] = hexData(receipt.blockHash);
    json["transactionIndex"] = "0x0";
    json["status"] = receipt.succeeded ? "0x1" : "0x0";
    json["gasUsed"] = "0x5208";
    json["logs"] = Json::Value(Json::arrayValue);
    for (const chain::Log &log : receipt.logs)
    {
        json["logs"].append(logJson(log));
    }
    return json;
}

FakeNode::Reply LyingChain::awaitReceipt(const core::Hash32 &hash,
                                         std::unique_lock<std::mutex> &lock)
{
    const auto mined = [&] {
        const auto found = transactions_.find(hash);
        return found != transactions_.end() && found->second.receipt.has_value();
    };
    changed_.wait_for(lock, options_.syncWait, [&] { return stopping_ || mined(); });
    if (!mined())
    {
        return tell(options_.timeoutHasHash ? Lie::TimeoutWithHash : Lie::TimeoutWithoutHash, hash);
    }
    return FakeNode::resultOf(receiptJson(*transactions_.at(hash).receipt));
}

void LyingChain::waitForTurn(const core::Bytes &raw, std::unique_lock<std::mutex> &lock)
{
    const auto decoded = chain::decodeTransaction(raw);
    if (backwards_ == 0 || !decoded)
    {
        return;
    }
    constexpr std::chrono::milliseconds kAMoment{250};
    const std::uint64_t nonce = decoded->transaction.nonce;
    inTurn_.insert(nonce);
    --backwards_;
    changed_.notify_all();
    const auto mine = [&] { return backwards_ == 0 && *inTurn_.rbegin() == nonce; };
    if (!changed_.wait_for(lock, kAMoment, [&] { return stopping_ || mine(); }))
    {
        backwards_ = 0;
    }
    inTurn_.erase(inTurn_.find(nonce));
    changed_.notify_all();
}

FakeNode::Reply LyingChain::send(const Json::Value &params, bool sync)
{
    const core::Bytes raw = bytesOf(params[0]);
    const core::Hash32 hash = chain::transactionHash(raw);
    std::unique_lock lock(mutex_);
    if (sync && !options_.knowsSync)
    {
        return FakeNode::error(-32601, "the method eth_sendRawTransactionSync does not exist");
    }
    if (sync && params.size() != 1)
    {
        return FakeNode::error(-32602, "exactly one parameter");
    }
    std::optional<PlannedLie> lie;
    if (!lies_.empty())
    {
        lie = lies_.front();
        lies_.pop_front();
    }
    const bool twice = lie && lie->lie == Lie::AnsweredTwice;
    if (lie && !twice)
    {
        if (lie->when == When::AfterAccepting)
        {
            static_cast<void>(accept(raw));
        }
        return tell(lie->lie, hash);
    }
    waitForTurn(raw, lock);
    Reply reply;
    if (auto refused = accept(raw))
    {
        reply = std::move(*refused);
    }
    else
    {
        reply = sync ? awaitReceipt(hash, lock) : FakeNode::result(quoted(hexData(hash)));
    }
    reply.wire.twice = twice;
    return reply;
}

FakeNode::Reply LyingChain::logsFor(const Json::Value &filter)
{
    const std::scoped_lock lock(mutex_);
    const std::uint64_t head = blocks_.back().number;
    const auto numberOf = [&](const Json::Value &value) {
        const bool tag = !value.asString().starts_with("0x");
        return tag ? head : quantityOf(value);
    };
    const std::uint64_t from = numberOf(filter["fromBlock"]);
    const std::uint64_t to = std::min(numberOf(filter["toBlock"]), head);
    if (from > head)
    {
        return FakeNode::error(-32602, "BlockOutOfRangeError");
    }
    Json::Value found(Json::arrayValue);
    for (std::uint64_t number = from; number <= to; ++number)
    {
        for (const chain::Log &log : blocks_[number].logs)
        {
            const std::string topic = log.topics.empty() ? "" : hexData(log.topics.front());
            const Json::Value &topics = filter["topics"];
            const bool topicFits = !topics.isArray() || topics.empty() || listed(topics[0], topic);
            if (topicFits && listed(filter["address"], hexData(log.address)))
            {
                found.append(logJson(log));
            }
        }
    }
    return FakeNode::resultOf(found);
}

FakeNode::Reply LyingChain::blockFor(const Json::Value &which)
{
    const std::scoped_lock lock(mutex_);
    const std::uint64_t number =
        which.asString().starts_with("0x") ? quantityOf(which) : blocks_.back().number;
    if (number >= blocks_.size())
    {
        return FakeNode::result("null");
    }
    Json::Value json;
    json["number"] = hexQuantity(number);
    json["hash"] = hexData(blocks_[number].hash);
    json["baseFeePerGas"] = "0x5f5e100";
    return FakeNode::resultOf(json);
}

FakeNode::Reply LyingChain::estimate(const Json::Value &call, bool asCall)
{
    const core::Bytes input = bytesOf(call["input"]);
    Revert revert;
    {
        const std::scoped_lock lock(mutex_);
        // A call replays what happened; before that there is only the estimate.
        revert = asCall && revertWhenMined_ ? revertWhenMined_ : revertOnEstimate_;
    }
    if (const auto data = revert ? revert(input) : std::nullopt)
    {
        return FakeNode::error(3, "execution reverted", quoted(hexData(*data)));
    }
    return FakeNode::result(asCall ? quoted("0x" + std::string(63, '0') + "1")
                                   : quoted(hexQuantity(100'000 + input.size() * 16)));
}

void LyingChain::installHandlers()
{
    node_.on("eth_sendRawTransaction",
             [this](const Json::Value &params) { return send(params, false); });
    node_.on("eth_sendRawTransactionSync",
             [this](const Json::Value &params) { return send(params, true); });
    node_.on("eth_getTransactionReceipt", [this](const Json::Value &params) {
        const std::scoped_lock lock(mutex_);
        if (refuseReceipts_)
        {
            return FakeNode::error(-32000, "transaction indexing is in progress");
        }
        const auto found = transactions_.find(arrayOf<core::Hash32>(params[0]));
        return found != transactions_.end() && found->second.receipt
                   ? FakeNode::resultOf(receiptJson(*found->second.receipt))
                   : FakeNode::result("null");
    });
    node_.on("eth_getTransactionByHash", [this](const Json::Value &params) {
        const std::scoped_lock lock(mutex_);
        const bool known = transactions_.contains(arrayOf<core::Hash32>(params[0]));
        return FakeNode::result(known ? R"({"hash":")" + params[0].asString() + "\"}" : "null");
    });
    node_.on("eth_getTransactionCount", [this](const Json::Value &params) {
        const std::scoped_lock lock(mutex_);
        const auto sender = arrayOf<core::Address>(params[0]);
        const bool pending = params[1].asString() == "pending";
        return FakeNode::result(
            quoted(hexQuantity(pending ? pendingNonceOf(sender) : nonceOf(sender))));
    });
}

void LyingChain::installReaders()
{
    node_.answer("eth_chainId", quoted(hexQuantity(options_.chainId)));
    node_.answer("eth_getCode", quoted("0x6080"));
    node_.answer("eth_getBalance", quoted("0x56bc75e2d63100000"));
    node_.answer("eth_gasPrice", quoted("0x5f5e100"));
    node_.on("eth_blockNumber",
             [this](const Json::Value &) { return FakeNode::result(quoted(hexQuantity(head()))); });
    node_.on("eth_getLogs", [this](const Json::Value &params) { return logsFor(params[0]); });
    node_.on("eth_getBlockByNumber",
             [this](const Json::Value &params) { return blockFor(params[0]); });
    node_.on("eth_estimateGas",
             [this](const Json::Value &params) { return estimate(params[0], false); });
    node_.on("eth_call", [this](const Json::Value &params) { return estimate(params[0], true); });
    node_.on("eth_feeHistory", [](const Json::Value &params) {
        Json::Value json;
        const std::uint64_t blocks = quantityOf(params[0]);
        for (std::uint64_t i = 0; i <= blocks; ++i)
        {
            json["baseFeePerGas"].append("0x5f5e100");
        }
        for (std::uint64_t i = 0; i < blocks; ++i)
        {
            Json::Value rewards(Json::arrayValue);
            rewards.append("0xf4240");
            json["reward"].append(rewards);
        }
        json["oldestBlock"] = "0x0";
        return FakeNode::resultOf(json);
    });
}
}  // namespace relayer::test
