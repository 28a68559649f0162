// A gateway chain in memory behind a FakeNode: pool, nonces, blocks, receipts, events, reorgs; and
// a node in front of it that lies when it is told to.
//
//     LyingChain chain;
//     chain.lieOnSend(Lie::TransportLoss, When::AfterAccepting);
//     ... one request is sent through chain.node().url() ...
//     EXPECT_EQ(chain.requests().size(), 1U);      // the truth, whatever the node said
//
// Transactions are mined at once unless told otherwise. All of it may be called from any thread.
#pragma once

#include "chain/gateway.h"
#include "chain/transaction.h"
#include "support/fake_node.h"
#include "support/lying_events.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayer::test
{
enum class Lie : std::uint8_t
{
    AlreadyKnown,
    AlreadyImported,
    NonceTooLow,
    NonceTooHigh,
    Underpriced,
    TimeoutWithHash,     // code 4, as EIP-7966 says
    TimeoutWithoutHash,  // -32603, as anvil says it
    TransportLoss,       // the connection is closed instead of an answer
    Silence,             // no answer ever
    NullResult,
    RevertText,  // a revert at send time: -32000, a selector in the text, no data
    NoFunds,
    Busy,          // HTTP 429
    AnsweredTwice  // the truth, and once more right behind it
};
[[nodiscard]] const std::vector<Lie> &allLies();
[[nodiscard]] std::string nameOf(Lie lie);

enum class When : std::uint8_t
{
    BeforeAccepting,  // and the transaction is not accepted
    AfterAccepting
};

// What becomes of the transactions of blocks that a reorg takes away.
enum class Fate : std::uint8_t
{
    Forgotten,
    BackInPool,
    MinedAgain  // at once, in new blocks
};

class LyingChain
{
  public:
    struct Options
    {
        std::uint64_t chainId = 654321;
        chain::GatewayContracts contracts = defaultContracts();
        std::uint64_t firstNonce = 0;  // of every sender
        bool knowsSync = true;         // eth_sendRawTransactionSync
        bool timeoutHasHash = true;    // code 4 with the hash, or -32603 without
        std::chrono::milliseconds syncWait{20'000};
        bool saysImported = false;  // "transaction already imported", or "already known"
        std::size_t shares = 3;     // of an answer to a user decryption
    };

    // A request as the chain has it now.
    struct Request
    {
        core::Hash32 txHash{};
        core::Kind kind = core::Kind::InputProof;
        core::Bytes calldata;
        core::Hash32 gatewayId{};
        core::Address sender{};
        std::uint64_t nonce = 0;
        std::uint64_t block = 0;
    };

    LyingChain() : LyingChain(Options()) {}
    explicit LyingChain(const Options &options);
    ~LyingChain();
    LyingChain(const LyingChain &) = delete;
    LyingChain &operator=(const LyingChain &) = delete;

    [[nodiscard]] FakeNode &node() { return node_; }
    [[nodiscard]] const Options &options() const { return options_; }
    [[nodiscard]] static chain::GatewayContracts defaultContracts();

    // Lies, one for each send, in the order given; sends after them are answered honestly.
    void lieOnSend(Lie lie, When when, std::size_t times = 1);
    // The next so many sends wait for each other, and are taken with the highest nonce first; those
    // that nobody joins within a moment go on alone.
    void takeBackwards(std::size_t sends);
    void refuseGaps(bool refuse);  // "nonce too high"; else they are kept until they are filled
    [[nodiscard]] std::size_t liesLeft();

    // Blocks.
    void mineAtOnce(bool atOnce);
    void mineBlock();  // all that can be mined
    // Takes the last blocks away. So many requests of each kind by others come before ours then,
    // which moves the ids.
    void reorg(std::size_t blocks, Fate fate, std::size_t foreign = 0);
    void announceRemoved(bool announce);  // logs with `removed`, as geth pushes them
    void addForeignRequest(core::Kind kind);
    // Takes it out of the pool, as if it had never come. False: it is not there.
    bool forget(const core::Hash32 &hash);
    std::size_t forgetPool();

    // What contracts do with a request. Data of a revert, or nothing: it succeeds.
    using Revert = std::function<std::optional<core::Bytes>(const core::Bytes &calldata)>;
    void revertOnEstimate(Revert revert);
    void revertWhenMined(Revert revert);
    void mineWithoutEvents(std::size_t requests);  // the next so many succeed without any log
    // As a node that is still indexing: an error for whoever asks for a receipt.
    void refuseReceipts(bool refuse);

    // Answers, each in a block of its own.
    void answerAtOnce(bool atOnce);  // every request that is mined
    void answer(const core::Hash32 &gatewayId);
    void answerAll();
    void reject(const core::Hash32 &gatewayId);
    void pushTwice(bool twice);
    void pushBackwards(bool backwards);  // the logs of a block, last one first

    // The truth.
    [[nodiscard]] std::vector<Request> requests();
    // How often each calldata stands on the chain: exactly one per request is all ones.
    [[nodiscard]] std::map<core::Bytes, std::size_t> minedPerRequest();
    [[nodiscard]] std::size_t minedTransactions();
    [[nodiscard]] std::vector<std::uint64_t> minedNonces(const core::Address &sender);
    [[nodiscard]] std::size_t poolSize();
    [[nodiscard]] std::uint64_t head();
    bool waitForRequests(std::size_t count,
                         std::chrono::milliseconds deadline = std::chrono::seconds(10));
    bool waitForPool(std::size_t count,
                     std::chrono::milliseconds deadline = std::chrono::seconds(10));

  private:
    struct Transaction
    {
        core::Hash32 hash{};
        core::Bytes raw;
        chain::Transaction content;
        core::Address sender{};
        std::optional<chain::Receipt> receipt;  // mined
        std::optional<Request> request;
    };
    struct Block
    {
        std::uint64_t number = 0;
        core::Hash32 hash{};
        std::vector<core::Hash32> transactions;
        std::vector<chain::Log> logs;
        GatewayCounters before;  // ids that a reorg gives back
    };
    struct PlannedLie
    {
        Lie lie;
        When when;
    };
    using Reply = FakeNode::Reply;

    void installHandlers();
    void installReaders();
    Reply send(const Json::Value &params, bool sync);
    [[nodiscard]] Reply tell(Lie lie, const core::Hash32 &hash) const;
    [[nodiscard]] Reply logsFor(const Json::Value &filter);
    [[nodiscard]] Reply blockFor(const Json::Value &which);
    [[nodiscard]] Reply estimate(const Json::Value &call, bool asCall);

    // With the lock held:
    void waitForTurn(const core::Bytes &raw, std::unique_lock<std::mutex> &lock);
    std::optional<Reply> accept(const core::Bytes &raw);
    Reply awaitReceipt(const core::Hash32 &hash, std::unique_lock<std::mutex> &lock);
    void mineLocked();
    void mineOne(Transaction &transaction, Block &block);
    void pushBlock(Block block);
    void addLogBlock(std::vector<chain::Log> logs);
    void answerLocked(const Request &request);
    void place(chain::Log &log, const Block &block, std::uint32_t index,
               const core::Hash32 &txHash) const;
    [[nodiscard]] Block newBlock();
    [[nodiscard]] std::uint64_t nonceOf(const core::Address &sender) const;
    [[nodiscard]] std::uint64_t pendingNonceOf(const core::Address &sender) const;
    [[nodiscard]] const Request *findRequest(const core::Hash32 &gatewayId) const;
    [[nodiscard]] static Json::Value receiptJson(const chain::Receipt &receipt);

    const Options options_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<core::Hash32, Transaction> transactions_;
    std::map<core::Address, std::map<std::uint64_t, core::Hash32>> pool_;
    std::vector<Block> blocks_;
    std::map<core::Address, std::uint64_t> minedOf_;  // transactions of a sender
    GatewayCounters counters_;
    std::uint64_t blocksEver_ = 0;  // so that hashes differ after a reorg
    std::deque<PlannedLie> lies_;
    Revert revertOnEstimate_;
    Revert revertWhenMined_;
    std::size_t withoutEvents_ = 0;
    std::size_t backwards_ = 0;            // sends that are still to join
    std::multiset<std::uint64_t> inTurn_;  // nonces of those that have
    bool refuseGaps_ = false;
    bool refuseReceipts_ = false;
    bool mineAtOnce_ = true;
    bool answerAtOnce_ = false;
    bool announceRemoved_ = false;
    bool pushTwice_ = false;
    bool pushBackwards_ = false;
    bool stopping_ = false;
    FakeNode node_;  // last: its threads use all of the above
};
}  // namespace relayer::test
