// The text of JSON-RPC requests.
#include "chain/rpc/json_requests.h"

#include <array>
#include <charconv>

namespace relayer::chain::rpc
{
namespace
{
constexpr std::string_view kDigits = "0123456789abcdef";

void appendHex(std::string &text, core::ByteView bytes)
{
    const std::size_t start = text.size();
    text.resize(start + bytes.size() * 2);
    char *out = text.data() + start;
    for (const std::uint8_t byte : bytes)
    {
        *out++ = kDigits[byte >> 4U];
        *out++ = kDigits[byte & 0x0FU];
    }
}

void appendData(std::string &text, core::ByteView bytes)
{
    text.append("\"0x");
    appendHex(text, bytes);
    text.push_back('"');
}

template <typename Items>
void appendList(std::string &text, const Items &items)
{
    text.push_back('[');
    bool first = true;
    for (const auto &item : items)
    {
        text.append(first ? "" : ",");
        appendData(text, item);
        first = false;
    }
    text.push_back(']');
}

// Without addresses, or without topics, any: an empty list means that to some nodes only. One
// address is a list of one: all nodes take that.
std::string addressesAndTopics(std::span<const core::Address> addresses,
                               std::span<const core::Hash32> anyTopic0)
{
    std::string text;
    if (!addresses.empty())
    {
        text.append("\"address\":");
        appendList(text, addresses);
    }
    if (!anyTopic0.empty())
    {
        text.append(text.empty() ? "" : ",").append("\"topics\":[");
        appendList(text, anyTopic0);
        text.push_back(']');
    }
    return text;
}

std::string decimal(double number)
{
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return {digits.data(), end};
}
}  // namespace

std::string requestBody(std::uint64_t id, std::string_view method, std::string_view params)
{
    std::string body;
    body.reserve(params.size() + method.size() + 64);
    body.append(R"({"jsonrpc":"2.0","id":)").append(std::to_string(id));
    body.append(R"(,"method":")").append(method).append(R"(","params":)").append(params);
    body.push_back('}');
    return body;
}

std::string batchBody(std::string_view method, const std::vector<std::string> &params)
{
    std::string body = "[";
    for (std::size_t i = 0; i < params.size(); ++i)
    {
        body.append(i == 0 ? "" : ",").append(requestBody(i, method, params[i]));
    }
    body.push_back(']');
    return body;
}

std::string jsonData(core::ByteView bytes)
{
    std::string text;
    text.reserve(bytes.size() * 2 + 4);
    appendData(text, bytes);
    return text;
}

std::string jsonQuantity(std::uint64_t number)
{
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    return "\"0x" + std::string(digits.data(), end) + '"';
}

std::string dataParam(core::ByteView bytes)
{
    std::string text;
    text.reserve(bytes.size() * 2 + 6);
    text.push_back('[');
    appendData(text, bytes);
    text.push_back(']');
    return text;
}

std::string dataAndBlockParams(core::ByteView bytes, std::string_view block)
{
    return "[" + jsonData(bytes) + ",\"" + std::string(block) + "\"]";
}

std::string callParams(const Call &call, std::string_view block)
{
    std::string text;
    text.reserve(call.input.size() * 4 + 256);
    text.append("[{");
    if (call.from != core::Address{})
    {
        text.append(R"("from":)");
        appendData(text, call.from);
        text.append(R"(,"value":"0x0",)");
    }
    text.append(R"("to":)");
    appendData(text, call.to);
    text.append(R"(,"input":)");
    appendData(text, call.input);
    text.append(R"(,"data":)");
    appendData(text, call.input);
    if (call.gas)
    {
        text.append(R"(,"gas":)").append(jsonQuantity(*call.gas));
    }
    text.append(R"(},")").append(block).append(R"("])");
    return text;
}

std::string blockParams(std::string_view block)
{
    return "[\"" + std::string(block) + "\",false]";
}

std::string blockParams(std::uint64_t number)
{
    return "[" + jsonQuantity(number) + ",false]";
}

std::string feeHistoryParams(std::uint64_t blocks, double percentile)
{
    return "[" + jsonQuantity(blocks) + ",\"latest\",[" + decimal(percentile) + "]]";
}

std::string logFilterParams(const LogFilter &filter)
{
    const std::string what = addressesAndTopics(filter.addresses, filter.anyTopic0);
    return R"([{"fromBlock":)" + jsonQuantity(filter.fromBlock) + R"(,"toBlock":)" +
           jsonQuantity(filter.toBlock) + (what.empty() ? "" : ",") + what + "}]";
}

std::string subscribeParams(std::span<const core::Address> addresses,
                            std::span<const core::Hash32> anyTopic0)
{
    return R"(["logs",{)" + addressesAndTopics(addresses, anyTopic0) + "}]";
}
}  // namespace relayer::chain::rpc
