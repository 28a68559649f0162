// A chain as we talk to it: the calls that the house needs, typed, over several endpoints.
//
//     const chain::Uint256 gas = co_await node.estimateGas(call);
//
// Every call has a deadline for each endpoint that it tries, and ends with a value or an RpcError.
// A call that is safe to repeat is tried on the next healthy endpoint; a transaction is not: what
// became of it is not known then. Only where no connection was made at all does it go elsewhere.
//
// What decides about a nonce (receipts, transaction counts, the pool) and what the fees are made
// from is asked of the write endpoints, all else of the read endpoints: a read replica that lags
// behind would have us believe that a nonce was used by somebody else.
//
// Callers are resumed on the loop that the node was made with; calls on it are the cheapest. A node
// may be dropped while calls are on their way.
#pragma once

#include "chain/log.h"
#include "chain/rpc/error.h"
#include "chain/rpc/types.h"
#include "chain/uint256.h"
#include "core/address.h"
#include "core/bytes.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace relayer::chain::rpc
{
struct NamedUrl
{
    std::string name;
    std::string url;
};

struct NodeOptions
{
    std::vector<NamedUrl> read;
    std::vector<NamedUrl> write;  // empty: as read
    std::chrono::milliseconds timeout{10'000};
    // sendRawTransactionSync waits for a block; its HTTP call is bounded by this.
    std::chrono::milliseconds syncTimeout{40'000};
    std::size_t connections = 64;  // per endpoint, at the most; each carries one call at a time
    // Calls of sendRawTransactionSync that are expected at a time. Each keeps a connection for a
    // block's time, so endpoints that take them have as many more: nothing else should have to wait
    // for a block.
    std::size_t syncSends = 0;
    std::size_t waiting = 4096;  // calls in line for one of them; more fail at once
    std::size_t maxAnswer = 64UL * 1024 * 1024;
};

// For metrics and the console. The numbers are of one moment each, not of one together.
struct EndpointSnapshot
{
    std::string name;
    std::size_t calls = 0;
    std::size_t failures = 0;  // other than the node's own "no"
    std::size_t inFlight = 0;
    std::size_t waiting = 0;
    std::size_t connections = 0;
    bool out = false;  // left alone for a while after failures
    std::optional<RpcError::Kind> lastError;
};

using CallOutcome = std::variant<core::Bytes, RpcError>;

class Node
{
  public:
    virtual ~Node() = default;

    // From any thread.
    [[nodiscard]] virtual std::vector<EndpointSnapshot> snapshot() const { return {}; }

    virtual drogon::Task<std::uint64_t> chainId() = 0;
    virtual drogon::Task<std::uint64_t> blockNumber() = 0;
    // Nothing: the node knows no such block.
    virtual drogon::Task<std::optional<BlockHeader>> block(std::uint64_t number) = 0;
    virtual drogon::Task<std::optional<BlockHeader>> latestBlock() = 0;
    virtual drogon::Task<core::Bytes> code(core::Address address) = 0;
    virtual drogon::Task<Uint256> balance(core::Address address) = 0;
    virtual drogon::Task<Uint256> gasPrice() = 0;
    virtual drogon::Task<FeeHistory> feeHistory(std::uint64_t blocks, double percentile) = 0;
    virtual drogon::Task<std::uint64_t> estimateGas(Call call) = 0;  // at "pending"
    // At the tag ("latest", "finalized") or at the number (0x...).
    virtual drogon::Task<core::Bytes> call(Call call, std::string block) = 0;
    // The same for many in one batch, in their order; each has an outcome of its own. What a batch
    // leaves unanswered is asked alone, and so is all of it where batches are refused.
    virtual drogon::Task<std::vector<CallOutcome>> calls(std::vector<Call> calls,
                                                         std::string block) = 0;
    virtual drogon::Task<std::uint64_t> transactionCount(core::Address address,
                                                         std::string block) = 0;
    virtual drogon::Task<Logs> logs(LogFilter filter) = 0;
    // In the order of the hashes, in one batch. Nothing: not mined, as far as the node knows.
    virtual drogon::Task<std::vector<std::optional<Receipt>>> receipts(
        std::vector<core::Hash32> hashes) = 0;
    // Whether the node has it, in a block or in its pool.
    virtual drogon::Task<bool> knowsTransaction(core::Hash32 hash) = 0;

    // On a write endpoint, once, never repeated here. Sync: nothing means that the node answered
    // null. `traceparent` as in Call.
    virtual drogon::Task<std::optional<Receipt>> sendRawTransactionSync(
        core::Bytes raw, std::string traceparent) = 0;
    virtual drogon::Task<core::Hash32> sendRawTransaction(core::Bytes raw,
                                                          std::string traceparent) = 0;
    drogon::Task<std::optional<Receipt>> sendRawTransactionSync(core::Bytes raw)
    {
        return sendRawTransactionSync(std::move(raw), std::string());
    }
    drogon::Task<core::Hash32> sendRawTransaction(core::Bytes raw)
    {
        return sendRawTransaction(std::move(raw), std::string());
    }
};

// Throws std::invalid_argument when a URL is none; the text has the endpoint's name only.
[[nodiscard]] std::shared_ptr<Node> connectNode(trantor::EventLoop *loop, NodeOptions options);
}  // namespace relayer::chain::rpc
