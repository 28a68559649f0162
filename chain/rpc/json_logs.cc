// Logs and receipts as nodes write them.
#include "chain/rpc/json_answers.h"

#include <limits>

namespace relayer::chain::rpc
{
namespace
{
// What a log may take over from the receipt that it stands in.
struct Context
{
    std::optional<std::uint64_t> blockNumber;
    std::optional<core::Hash32> blockHash;
    std::optional<core::Hash32> txHash;
};

std::optional<std::vector<core::Hash32>> decodeTopics(const Json::Value &value)
{
    constexpr Json::ArrayIndex kMostTopics = 4;
    std::vector<core::Hash32> topics;
    if (!value.isArray() || value.size() > kMostTopics)
    {
        return std::nullopt;
    }
    for (const Json::Value &item : value)
    {
        const auto topic = decodeHash(item);
        if (!topic)
        {
            return std::nullopt;
        }
        topics.push_back(*topic);
    }
    return topics;
}

// A member that is there has to be right; one that is missing or null is taken from the context.
template <typename Value, typename Decode>
bool take(const Json::Value &object, const char *name, std::optional<Value> &into, Decode decode)
{
    const Json::Value &value = object[name];
    if (value.isNull())
    {
        return true;
    }
    into = decode(value);
    return into.has_value();
}

std::optional<Log> decodeLogIn(const Json::Value &value, Context context)
{
    if (!value.isObject())
    {
        return std::nullopt;
    }
    std::optional<std::uint64_t> index = 0;
    std::optional<core::Bytes> data = core::Bytes{};
    const auto address = decodeAddress(value["address"]);
    auto topics = decodeTopics(value["topics"]);
    if (!address || !topics || !take(value, "data", data, decodeBytes) ||
        !take(value, "logIndex", index, decodeNumber) ||
        !take(value, "blockNumber", context.blockNumber, decodeNumber) ||
        !take(value, "blockHash", context.blockHash, decodeHash) ||
        !take(value, "transactionHash", context.txHash, decodeHash) || !context.blockNumber ||
        !context.blockHash || !context.txHash || *index > std::numeric_limits<std::uint32_t>::max())
    {
        return std::nullopt;
    }
    const Json::Value &removed = value["removed"];
    Log log;
    log.address = *address;
    log.topics = std::move(*topics);
    log.data = std::move(*data);
    log.blockNumber = *context.blockNumber;
    log.blockHash = *context.blockHash;
    log.logIndex = static_cast<std::uint32_t>(*index);
    log.txHash = context.txHash;
    log.removed = removed.isBool() && removed.asBool();
    return log;
}
}  // namespace

std::optional<Log> decodeLog(const Json::Value &value)
{
    return decodeLogIn(value, {});
}

std::optional<Logs> decodeLogs(const Json::Value &value)
{
    if (!value.isArray())
    {
        return std::nullopt;
    }
    Logs logs;
    logs.logs.reserve(value.size());
    for (const Json::Value &item : value)
    {
        if (auto log = decodeLog(item))
        {
            logs.logs.push_back(std::move(*log));
        }
        else
        {
            ++logs.skipped;
        }
    }
    return logs;
}

std::optional<DecodedReceipt> decodeReceipt(const Json::Value &value)
{
    if (!value.isObject())
    {
        return std::nullopt;
    }
    Context context;
    std::optional<std::uint64_t> status = 1;
    const Json::Value &logs = value["logs"];
    if (!take(value, "transactionHash", context.txHash, decodeHash) || !context.txHash ||
        !take(value, "blockNumber", context.blockNumber, decodeNumber) ||
        !take(value, "blockHash", context.blockHash, decodeHash) ||
        !take(value, "status", status, decodeNumber) || (!logs.isNull() && !logs.isArray()))
    {
        return std::nullopt;
    }
    DecodedReceipt decoded;
    decoded.mined = context.blockNumber.has_value() || context.blockHash.has_value();
    context.blockNumber = context.blockNumber.value_or(0);
    context.blockHash = context.blockHash.value_or(core::Hash32{});
    decoded.receipt.succeeded = *status != 0;
    decoded.receipt.txHash = *context.txHash;
    decoded.receipt.blockNumber = *context.blockNumber;
    decoded.receipt.blockHash = *context.blockHash;
    for (const Json::Value &item : logs)
    {
        if (auto log = decodeLogIn(item, context))
        {
            decoded.receipt.logs.push_back(std::move(*log));
        }
        else
        {
            ++decoded.skippedLogs;
        }
    }
    return decoded;
}
}  // namespace relayer::chain::rpc
