// A gateway chain in memory, shown by fake nodes: blocks with events, pushes, reorgs, and the ways
// in which nodes answer otherwise than they should.
#pragma once

#include "chain/gateway.h"
#include "core/content_hash.h"
#include "support/fake_node.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace relayer::test
{
[[nodiscard]] chain::GatewayContracts testContracts();

struct ChainEvent
{
    core::Address address{};
    std::vector<core::Hash32> topics;
    core::Bytes data;
    std::optional<core::Hash32> txHash = std::nullopt;  // else one of its own
};
[[nodiscard]] ChainEvent proofRejected(const core::Hash32 &id);
[[nodiscard]] ChainEvent proofAccepted(const core::Hash32 &id, std::vector<core::Hash32> handles);
[[nodiscard]] ChainEvent publicDecrypted(const core::Hash32 &id, core::Bytes value);
[[nodiscard]] ChainEvent shareArrived(const core::Hash32 &id, std::uint64_t index,
                                      core::Bytes extraData = {0x00});
[[nodiscard]] ChainEvent thresholdReached(const core::Hash32 &id);
[[nodiscard]] ChainEvent proofRequested(const core::Hash32 &id, const core::Hash32 &txHash);

class GatewayChain
{
  public:
    struct Manners
    {
        std::int64_t mostBlocks = 0;     // in one eth_getLogs; 0: any number
        bool hideTxHashes = false;       // in what eth_getLogs says
        bool ignoreFilters = false;      // eth_getLogs answers with all there is
        bool randomBlockHashes = false;  // eth_getBlockByNumber never says the same twice
        bool refuseBlocks = false;       // eth_getBlockByNumber is none of its methods
        std::int64_t lag = 0;            // of blocks and logs, behind the head that it tells
        bool push = true;
        bool pushMadeUp = false;  // random block and transaction hashes, log index 0
        bool pushRemoved = false;
    };

    // What a node says of a block when it is asked the next time, the time after that, ...
    enum class Saying : std::uint8_t
    {
        Truth,
        Nothing,
        Refusal,
        Another,  // a hash that nobody has heard of
    };
    using Sayings = std::map<std::int64_t, std::deque<Saying>>;  // by block

    // Chains of different seeds have nothing in common, not even their first block.
    explicit GatewayChain(std::uint64_t seed = 1);

    void showOn(FakeNode *node);
    void behave(Manners manners);
    void say(Sayings sayings);

    void mine(const std::vector<ChainEvent> &events = {});
    void mineEmpty(int blocks);
    // Takes the last blocks back, and puts as many others there, the first of which has these.
    void reorganise(std::size_t depth, const std::vector<ChainEvent> &events);
    // As above, right after somebody was shown the block below the last one.
    void reorganiseBehind(std::size_t depth, const std::vector<ChainEvent> &events);
    // As the first, with one block on top, and nodes that say this of it.
    void reorganiseSaying(std::size_t depth, const std::vector<ChainEvent> &events,
                          Sayings sayings);
    // From here on it is another chain.
    void restart(std::uint64_t seed, int blocks);

    [[nodiscard]] std::int64_t head() const;
    [[nodiscard]] std::size_t refusals() const;  // of ranges that were too wide

  private:
    struct Block
    {
        std::int64_t number = 0;
        core::Hash32 hash{};
        std::vector<Json::Value> logs;
    };

    void append(const std::vector<ChainEvent> &events);
    [[nodiscard]] std::vector<Json::Value> replace(std::size_t depth,
                                                   const std::vector<ChainEvent> &events);
    [[nodiscard]] FakeNode::Reply blockByNumber(const Json::Value &params);
    [[nodiscard]] FakeNode::Reply shown(std::int64_t number);
    [[nodiscard]] FakeNode::Reply logs(const Json::Value &params);
    void push(const std::vector<Json::Value> &logs);

    mutable std::mutex mutex_;
    std::vector<Block> blocks_;
    std::vector<FakeNode *> nodes_;
    Manners manners_;
    std::uint64_t seed_;
    std::uint64_t serial_ = 0;  // makes every hash one of its own
    std::size_t refusals_ = 0;
    std::function<void()> afterTheLastButOne_;
    Sayings sayings_;
};
}  // namespace relayer::test
