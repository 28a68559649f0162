// A gateway chain with its pool, its contract and who answers: blocks, reorgs, ids that are given
// twice after them, transactions of others.
#pragma once

#include "chain/send_answer.h"
#include "sim/faults.h"
#include "sim/types.h"

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace relayer::sim
{
class FakeChain
{
  public:
    enum class Fate : std::uint8_t
    {
        Event,         // it made the request
        WithoutEvent,  // it succeeded, and made none
        Reverted
    };
    struct Surroundings
    {
        Random *random = nullptr;
        Coverage *coverage = nullptr;
        // Of a request that reached the chain.
        std::function<core::Kind(RequestId)> kindOf;
        std::function<const Fortune &(RequestId)> fortuneOf;
        std::function<void(const Signed &)> seen;  // by a node
        // A transaction of a request, with what it came to.
        std::function<void(const Signed &, Fate)> minedRequest;
        std::function<void(const Signed &, Fate)> unminedRequest;
        // A log about it is gone.
        std::function<void(RequestId)> takenBack;
    };

    explicit FakeChain(Surroundings surroundings);

    void mine();
    // The newest blocks go; their transactions come back to the pool, or some are lost.
    void reorg(std::size_t depth, bool dropSome);
    // One transaction of ours vanishes from the pool. False: there was none.
    bool dropOne();
    // Somebody else signs with the key.
    bool foreignTransaction(int lane);

    // What a node says to a transaction.
    chain::SendAnswer send(const Signed &transaction);
    // As of so many blocks ago.
    [[nodiscard]] std::optional<Receipt> receipt(Hash hash, std::int64_t lag) const;
    [[nodiscard]] std::int64_t count(int lane, std::int64_t lag) const;
    [[nodiscard]] std::int64_t pendingCount(int lane) const;
    [[nodiscard]] bool knows(Hash hash) const;
    [[nodiscard]] std::int64_t head() const
    {
        return static_cast<std::int64_t>(blocks_.size()) - 1;
    }
    [[nodiscard]] std::optional<Hash> hashOf(std::int64_t block) const;
    [[nodiscard]] std::vector<Log> logs(std::int64_t from, std::int64_t to) const;
    [[nodiscard]] const std::vector<Log> &newest() const { return blocks_.back().logs; }
    [[nodiscard]] std::uint64_t usualFee() const { return baseFee + baseFee / 4; }

    // Whether the answer to this request has stood on the chain since this block.
    [[nodiscard]] bool wasAnsweredBy(RequestId request, std::int64_t block) const;
    [[nodiscard]] bool isForeign(int lane, std::int64_t nonce) const;

    std::uint64_t baseFee = 100;
    bool noFunds = false;
    bool refusesGaps = false;

  private:
    struct Mined
    {
        Signed transaction;
        Fate fate = Fate::Event;
        GatewayId gatewayId = 0;
    };
    struct Block
    {
        Hash hash = 0;
        std::vector<Mined> mined;
        std::vector<Log> logs;
        std::array<std::int64_t, kMostLanes> counts{};  // behind it
        std::array<GatewayId, core::kKinds> ids{};      // given out so far
    };
    struct Unanswered
    {
        RequestId request = 0;
        core::Kind kind = core::Kind::InputProof;
        GatewayId gatewayId = 0;
        std::int64_t due = 0;
        int next = 0;  // the number of the share
    };

    void include(Block &block, const Signed &transaction);
    Fate fateOf(const Signed &transaction);
    void answer(Block &block);
    void addLog(Block &block, Log log);
    [[nodiscard]] const Block &at(std::int64_t lag) const;

    const Surroundings with_;
    std::vector<Block> blocks_;
    std::vector<Signed> pool_;
    std::vector<Unanswered> unanswered_;
    std::vector<int> triedWithoutEvent_;                                       // by request
    std::vector<std::pair<std::pair<int, std::int64_t>, bool>> withoutEvent_;  // lane, nonce
    std::vector<std::pair<int, std::int64_t>> foreign_;
    Hash nextHash_ = 1;
};
}  // namespace relayer::sim
