// The calls of a node, each as a request, an endpoint list and a decoder.
#include "chain/rpc/node.h"

#include "chain/rpc/json_requests.h"
#include "chain/rpc/node_calls.h"

#include <algorithm>
#include <stdexcept>

namespace relayer::chain::rpc
{
namespace
{
using drogon::Task;

constexpr std::size_t kReceiptsInABatch = 100;
constexpr std::chrono::minutes kBatchesAgainAfter{10};
// A transaction is not repeated when its connection breaks, so it gets one that is surely alive.
constexpr std::chrono::milliseconds kIdleAtMostForTransactions{1'000};

template <typename Value>
Open<Value> openWith(std::optional<Value> (*decode)(const Json::Value &), JsonLimits limits)
{
    return [decode, limits](std::string_view body) -> Answer<Value> {
        auto answer = openAnswer(body, limits);
        if (auto *error = std::get_if<NodeError>(&answer))
        {
            return std::move(*error);
        }
        if (const auto *undecodable = std::get_if<Undecodable>(&answer))
        {
            return *undecodable;
        }
        auto value = decode(std::get<Json::Value>(answer));
        if (!value)
        {
            return Undecodable{"the result is not what the method gives"};
        }
        return std::move(*value);
    };
}

std::optional<std::optional<BlockHeader>> decodeBlockOrNull(const Json::Value &value)
{
    if (value.isNull())
    {
        return std::optional<BlockHeader>{};
    }
    auto header = decodeBlock(value);
    return header ? std::optional(std::move(header)) : std::nullopt;
}

// A receipt that names no block: not mined yet.
std::optional<std::optional<Receipt>> decodeReceiptOrNull(const Json::Value &value)
{
    if (value.isNull())
    {
        return std::optional<Receipt>{};
    }
    auto decoded = decodeReceipt(value);
    if (!decoded)
    {
        return std::nullopt;
    }
    return decoded->mined ? std::optional(std::move(decoded->receipt)) : std::optional<Receipt>{};
}

// Its method answers once the transaction is mined, so a block that is not named is no matter.
std::optional<std::optional<Receipt>> decodeSyncReceipt(const Json::Value &value)
{
    if (value.isNull())
    {
        return std::optional<Receipt>{};
    }
    auto decoded = decodeReceipt(value);
    return decoded ? std::optional(std::optional(std::move(decoded->receipt))) : std::nullopt;
}

std::optional<bool> decodePresence(const Json::Value &value)
{
    return value.isNull() || value.isObject() ? std::optional(value.isObject()) : std::nullopt;
}

Exchanged exchangedOf(const NodeState &state, std::string method, const std::string &params)
{
    Exchanged exchanged;
    exchanged.body = requestBody(1, method, params);
    exchanged.method = std::move(method);
    exchanged.timeout = state.options.timeout;
    return exchanged;
}

template <typename Value>
Task<Value> askOne(NodeStatePtr state, Endpoints endpoints, std::string method, std::string params,
                   std::optional<Value> (*decode)(const Json::Value &),
                   std::string traceparent = {})
{
    Exchanged exchanged = exchangedOf(*state, std::move(method), params);
    exchanged.traceparent = std::move(traceparent);
    params.clear();
    Open<Value> open = openWith<Value>(decode, state->limits());
    return ask<Value>(std::move(state), std::move(endpoints), std::move(exchanged),
                      std::move(open));
}

template <typename Value>
Task<Value> tellOne(NodeStatePtr state, std::string method, std::string params,
                    std::chrono::milliseconds timeout,
                    std::optional<Value> (*decode)(const Json::Value &), std::string traceparent)
{
    Exchanged exchanged = exchangedOf(*state, std::move(method), params);
    exchanged.traceparent = std::move(traceparent);
    exchanged.timeout = timeout;
    exchanged.idleAtMost = kIdleAtMostForTransactions;
    Open<Value> open = openWith<Value>(decode, state->limits());
    return tell<Value>(std::move(state), std::move(exchanged), std::move(open));
}

std::vector<std::string> paramsOf(const std::vector<core::Hash32> &hashes)
{
    std::vector<std::string> params;
    params.reserve(hashes.size());
    for (const core::Hash32 &hash : hashes)
    {
        params.push_back(dataParam(hash));
    }
    return params;
}

struct Batch
{
    BatchItems items;      // as many as were asked for; nothing: ask alone
    EndpointPtr endpoint;  // that gave them
    // No endpoint could be reached, so there is no use in asking alone.
    std::optional<RpcError> unreached;
};

// One exchange, and once more on a fresh connection where an idle one had broken.
Task<Attempt<BatchItems>> exchangeBatch(NodeStatePtr state, EndpointPtr endpoint,
                                        Exchanged exchanged, std::size_t count)
{
    const JsonLimits limits = state->limits();
    Open<BatchItems> open = [count, limits](std::string_view body) {
        return openBatch(body, count, limits);
    };
    Exchanged first = exchanged;
    Attempt<BatchItems> result =
        co_await attempt<BatchItems>(endpoint, std::move(first), limits, open);
    if (result.error && result.reused)
    {
        exchanged.idleAtMost = std::chrono::milliseconds(-1);
        result = co_await attempt<BatchItems>(endpoint, std::move(exchanged), limits, open);
    }
    co_return result;
}

// What a batch gives, item for item. Nothing where the endpoint does not take batches, or refused
// this one: those which are missing are asked for one by one. An endpoint that can not be reached
// leaves it to the next.
Task<Batch> tryBatch(NodeStatePtr state, Endpoints endpoints, std::string method,
                     std::vector<std::string> params)
{
    using Clock = EndpointHealth::Clock;
    Batch batch{BatchItems(params.size()), nullptr, std::nullopt};
    Endpoints tried;
    for (EndpointPtr endpoint = chooseEndpoint(endpoints, tried, Clock::now()); endpoint;
         endpoint = chooseEndpoint(endpoints, tried, Clock::now()))
    {
        batch.unreached.reset();
        if (params.size() < 2 || Clock::now() < endpoint->batchesAgainAt)
        {
            co_return batch;
        }
        tried.push_back(endpoint);
        endpoint->started();
        Exchanged exchanged;
        exchanged.body = batchBody(method, params);
        exchanged.method = method;
        exchanged.timeout = state->options.timeout;
        Attempt<BatchItems> result =
            co_await exchangeBatch(state, endpoint, std::move(exchanged), params.size());
        if (result.value)
        {
            endpoint->ended(std::nullopt);
            batch.items = std::move(*result.value);
            batch.endpoint = endpoint;
            co_return batch;
        }
        const RpcError::Kind kind = result.error->kind();
        if (kind == RpcError::Kind::Rpc || kind == RpcError::Kind::Undecodable ||
            result.refusedByHttp)
        {
            endpoint->batchesAgainAt = Clock::now() + kBatchesAgainAfter;
            endpoint->ended(std::nullopt);
            co_return batch;
        }
        endpoint->ended(kind);
        batch.unreached = std::move(result.error);
    }
    co_return batch;
}

Task<std::vector<std::optional<Receipt>>> receiptsOf(NodeStatePtr state,
                                                     std::vector<core::Hash32> hashes)
{
    if (!state->loop->isInLoopThread())
    {
        co_await drogon::switchThreadCoro(state->loop);
    }
    static const std::string kMethod = "eth_getTransactionReceipt";
    std::vector<std::optional<Receipt>> receipts;
    receipts.reserve(hashes.size());
    for (std::size_t start = 0; start < hashes.size(); start += kReceiptsInABatch)
    {
        const auto first = hashes.begin() + static_cast<std::ptrdiff_t>(start);
        const std::size_t count = std::min(kReceiptsInABatch, hashes.size() - start);
        const std::vector<core::Hash32> chunk(first, first + static_cast<std::ptrdiff_t>(count));
        std::vector<std::string> params = paramsOf(chunk);
        const Batch batch = co_await tryBatch(state, state->write, kMethod, params);
        for (std::size_t i = 0; i < count; ++i)
        {
            const auto &item = batch.items[i];
            const auto *value = item ? std::get_if<Json::Value>(&*item) : nullptr;
            auto receipt = value != nullptr ? decodeReceiptOrNull(*value) : std::nullopt;
            if (!receipt)
            {
                receipt =
                    co_await askOne(state, state->write, kMethod, params[i], decodeReceiptOrNull);
            }
            receipts.push_back(std::move(*receipt));
        }
    }
    co_return receipts;
}

Task<CallOutcome> callAlone(NodeStatePtr state, std::string params, std::string traceparent)
{
    Endpoints endpoints = state->read;
    std::optional<CallOutcome> outcome;
    try
    {
        outcome.emplace(co_await askOne(state, std::move(endpoints), "eth_call", std::move(params),
                                        decodeBytes, std::move(traceparent)));
    }
    catch (const RpcError &error)
    {
        outcome.emplace(error);
    }
    co_return std::move(*outcome);
}

// Of one item of a batch; nothing: it has to be asked alone.
std::optional<CallOutcome> outcomeIn(const Batch &batch, std::size_t place)
{
    const auto &item = batch.items[place];
    if (batch.unreached)
    {
        return *batch.unreached;
    }
    if (const auto *error = item ? std::get_if<NodeError>(&*item) : nullptr)
    {
        return errorOf(*batch.endpoint, "eth_call", *error);
    }
    const auto *value = item ? std::get_if<Json::Value>(&*item) : nullptr;
    auto bytes = value != nullptr ? decodeBytes(*value) : std::nullopt;
    return bytes ? std::optional<CallOutcome>(std::move(*bytes)) : std::nullopt;
}

Task<std::vector<CallOutcome>> callsOf(NodeStatePtr state, std::vector<std::string> params,
                                       std::string traceparent)
{
    if (!state->loop->isInLoopThread())
    {
        co_await drogon::switchThreadCoro(state->loop);
    }
    const Batch batch = co_await tryBatch(state, state->read, "eth_call", params);
    std::vector<std::optional<CallOutcome>> outcomes;
    std::vector<Task<CallOutcome>> alone;
    for (std::size_t i = 0; i < params.size(); ++i)
    {
        outcomes.push_back(outcomeIn(batch, i));
        if (!outcomes.back())
        {
            alone.push_back(callAlone(state, params[i], traceparent));
        }
    }
    std::vector<CallOutcome> repeated;
    if (!alone.empty())
    {
        auto all = drogon::when_all(std::move(alone));
        repeated = co_await all;
    }
    std::vector<CallOutcome> complete;
    complete.reserve(outcomes.size());
    auto next = repeated.begin();
    for (auto &outcome : outcomes)
    {
        complete.push_back(outcome ? std::move(*outcome) : std::move(*next++));
    }
    co_return complete;
}

class HttpNode final : public Node
{
  public:
    explicit HttpNode(NodeStatePtr state) : state_(std::move(state)) {}

    [[nodiscard]] std::vector<EndpointSnapshot> snapshot() const override
    {
        std::vector<EndpointSnapshot> snapshots;
        for (const EndpointPtr &endpoint : state_->all)
        {
            snapshots.push_back(endpoint->snapshot());
        }
        return snapshots;
    }

    Task<std::uint64_t> chainId() override
    {
        return askOne(state_, state_->read, "eth_chainId", "[]", decodeNumber);
    }
    Task<std::uint64_t> blockNumber() override
    {
        return askOne(state_, state_->read, "eth_blockNumber", "[]", decodeNumber);
    }
    Task<std::optional<BlockHeader>> block(std::uint64_t number) override
    {
        return askOne(state_, state_->read, "eth_getBlockByNumber", blockParams(number),
                      decodeBlockOrNull);
    }
    Task<std::optional<BlockHeader>> latestBlock() override
    {
        return askOne(state_, state_->read, "eth_getBlockByNumber", blockParams("latest"),
                      decodeBlockOrNull);
    }
    Task<core::Bytes> code(core::Address address) override
    {
        return askOne(state_, state_->write, "eth_getCode", dataAndBlockParams(address, "latest"),
                      decodeBytes);
    }
    Task<Uint256> balance(core::Address address) override
    {
        return askOne(state_, state_->write, "eth_getBalance",
                      dataAndBlockParams(address, "latest"), decodeUint256);
    }
    Task<Uint256> gasPrice() override
    {
        return askOne(state_, state_->write, "eth_gasPrice", "[]", decodeUint256);
    }
    Task<FeeHistory> feeHistory(std::uint64_t blocks, double percentile) override
    {
        return askOne(state_, state_->write, "eth_feeHistory", feeHistoryParams(blocks, percentile),
                      decodeFeeHistory);
    }
    Task<std::uint64_t> estimateGas(Call call) override
    {
        return askOne(state_, state_->read, "eth_estimateGas", callParams(call, "pending"),
                      decodeNumber, std::move(call.traceparent));
    }
    Task<core::Bytes> call(Call call, std::string block) override
    {
        return askOne(state_, state_->read, "eth_call", callParams(call, block), decodeBytes,
                      std::move(call.traceparent));
    }
    Task<std::vector<CallOutcome>> calls(std::vector<Call> calls, std::string block) override
    {
        std::vector<std::string> params;
        params.reserve(calls.size());
        for (const Call &call : calls)
        {
            params.push_back(callParams(call, block));
        }
        // A batch has many causes.
        return callsOf(state_, std::move(params),
                       calls.size() == 1 ? std::move(calls.front().traceparent) : std::string());
    }
    Task<std::uint64_t> transactionCount(core::Address address, std::string block) override
    {
        return askOne(state_, state_->write, "eth_getTransactionCount",
                      dataAndBlockParams(address, block), decodeNumber);
    }
    Task<Logs> logs(LogFilter filter) override
    {
        return askOne(state_, state_->read, "eth_getLogs", logFilterParams(filter), decodeLogs);
    }
    Task<std::vector<std::optional<Receipt>>> receipts(std::vector<core::Hash32> hashes) override
    {
        return receiptsOf(state_, std::move(hashes));
    }
    Task<bool> knowsTransaction(core::Hash32 hash) override
    {
        return askOne(state_, state_->write, "eth_getTransactionByHash", dataParam(hash),
                      decodePresence);
    }
    Task<std::optional<Receipt>> sendRawTransactionSync(core::Bytes raw,
                                                        std::string traceparent) override
    {
        return tellOne(state_, "eth_sendRawTransactionSync", dataParam(raw),
                       state_->options.syncTimeout, decodeSyncReceipt, std::move(traceparent));
    }
    Task<core::Hash32> sendRawTransaction(core::Bytes raw, std::string traceparent) override
    {
        return tellOne(state_, "eth_sendRawTransaction", dataParam(raw), state_->options.timeout,
                       decodeHash, std::move(traceparent));
    }

  private:
    const NodeStatePtr state_;
};

bool isOneOf(const std::vector<NamedUrl> &urls, const NamedUrl &named)
{
    return std::ranges::any_of(urls, [&](const NamedUrl &other) {
        return other.name == named.name && other.url == named.url;
    });
}

EndpointPtr makeEndpoint(trantor::EventLoop *loop, const NodeOptions &options,
                         const NamedUrl &named)
{
    auto url = parseUrl(named.url);
    if (!url || (url->scheme != "http" && url->scheme != "https"))
    {
        throw std::invalid_argument("endpoint " + named.name + ": not a http or https URL");
    }
    HttpLimits limits;
    const bool takesSends = options.write.empty() || isOneOf(options.write, named);
    limits.connections = options.connections + (takesSends ? options.syncSends : 0);
    limits.waiting = options.waiting;
    limits.maxAnswer = options.maxAnswer;
    auto http = std::make_shared<HttpEndpoint>(loop, std::move(*url), limits);
    return std::make_shared<Endpoint>(named.name, std::move(http));
}
}  // namespace

std::shared_ptr<Node> connectNode(trantor::EventLoop *loop, NodeOptions options)
{
    auto state = std::make_shared<NodeState>();
    state->loop = loop;
    std::vector<std::pair<NamedUrl, EndpointPtr>> made;
    const auto endpointOf = [&](const NamedUrl &named) {
        for (const auto &[known, endpoint] : made)
        {
            if (known.name == named.name && known.url == named.url)
            {
                return endpoint;
            }
        }
        made.emplace_back(named, makeEndpoint(loop, options, named));
        state->all.push_back(made.back().second);
        return made.back().second;
    };
    std::ranges::transform(options.read, std::back_inserter(state->read), endpointOf);
    std::ranges::transform(options.write, std::back_inserter(state->write), endpointOf);
    if (state->read.empty())
    {
        throw std::invalid_argument("a node needs at least one endpoint to read from");
    }
    if (state->write.empty())
    {
        state->write = state->read;
    }
    state->options = std::move(options);
    return std::make_shared<HttpNode>(std::move(state));
}
}  // namespace relayer::chain::rpc
