#include "wire/join_request.h"

#include "core/base64.h"
#include "wire/json_writer.h"
#include "wire/strict_json.h"

#include <charconv>
#include <optional>
#include <utility>

namespace relayer::wire
{
namespace
{
// Nobody's name or address is longer; and what is kept must be bounded.
constexpr std::size_t kLongest = 512;
constexpr std::string_view kNoJson = "invalid JSON body";

// Nothing: it is there, and no text.
std::optional<std::string> textOf(const Json &root, std::string_view name)
{
    const Json *member = root.find(name);
    if (member == nullptr || member->type() == Json::Type::Null)
    {
        return "";
    }
    if (member->type() != Json::Type::Text)
    {
        return std::nullopt;
    }
    return std::string(member->text());
}

std::optional<std::int64_t> numberOf(const Json &root, std::string_view name)
{
    const Json *member = root.find(name);
    if (member == nullptr || member->type() == Json::Type::Null)
    {
        return 0;
    }
    std::int64_t value = 0;
    const std::string_view text = member->text();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = member->type() == Json::Type::Number && read.ec == std::errc() &&
                       read.ptr == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

std::string takeObject(JsonWriter &&json)
{
    json.endObject();
    return std::move(json).take();
}
}  // namespace

std::variant<JoinRequest, JoinProblem> readJoinRequest(std::string_view body)
{
    const JsonDocument document = readJson(body);
    if (!document.root || document.root->type() != Json::Type::Object)
    {
        return JoinProblem{400, std::string(kNoJson)};
    }
    const Json &root = *document.root;
    const auto address = textOf(root, "operator_address");
    const auto url = textOf(root, "url");
    const auto moniker = textOf(root, "moniker");
    const auto timestamp = numberOf(root, "timestamp");
    const auto signature = textOf(root, "signature");
    const auto key = textOf(root, "pub_key");
    if (!address || !url || !moniker || !timestamp || !signature || !key)
    {
        return JoinProblem{400, std::string(kNoJson)};
    }
    if (address->empty() || moniker->empty() || *timestamp == 0 || signature->empty() ||
        key->empty())
    {
        return JoinProblem{400, "missing required fields"};
    }
    if (address->size() > kLongest || url->size() > kLongest || moniker->size() > kLongest)
    {
        return JoinProblem{400, "a field is longer than " + std::to_string(kLongest) + " bytes"};
    }
    auto signatureBytes = core::fromBase64(*signature);
    if (!signatureBytes)
    {
        return JoinProblem{401, "decode signature: not canonical base64"};
    }
    auto keyBytes = core::fromBase64(*key);
    if (!keyBytes)
    {
        return JoinProblem{401, "decode pubkey: not canonical base64"};
    }
    return JoinRequest{
        *address, *url, *moniker, *timestamp, std::move(*signatureBytes), std::move(*keyBytes)};
}

std::string signedDocument(const JoinRequest &request)
{
    JsonWriter payload;
    payload.beginObject().key("operator_address").text(request.operatorAddress);
    payload.key("url").text(request.url).key("moniker").text(request.moniker);
    payload.key("timestamp").number(request.timestamp);
    const std::string text = takeObject(std::move(payload));
    const core::ByteView bytes(reinterpret_cast<const std::uint8_t *>(text.data()),  // NOLINT
                               text.size());
    JsonWriter document;
    document.beginObject().key("account_number").text("0").key("chain_id").text("");
    document.key("fee").json(R"({"amount":[],"gas":"0"})").key("memo").text("");
    document.key("msgs").beginList().beginObject().key("type").text("sign/MsgSignData");
    document.key("value").beginObject().key("data").text(core::toBase64(bytes));
    document.key("signer").text(request.operatorAddress).endObject().endObject().endList();
    document.key("sequence").text("0");
    return takeObject(std::move(document));
}

std::string openError(std::string_view text)
{
    JsonWriter json;
    json.beginObject().key("error").text(text);
    return takeObject(std::move(json));
}

std::string registered()
{
    return R"({"status":"registered"})";
}

std::string pending(std::int64_t expiresAt)
{
    JsonWriter json;
    json.beginObject().key("status").text("pending").key("expires_at").number(expiresAt);
    return takeObject(std::move(json));
}

std::string pendingValidators(const std::vector<PendingValidator> &all)
{
    JsonWriter json;
    json.beginList();
    for (const PendingValidator &each : all)
    {
        json.beginObject().key("operator_address").text(each.operatorAddress);
        json.key("url").text(each.url).key("moniker").text(each.moniker);
        json.key("requested_at").number(each.requestedAt);
        json.key("expires_at").number(each.expiresAt).endObject();
    }
    json.endList();
    return std::move(json).take();
}
}  // namespace relayer::wire
