// Answers of nodes: the envelope, the errors in their many shapes, and plain values.
#include "chain/rpc/json_answers.h"

#include <json/reader.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace relayer::chain::rpc
{
namespace
{
constexpr std::size_t kErrorNesting = 4;

// A text that passes makes the parser neither recurse too deep nor keep too many values. What is
// no JSON at all may pass; the parser says so later.
bool keepsLimits(std::string_view text, const JsonLimits &limits)
{
    if (text.size() > limits.bytes)
    {
        return false;
    }
    std::size_t depth = 0;
    std::size_t values = 1;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        switch (text[i])
        {
            case '"':
                for (++i; i < text.size() && text[i] != '"'; ++i)
                {
                    i += text[i] == '\\' ? 1 : 0;
                }
                break;
            case '{':
            case '[':
                ++depth;
                ++values;
                break;
            case '}':
            case ']': depth -= depth == 0 ? 0 : 1; break;
            case ',': ++values; break;
            default: break;
        }
        if (depth > limits.depth || values > limits.values)
        {
            return false;
        }
    }
    return true;
}

std::string_view textOf(const Json::Value &value)
{
    const char *begin = nullptr;
    const char *end = nullptr;
    if (!value.isString() || !value.getString(&begin, &end))
    {
        return {};
    }
    return {begin, end};
}

const Json::Value &member(const Json::Value &object, const char *name)
{
    return object.isObject() ? object[name] : Json::Value::nullSingleton();
}

// Data of a revert stands in `data`, or deeper: {"data": {"data": ...}},
// {"data": {"originalError": {"data": ...}}}, "Reverted 0x...".
std::optional<core::Bytes> findData(const Json::Value &value, std::size_t nesting)
{
    if (value.isString())
    {
        const std::string_view text = textOf(value);
        const std::size_t start = text.find("0x");
        return start == std::string_view::npos ? std::nullopt
                                               : core::fromHex(text.substr(start + 2));
    }
    if (!value.isObject() || nesting == 0)
    {
        return std::nullopt;
    }
    for (const char *name : {"data", "originalError", "result"})
    {
        if (auto found = findData(member(value, name), nesting - 1))
        {
            return found;
        }
    }
    return std::nullopt;
}

std::int64_t codeOf(const Json::Value &value)
{
    if (value.type() == Json::intValue || value.type() == Json::uintValue)
    {
        return value.isInt64() ? value.asInt64() : 0;
    }
    return 0;
}

NodeError decodeError(const Json::Value &error)
{
    NodeError decoded;
    if (error.isString())
    {
        decoded.message = textOf(error);
        return decoded;
    }
    decoded.code = codeOf(member(error, "code"));
    decoded.message = textOf(member(error, "message"));
    if (decoded.message.empty())
    {
        decoded.message = textOf(member(member(error, "data"), "message"));
    }
    decoded.data = findData(member(error, "data"), kErrorNesting);
    if (!decoded.data)
    {
        decoded.data = findData(member(error, "originalError"), kErrorNesting);
    }
    return decoded;
}

std::optional<std::uint64_t> idOf(const Json::Value &value)
{
    if (value.isString())
    {
        std::uint64_t number = 0;
        const std::string_view text = textOf(value);
        for (const char c : text)
        {
            if (c < '0' || c > '9' || number > (std::numeric_limits<std::uint64_t>::max() - 9) / 10)
            {
                return std::nullopt;
            }
            number = number * 10 + static_cast<std::uint64_t>(c - '0');
        }
        return text.empty() ? std::nullopt : std::optional(number);
    }
    const bool number = value.type() == Json::intValue || value.type() == Json::uintValue;
    return number && value.isUInt64() ? std::optional(value.asUInt64()) : std::nullopt;
}

// A `0x` alone is what some nodes write for zero.
std::optional<Uint256> quantityIn(std::string_view text)
{
    return text == "0x" ? std::optional(Uint256(0)) : parseQuantity(text);
}

template <typename Array>
std::optional<Array> fixedBytes(const Json::Value &value)
{
    const auto bytes = decodeBytes(value);
    Array array{};
    if (!bytes || bytes->size() != array.size())
    {
        return std::nullopt;
    }
    std::copy(bytes->begin(), bytes->end(), array.begin());
    return array;
}

std::optional<std::vector<Uint256>> quantities(const Json::Value &list)
{
    std::vector<Uint256> numbers;
    if (list.isNull())
    {
        return numbers;
    }
    if (!list.isArray())
    {
        return std::nullopt;
    }
    numbers.reserve(list.size());
    for (const Json::Value &item : list)
    {
        auto number = decodeUint256(item);
        if (!number)
        {
            return std::nullopt;
        }
        numbers.push_back(std::move(*number));
    }
    return numbers;
}
}  // namespace

std::optional<Json::Value> parseJson(std::string_view text, const JsonLimits &limits)
{
    if (!keepsLimits(text, limits))
    {
        return std::nullopt;
    }
    Json::CharReaderBuilder builder;
    Json::CharReaderBuilder::strictMode(&builder.settings_);
    builder["strictRoot"] = false;
    builder["rejectDupKeys"] = false;
    builder["stackLimit"] = static_cast<Json::UInt>(limits.depth + 2);
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value document;
    try
    {
        if (!reader->parse(text.data(), text.data() + text.size(), &document, nullptr))
        {
            return std::nullopt;
        }
    }
    catch (const Json::Exception &)
    {
        return std::nullopt;
    }
    return document;
}

Answer<Json::Value> openAnswer(Json::Value document)
{
    if (!document.isObject())
    {
        return Undecodable{"the answer is no object"};
    }
    if (const Json::Value &error = document["error"]; !error.isNull())
    {
        return decodeError(error);
    }
    Json::Value result;
    if (!document.removeMember("result", &result))
    {
        return Undecodable{"the answer has neither result nor error"};
    }
    return result;
}

Answer<Json::Value> openAnswer(std::string_view text, const JsonLimits &limits)
{
    auto document = parseJson(text, limits);
    if (!document)
    {
        return Undecodable{"the answer is no JSON, or too big"};
    }
    return openAnswer(std::move(*document));
}

Answer<BatchItems> openBatch(std::string_view text, std::size_t count, const JsonLimits &limits)
{
    auto document = parseJson(text, limits);
    if (!document)
    {
        return Undecodable{"the answer is no JSON, or too big"};
    }
    if (!document->isArray())
    {
        auto single = openAnswer(std::move(*document));
        if (auto *error = std::get_if<NodeError>(&single))
        {
            return std::move(*error);
        }
        return Undecodable{"the answer to a batch is no list"};
    }
    BatchItems items(count);
    for (Json::Value &item : *document)
    {
        const auto id = idOf(member(item, "id"));
        if (id && *id < count && !items[*id])
        {
            items[*id] = openAnswer(std::move(item));
        }
    }
    return items;
}

std::optional<Uint256> decodeUint256(const Json::Value &value)
{
    if (value.isString())
    {
        return quantityIn(textOf(value));
    }
    const auto number = decodeNumber(value);
    return number ? std::optional(Uint256(*number)) : std::nullopt;
}

std::optional<std::uint64_t> decodeNumber(const Json::Value &value)
{
    if (value.isString())
    {
        const auto number = quantityIn(textOf(value));
        return number && *number <= std::numeric_limits<std::uint64_t>::max()
                   ? std::optional(static_cast<std::uint64_t>(*number))
                   : std::nullopt;
    }
    const bool integer = value.type() == Json::intValue || value.type() == Json::uintValue;
    return integer && value.isUInt64() ? std::optional(value.asUInt64()) : std::nullopt;
}

std::optional<core::Bytes> decodeBytes(const Json::Value &value)
{
    const std::string_view text = textOf(value);
    if (!text.starts_with("0x"))
    {
        return std::nullopt;
    }
    return core::fromHex(text.substr(2));
}

std::optional<core::Hash32> decodeHash(const Json::Value &value)
{
    return fixedBytes<core::Hash32>(value);
}

std::optional<core::Address> decodeAddress(const Json::Value &value)
{
    return fixedBytes<core::Address>(value);
}

std::optional<FeeHistory> decodeFeeHistory(const Json::Value &value)
{
    if (!value.isObject())
    {
        return std::nullopt;
    }
    FeeHistory history;
    auto baseFees = quantities(value["baseFeePerGas"]);
    if (!baseFees)
    {
        return std::nullopt;
    }
    history.baseFees = std::move(*baseFees);
    const Json::Value &rewards = value["reward"];
    if (!rewards.isNull() && !rewards.isArray())
    {
        return std::nullopt;
    }
    for (const Json::Value &block : rewards)
    {
        auto reward = quantities(block);
        if (!reward)
        {
            return std::nullopt;
        }
        history.rewards.push_back(std::move(*reward));
    }
    return history;
}

std::optional<BlockHeader> decodeBlock(const Json::Value &value)
{
    const auto number = decodeNumber(member(value, "number"));
    const auto hash = decodeHash(member(value, "hash"));
    if (!number || !hash)
    {
        return std::nullopt;
    }
    BlockHeader header{.number = *number, .hash = *hash, .baseFee = {}};
    if (const Json::Value &fee = member(value, "baseFeePerGas"); !fee.isNull())
    {
        header.baseFee = decodeUint256(fee);
        if (!header.baseFee)
        {
            return std::nullopt;
        }
    }
    return header;
}

SocketFrame openFrame(std::string_view text, const JsonLimits &limits)
{
    auto document = parseJson(text, limits);
    if (!document || !document->isObject())
    {
        return Undecodable{"the frame is no JSON object"};
    }
    if (textOf((*document)["method"]) == "eth_subscription")
    {
        const Json::Value &params = (*document)["params"];
        if (!params.isObject())
        {
            return Undecodable{"a notification has no parameters"};
        }
        return PushedLog{.subscription = std::string(textOf(params["subscription"])),
                         .log = params["result"]};
    }
    const auto id = idOf((*document)["id"]);
    if (!id)
    {
        return Undecodable{"the frame is neither answer nor notification"};
    }
    return SocketAnswer{.id = *id, .answer = openAnswer(std::move(*document))};
}
}  // namespace relayer::chain::rpc
