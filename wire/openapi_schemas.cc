#include "core/lifecycle.h"
#include "wire/labels.h"
#include "wire/openapi_parts.h"

#include <span>
#include <vector>

namespace relayer::wire
{
namespace
{
// A member of an answer's object: its name, its schema, and whether it is always there.
struct Member
{
    std::string_view name;
    std::string schema;
    bool always = true;
};

constexpr std::string_view kHexPattern = R"("^([0-9a-f]{2})*$")";
constexpr std::string_view kPrefixedPattern = R"("^0x([0-9a-f]{2})*$")";

std::string schemaRef(std::string_view name)
{
    return reference("schemas", name);
}

std::string text(std::string_view description, std::string_view pattern = {})
{
    JsonWriter json;
    json.beginObject().key("type").text("string");
    if (!pattern.empty())
    {
        json.key("pattern").json(pattern);
    }
    json.key("description").text(description).endObject();
    return std::move(json).take();
}

std::string always(std::string_view value)
{
    JsonWriter json;
    json.beginObject().key("const").text(value).endObject();
    return std::move(json).take();
}

std::string seconds(std::string_view description, std::int64_t atLeast)
{
    JsonWriter json;
    json.beginObject().key("type").text("integer").key("minimum").number(atLeast);
    json.key("description").text(description).endObject();
    return std::move(json).take();
}

std::string uuid(std::string_view description)
{
    JsonWriter json;
    json.beginObject().key("type").text("string").key("format").text("uuid");
    json.key("description").text(description).endObject();
    return std::move(json).take();
}

std::string listOf(const std::string &element, std::string_view description)
{
    JsonWriter json;
    json.beginObject().key("type").text("array").key("items").json(element);
    json.key("description").text(description).endObject();
    return std::move(json).take();
}

// Clients take no other number.
std::string exactlyOne(const std::string &element)
{
    return R"({"type":"array","items":)" + element + R"(,"minItems":1,"maxItems":1})";
}

std::string object(std::string_view description, std::span<const Member> members)
{
    JsonWriter json;
    json.beginObject().key("type").text("object");
    if (!description.empty())
    {
        json.key("description").text(description);
    }
    json.key("properties").beginObject();
    for (const Member &member : members)
    {
        json.key(member.name).json(member.schema);
    }
    json.endObject().key("required").beginList();
    for (const Member &member : members)
    {
        if (member.always)
        {
            json.text(member.name);
        }
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::string labelsWhere(bool details)
{
    JsonWriter json;
    json.beginObject().key("enum").beginList();
    for (std::size_t i = 0; i < kLabels; ++i)
    {
        const auto label = static_cast<Label>(i);
        if (hasDetails(label) == details)
        {
            json.text(name(label));
        }
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::string liveStates()
{
    JsonWriter json;
    json.beginObject().key("enum").beginList();
    for (const core::Status status : core::kAllStatuses)
    {
        if (status != core::Status::Completed && status != core::Status::TimedOut &&
            status != core::Status::Failure)
        {
            json.text(core::name(status));
        }
    }
    json.endList().key("description").text("How far it is.").endObject();
    return std::move(json).take();
}

void writeEnvelopes(JsonWriter &json)
{
    const Member requestId = {"requestId",
                              text("The name of this exchange, also in X-Request-ID.")};
    const Member jobId = {"job_id", uuid("The name of the job.")};
    const Member eta = {
        "eta_seconds",
        seconds("When to come again, by where the request stands; as Retry-After.", 1)};
    const std::string job =
        object("", std::vector<Member>{{"jobId", uuid("The name of the job.")}});
    json.key("Accepted")
        .json(object("The request is on disk.",
                     std::vector<Member>{
                         {"status", always("queued")}, requestId, {"result", job}, jobId, eta}));
    json.key("Waiting").json(
        object("There is no result yet.",
               std::vector<Member>{
                   {"status", always("queued")},
                   requestId,
                   jobId,
                   {"state", liveStates()},
                   eta,
                   {"elapsed_seconds", seconds("For how long it has been in this state.", 0)}}));
    for (const std::string name : {"InputProof", "PublicDecrypt", "UserDecrypt"})
    {
        json.key(name + "Succeeded")
            .json(
                object("The result.", std::vector<Member>{{"status", always("succeeded")},
                                                          requestId,
                                                          {"result", schemaRef(name + "Result")}}));
    }
    const std::string message = text("For people.");
    json.key("Failure").json(object(
        "What all errors look like.",
        std::vector<Member>{{"status", always("failed")},
                            requestId,
                            {"error", oneOf(schemaRef("Error"), schemaRef("ErrorWithDetails"))}}));
    json.key("Error").json(
        object("", std::vector<Member>{{"label", labelsWhere(false)}, {"message", message}}));
    const std::string detail =
        object("", std::vector<Member>{{"field", text("Which field.")},
                                       {"issue", text("What is wrong with it.")}});
    json.key("ErrorWithDetails")
        .json(object("", std::vector<Member>{{"label", labelsWhere(true)},
                                             {"message", message},
                                             {"details", listOf(detail, "All that is wrong.")}}));
}

void writeResults(JsonWriter &json)
{
    const std::string octets = text("Hex.", kHexPattern);
    const std::string prefixed = text("0x and hex.", kPrefixedPattern);
    const std::string handles = listOf(text("0x and 64 hex digits.", R"("^0x[0-9a-f]{64}$")"),
                                       "What the input is known by, in its order.");
    const Member noExtra = {"extraData", always("0x00")};
    json.key("InputProofResult")
        .json(oneOf(
            object("The proof is right.",
                   std::vector<Member>{{"accepted", R"({"const":true})"},
                                       noExtra,
                                       {"handles", handles},
                                       {"signatures", listOf(prefixed, "Of the coprocessors.")}}),
            object("The proof is wrong.",
                   std::vector<Member>{{"accepted", R"({"const":false})"}, noExtra})));
    json.key("PublicDecryptResult")
        .json(
            object("", std::vector<Member>{
                           {"decryptedValue",
                            text("Words of 32 bytes, in the order of the handles; hex without 0x.",
                                 kHexPattern)},
                           {"signatures", listOf(octets, "Of the KMS; hex without 0x.")},
                           {"extraData", prefixed}}));
    const std::string share =
        object("", std::vector<Member>{
                       {"payload", text("Hex without 0x.", kHexPattern)},
                       {"signature", text("Of a node of the KMS; hex without 0x.", kHexPattern)},
                       {"extraData", prefixed}});
    json.key("UserDecryptResult")
        .json(object(
            "", std::vector<Member>{
                    {"result",
                     listOf(share, "Shares, as many as are needed; their order means nothing.")}}));
}

void writeServiceAnswers(JsonWriter &json)
{
    const std::string located =
        object("", std::vector<Member>{{"dataId", text("", R"("^0x[0-9a-f]{64}$")")},
                                       {"urls", exactlyOne(R"({"type":"string"})")}});
    const std::string key = object("", std::vector<Member>{{"fhePublicKey", located}});
    const std::string crs =
        object("By the number of bits.", std::vector<Member>{{"2048", located}});
    const std::string found =
        object("", std::vector<Member>{{"fheKeyInfo", exactlyOne(key)}, {"crs", crs}});
    json.key("KeyUrls").json(
        object("Where the public key and the CRS are.",
               std::vector<Member>{{"status", always("succeeded")}, {"response", found}}));
    json.key("Liveness").json(object("", std::vector<Member>{{"status", always("alive")}}));
    json.key("Health").json(
        object("", std::vector<Member>{
                       {"status", R"({"enum":["healthy","unhealthy"]})"},
                       {"dependencies",
                        R"({"type":"object","additionalProperties":{"enum":["ok","fail"]}})"}}));
    json.key("Version").json(object(
        "", std::vector<Member>{{"name", text("Of this service.")},
                                {"version", text("")},
                                {"build", text("Commit, and whether the tree was clean.")}}));
}
}  // namespace

void writeAnswerSchemas(JsonWriter &json)
{
    writeEnvelopes(json);
    writeResults(json);
    writeServiceAnswers(json);
}
}  // namespace relayer::wire
