#include "integration/listener_chain.h"

#include "chain/abi.h"
#include "support/test_store.h"

#include <algorithm>
#include <utility>

namespace relayer::test
{
using chain::abi::TupleWriter;
using core::Bytes;
using core::Hash32;

namespace
{
Hash32 topic(const char *digits)
{
    const Bytes bytes = core::fromHex(digits).value();
    Hash32 made{};
    std::copy(bytes.begin(), bytes.end(), made.begin());
    return made;
}

std::string hex(core::ByteView bytes)
{
    return "0x" + core::toHex(bytes);
}

std::string quantity(std::int64_t number)
{
    std::string digits;
    do
    {
        digits.insert(digits.begin(), "0123456789abcdef"[number % 16]);
        number /= 16;
    }
    while (number > 0);
    return "0x" + digits;
}

std::int64_t numberOf(const Json::Value &quantity)
{
    return std::stoll(quantity.asString(), nullptr, 16);
}

ChainEvent eventOf(const core::Address &address, const char *signature, const Hash32 &id)
{
    ChainEvent event;
    event.address = address;
    event.topics = {topic(signature), id};
    return event;
}
}  // namespace

chain::GatewayContracts testContracts()
{
    chain::GatewayContracts contracts;
    contracts.decryption.fill(0xD1);
    contracts.inputVerification.fill(0x1A);
    return contracts;
}

ChainEvent proofRejected(const Hash32 &id)
{
    return eventOf(testContracts().inputVerification,
                   "e465e141fa8abd95ab7e0855543307f8506ab0170ef664420fb71ab7de0183de", id);
}

ChainEvent proofAccepted(const Hash32 &id, std::vector<Hash32> handles)
{
    ChainEvent event =
        eventOf(testContracts().inputVerification,
                "fe2c43585786a5a658d2ec5df5dea3fb3385b77c94f60f724ff810896f419835", id);
    TupleWriter words;
    for (const Hash32 &handle : handles)
    {
        words.word(handle);
    }
    TupleWriter signatures;
    signatures.bytes(Bytes(65, 0x51));
    event.data = TupleWriter().array(handles.size(), words).array(1, signatures).finish();
    return event;
}

ChainEvent publicDecrypted(const Hash32 &id, Bytes value)
{
    ChainEvent event =
        eventOf(testContracts().decryption,
                "d7e58a367a0a6c298e76ad5d240004e327aa1423cbe4bd7ff85d4c715ef8d15f", id);
    TupleWriter signatures;
    signatures.bytes(Bytes(65, 0x52));
    event.data = TupleWriter().bytes(value).array(1, signatures).bytes(Bytes{0x00}).finish();
    return event;
}

ChainEvent shareArrived(const Hash32 &id, std::uint64_t index, Bytes extraData)
{
    ChainEvent event =
        eventOf(testContracts().decryption,
                "7fcdfb5381917f554a717d0a5470a33f5a49ba6445f05ec43c74c0bc2cc608b2", id);
    event.data = TupleWriter()
                     .number(index)
                     .bytes(Bytes(40, static_cast<std::uint8_t>(index)))
                     .bytes(Bytes(65, 0x53))
                     .bytes(extraData)
                     .finish();
    return event;
}

ChainEvent thresholdReached(const Hash32 &id)
{
    return eventOf(testContracts().decryption,
                   "e89752be0ecdb68b2a6eb5ef1a891039e0e92ae3c8a62274c5881e48eea1ed25", id);
}

ChainEvent proofRequested(const Hash32 &id, const Hash32 &txHash)
{
    ChainEvent event =
        eventOf(testContracts().inputVerification,
                "4ae54f6a6e900d806ffa5bb46ed91459523d2f6ac9b5d62404feab887686d005", id);
    event.topics.push_back(hash32(8009));
    event.data = TupleWriter()
                     .address(core::Address{})
                     .address(core::Address{})
                     .bytes(Bytes(8, 0x77))
                     .bytes(Bytes{0x00})
                     .finish();
    event.txHash = txHash;
    return event;
}

GatewayChain::GatewayChain(std::uint64_t seed) : seed_(seed)
{
    append({});
}

void GatewayChain::showOn(FakeNode *node)
{
    node->on("eth_blockNumber", [this](const Json::Value &) {
        return FakeNode::result("\"" + quantity(head()) + "\"");
    });
    node->on("eth_getBlockByNumber",
             [this](const Json::Value &params) { return blockByNumber(params); });
    node->on("eth_getLogs", [this](const Json::Value &params) { return logs(params); });
    const std::lock_guard lock(mutex_);
    nodes_.push_back(node);
}

void GatewayChain::behave(Manners manners)
{
    const std::lock_guard lock(mutex_);
    manners_ = manners;
}

std::int64_t GatewayChain::head() const
{
    const std::lock_guard lock(mutex_);
    return blocks_.back().number;
}

std::size_t GatewayChain::refusals() const
{
    const std::lock_guard lock(mutex_);
    return refusals_;
}

void GatewayChain::append(const std::vector<ChainEvent> &events)
{
    Block block;
    block.number = static_cast<std::int64_t>(blocks_.size());
    // The first block is the same whenever a chain of this seed is made.
    block.hash = hash32(seed_ * 1'000'000 + (blocks_.empty() ? 0 : ++serial_), 0xB1);
    for (const ChainEvent &event : events)
    {
        Json::Value log;
        log["address"] = hex(event.address);
        log["topics"] = Json::Value(Json::arrayValue);
        for (const Hash32 &each : event.topics)
        {
            log["topics"].append(hex(each));
        }
        log["data"] = hex(event.data);
        log["blockNumber"] = quantity(block.number);
        log["blockHash"] = hex(block.hash);
        log["logIndex"] = quantity(static_cast<std::int64_t>(block.logs.size()));
        log["transactionHash"] =
            hex(event.txHash.value_or(hash32(seed_ * 1'000'000 + ++serial_, 0x77)));
        log["removed"] = false;
        block.logs.push_back(log);
    }
    blocks_.push_back(std::move(block));
}

void GatewayChain::mine(const std::vector<ChainEvent> &events)
{
    std::vector<Json::Value> logs;
    {
        const std::lock_guard lock(mutex_);
        append(events);
        logs = blocks_.back().logs;
    }
    push(logs);
}

void GatewayChain::mineEmpty(int blocks)
{
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < blocks; ++i)
    {
        append({});
    }
}

std::vector<Json::Value> GatewayChain::replace(std::size_t depth,
                                               const std::vector<ChainEvent> &events)
{
    std::vector<Json::Value> logs;
    for (std::size_t i = 0; i < depth; ++i)
    {
        for (Json::Value log : blocks_.back().logs)
        {
            log["removed"] = true;
            if (manners_.pushRemoved)
            {
                logs.push_back(log);
            }
        }
        blocks_.pop_back();
    }
    append(events);
    logs.insert(logs.end(), blocks_.back().logs.begin(), blocks_.back().logs.end());
    for (std::size_t i = 1; i < depth; ++i)
    {
        append({});
    }
    return logs;
}

void GatewayChain::reorganise(std::size_t depth, const std::vector<ChainEvent> &events)
{
    std::vector<Json::Value> logs;
    {
        const std::lock_guard lock(mutex_);
        logs = replace(depth, events);
    }
    push(logs);
}

void GatewayChain::reorganiseSaying(std::size_t depth, const std::vector<ChainEvent> &events,
                                    Sayings sayings)
{
    const std::lock_guard lock(mutex_);
    static_cast<void>(replace(depth, events));
    append({});
    sayings_ = std::move(sayings);
}

void GatewayChain::say(Sayings sayings)
{
    const std::lock_guard lock(mutex_);
    sayings_ = std::move(sayings);
}

void GatewayChain::reorganiseBehind(std::size_t depth, const std::vector<ChainEvent> &events)
{
    const std::lock_guard lock(mutex_);
    afterTheLastButOne_ = [this, depth, events] { reorganise(depth, events); };
}

void GatewayChain::restart(std::uint64_t seed, int blocks)
{
    const std::lock_guard lock(mutex_);
    seed_ = seed;
    blocks_.clear();
    for (int i = 0; i <= blocks; ++i)
    {
        append({});
    }
}

void GatewayChain::push(const std::vector<Json::Value> &logs)
{
    std::vector<FakeNode *> nodes;
    std::vector<Json::Value> shown = logs;
    {
        const std::lock_guard lock(mutex_);
        if (!manners_.push)
        {
            return;
        }
        nodes = nodes_;
        for (Json::Value &log : shown)
        {
            if (manners_.pushMadeUp)
            {
                log["blockHash"] = hex(hash32(++serial_, 0xBB));
                log["transactionHash"] = hex(hash32(++serial_, 0xBC));
                log["logIndex"] = "0x0";
            }
        }
    }
    for (const Json::Value &log : shown)
    {
        for (FakeNode *node : nodes)
        {
            node->pushLog(log);
        }
    }
}

FakeNode::Reply GatewayChain::blockByNumber(const Json::Value &params)
{
    std::function<void()> next;
    FakeNode::Reply reply;
    {
        const std::lock_guard lock(mutex_);
        const std::int64_t last = blocks_.back().number;
        const std::int64_t number = params[0] == "latest" ? last : numberOf(params[0]);
        reply = shown(number);
        if (number + 1 == last)
        {
            next = std::exchange(afterTheLastButOne_, nullptr);
        }
    }
    if (next)
    {
        next();
    }
    return reply;
}

FakeNode::Reply GatewayChain::shown(std::int64_t number)
{
    std::deque<Saying> &next = sayings_[number];
    Saying saying = Saying::Truth;
    if (!next.empty())
    {
        saying = next.front();
        next.pop_front();
    }
    if (manners_.refuseBlocks || saying == Saying::Refusal)
    {
        return FakeNode::error(-32601, "the method eth_getBlockByNumber is not available");
    }
    if (number > blocks_.back().number - manners_.lag || saying == Saying::Nothing)
    {
        return FakeNode::result("null");
    }
    const Block &block = blocks_[static_cast<std::size_t>(number)];
    Json::Value answer;
    answer["number"] = quantity(number);
    answer["hash"] =
        hex(manners_.randomBlockHashes || saying == Saying::Another ? hash32(++serial_, 0xBD)
                                                                    : block.hash);
    answer["baseFeePerGas"] = "0x7";
    return FakeNode::resultOf(answer);
}

FakeNode::Reply GatewayChain::logs(const Json::Value &params)
{
    const std::lock_guard lock(mutex_);
    const std::int64_t from = numberOf(params[0]["fromBlock"]);
    const std::int64_t to = numberOf(params[0]["toBlock"]);
    if (from > blocks_.back().number)
    {
        return FakeNode::error(-32602, "BlockOutOfRangeError");
    }
    if (manners_.mostBlocks > 0 && to - from + 1 > manners_.mostBlocks)
    {
        ++refusals_;
        return FakeNode::error(-32005, "query exceeds the limit of this plan");
    }
    Json::Value answer(Json::arrayValue);
    for (const Block &block : blocks_)
    {
        const bool within = block.number >= from && block.number <= to &&
                            block.number <= blocks_.back().number - manners_.lag;
        for (Json::Value log : block.logs)
        {
            if (manners_.hideTxHashes)
            {
                log.removeMember("transactionHash");
            }
            if (within || manners_.ignoreFilters)
            {
                answer.append(log);
            }
        }
    }
    return FakeNode::resultOf(answer);
}
}  // namespace relayer::test
