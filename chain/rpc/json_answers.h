// What comes from a node, decoded. Total: any bytes give a value or an error, and nothing is read
// or kept beyond the stated limits. Liberal where nodes differ, strict where a guess could hurt.
#pragma once

#include "chain/rpc/types.h"

#include <json/value.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relayer::chain::rpc
{
struct NodeError
{
    std::int64_t code = 0;
    std::string message;
    std::optional<core::Bytes> data;
};

struct Undecodable
{
    const char *why = "";
};

template <typename Value>
using Answer = std::variant<Value, NodeError, Undecodable>;

// How big a document may be. `values` bounds memory: a parsed value takes much more of it than the
// two bytes that it may have as text.
struct JsonLimits
{
    std::size_t bytes = 64UL * 1024 * 1024;
    std::size_t depth = 32;
    std::size_t values = 4UL * 1024 * 1024;
};

// The document, if it is one within the limits.
[[nodiscard]] std::optional<Json::Value> parseJson(std::string_view text, const JsonLimits &limits);

// `result` or `error` of one answer. The id is not looked at: over HTTP an answer belongs to its
// request, and some nodes send null.
[[nodiscard]] Answer<Json::Value> openAnswer(std::string_view text, const JsonLimits &limits);
[[nodiscard]] Answer<Json::Value> openAnswer(Json::Value document);

// By the ids 0 .. count-1, in whatever order they came. An item that is missing or has no sane id
// is nothing. An answer that is one error instead of a list: the node refused the batch.
using BatchItems = std::vector<std::optional<Answer<Json::Value>>>;
[[nodiscard]] Answer<BatchItems> openBatch(std::string_view text, std::size_t count,
                                           const JsonLimits &limits);

// Of results. Nothing: it is none.
[[nodiscard]] std::optional<std::uint64_t> decodeNumber(const Json::Value &value);
[[nodiscard]] std::optional<Uint256> decodeUint256(const Json::Value &value);
[[nodiscard]] std::optional<core::Bytes> decodeBytes(const Json::Value &value);
[[nodiscard]] std::optional<core::Hash32> decodeHash(const Json::Value &value);
[[nodiscard]] std::optional<core::Address> decodeAddress(const Json::Value &value);
[[nodiscard]] std::optional<FeeHistory> decodeFeeHistory(const Json::Value &value);
[[nodiscard]] std::optional<BlockHeader> decodeBlock(const Json::Value &value);

// A log without its block or transaction is skipped and counted; so is what is no log.
[[nodiscard]] std::optional<Log> decodeLog(const Json::Value &value);
[[nodiscard]] std::optional<Logs> decodeLogs(const Json::Value &value);

struct DecodedReceipt
{
    Receipt receipt;
    bool mined = true;  // false: it names no block
    std::size_t skippedLogs = 0;
};
// What a log does not say of its block and transaction, its receipt says for it.
[[nodiscard]] std::optional<DecodedReceipt> decodeReceipt(const Json::Value &value);

// A frame of a subscription: an answer to one of our requests, or pushed logs.
struct PushedLog
{
    std::string subscription;
    Json::Value log;
};
struct SocketAnswer
{
    std::uint64_t id = 0;
    Answer<Json::Value> answer;
};
using SocketFrame = std::variant<PushedLog, SocketAnswer, Undecodable>;
[[nodiscard]] SocketFrame openFrame(std::string_view text, const JsonLimits &limits);
}  // namespace relayer::chain::rpc
