// The routes of shares in the document, for openapi.cc: their errors have a shape of their own, and
// the words of their examples come from the code that says them.
#include "core/base64.h"
#include "core/content_hash.h"
#include "core/vote_share.h"
#include "wire/openapi_parts.h"
#include "wire/share_answers.h"
#include "wire/share_request.h"

#include <utility>
#include <vector>

namespace relayer::wire
{
namespace
{
constexpr std::string_view kBase64Of32Bytes = R"("^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$")";
constexpr std::string_view kHexOf32Bytes = R"("^[0-9a-fA-F]{64}$")";
constexpr std::string_view kRound =
    "1111111111111111111111111111111111111111111111111111111111111111";

struct ShareSample
{
    std::string name;
    std::string when;
    std::string body;
};

struct ShareResponse
{
    std::string_view status;
    std::string_view description;
    std::string_view schema;
    std::vector<ShareSample> samples;
};

std::string base64(std::uint8_t seed)
{
    core::Hash32 bytes{};
    bytes.fill(seed);
    return core::toBase64(bytes);
}

std::string sampleBody(std::uint64_t submitAt, std::string_view round = kRound)
{
    JsonWriter json;
    json.beginObject().key("shares_hash").text(base64(1));
    json.key("proposal_id").number(1).key("vote_decision").number(2);
    json.key("enc_share").beginObject().key("c1").text(base64(3)).key("c2").text(base64(4));
    json.key("share_index").number(5).endObject();
    json.key("tree_position").number(6).key("vote_round_id").text(round);
    json.key("share_comms").beginList();
    for (std::size_t i = 0; i < core::kShareCommitments; ++i)
    {
        json.text(base64(static_cast<std::uint8_t>(16 + i)));
    }
    json.endList().key("primary_blind").text(base64(7));
    json.key("submit_at").number(static_cast<std::int64_t>(submitAt)).endObject();
    return std::move(json).take();
}

// What the decoder says of a body.
ShareSample refusedBody(std::string name, std::string when, const std::string &body)
{
    const auto read = readShareRequest(body);
    const auto *problem = std::get_if<ShareProblem>(&read);
    return {std::move(name), std::move(when),
            shareError(problem != nullptr ? problem->text : std::string())};
}

std::string property(std::string_view type, std::string_view rule, std::string_view description)
{
    JsonWriter json;
    json.beginObject().key("type").text(type);
    if (!rule.empty())
    {
        json.key("pattern").json(rule);
    }
    json.key("description").text(description).endObject();
    return std::move(json).take();
}

std::string upTo(std::int64_t least, std::int64_t most, std::string_view description)
{
    JsonWriter json;
    json.beginObject().key("type").text("integer").key("minimum").number(least);
    json.key("maximum").number(most).key("description").text(description).endObject();
    return std::move(json).take();
}

void writeRequestSchema(JsonWriter &json)
{
    const std::string hash = property("string", kBase64Of32Bytes, "32 bytes in base64.");
    json.key("ShareRequest").beginObject().key("type").text("object");
    json.key("description").text("An encrypted share of a vote, and when it is to be sent.");
    json.key("required")
        .json(R"(["shares_hash","proposal_id","enc_share","vote_round_id","share_comms",)"
              R"("primary_blind"])");
    json.key("properties").beginObject().key("shares_hash").json(hash);
    json.key("proposal_id").json(upTo(1, core::kMaxProposal, "The proposal."));
    json.key("vote_decision").json(upTo(0, core::kMaxVoteDecision, "Left out: 0."));
    json.key("enc_share").beginObject().key("type").text("object");
    json.key("description").text("The share, encrypted, and which one of its vote it is.");
    json.key("required").json(R"(["c1","c2"])").key("properties").beginObject();
    json.key("c1").json(hash).key("c2").json(hash);
    json.key("share_index").json(upTo(0, core::kMaxShareIndex, "Left out: 0."));
    json.endObject().endObject();
    json.key("tree_position")
        .json(upTo(0, core::kMaxTreePosition, "The leaf of the vote. Left out: 0."));
    json.key("vote_round_id").json(property("string", kHexOf32Bytes, "32 bytes in hexadecimal."));
    json.key("share_comms").beginObject().key("type").text("array");
    json.key("description")
        .text("The commitments to all shares of the vote, in the order of their index.");
    json.key("minItems").number(core::kShareCommitments);
    json.key("maxItems").number(core::kShareCommitments).key("items").json(hash).endObject();
    json.key("primary_blind").json(hash);
    json.key("submit_at")
        .json(
            R"({"type":"integer","minimum":0,"description":"The second at which it is to be sent, )"
            R"(since 1970, at most the end of its round. 0, or left out: at once."})");
    json.endObject().endObject();
}

void writeStatusSchema(JsonWriter &json, std::string_view name, std::string_view choices)
{
    json.key(name).beginObject().key("type").text("object").key("required").json(R"(["status"])");
    json.key("properties").beginObject().key("status").beginObject();
    json.key("enum").json(choices).endObject().endObject();
    json.key("additionalProperties").boolean(false).endObject();
}

void writeResponses(JsonWriter &json, const std::vector<ShareResponse> &responses)
{
    json.key("responses").beginObject();
    for (const ShareResponse &response : responses)
    {
        json.key(response.status).beginObject().key("description").text(response.description);
        json.key("content").beginObject().key("application/json").beginObject();
        json.key("schema").json(reference("schemas", response.schema));
        json.key("examples").beginObject();
        for (const ShareSample &sample : response.samples)
        {
            json.key(sample.name).beginObject().key("summary").text(sample.when);
            json.key("value").json(sample.body).endObject();
        }
        json.endObject().endObject().endObject().endObject();
    }
    json.endObject();
}

std::vector<ShareResponse> withFaults(std::vector<ShareResponse> responses, bool token)
{
    if (token)
    {
        responses.push_back(
            {"401",
             "The token is not shown",
             "ShareError",
             {{"unauthorized", "X-Helper-Token is missing or wrong", shareError("unauthorized")}}});
    }
    responses.push_back(
        {"500",
         "It did not succeed",
         "ShareError",
         {{"internal", "The database or the vote chain fails", shareError("internal error")}}});
    responses.push_back(
        {"503",
         "It can not be done now",
         "ShareError",
         {{"unavailable", "Shares can not be taken yet", shareError("helper unavailable")}}});
    return responses;
}

void open(JsonWriter &json, std::string_view method, std::string_view id, std::string_view summary,
          bool token)
{
    json.key(method).beginObject().key("operationId").text(id);
    json.key("tags").json(R"(["Shares"])").key("summary").text(summary);
    json.key("security").json(token ? R"([{"HelperToken":[]}])" : "[{}]");
}

void writePost(JsonWriter &json, const ShareApi &shares)
{
    json.key("/shielded-vote/v1/shares").beginObject();
    open(json, "post", "postShare", "Have a share sent at its second", shares.token);
    json.key("requestBody").beginObject().key("required").boolean(true).key("description");
    json.text("At most " + std::to_string(kMaxShareBody) +
              " bytes. The content type is not looked at, and neither are members that are not "
              "named here.");
    json.key("content").beginObject().key("application/json").beginObject();
    json.key("schema").json(reference("schemas", "ShareRequest"));
    json.key("examples").beginObject().key("example").beginObject().key("value");
    json.json(sampleBody(shares.submitAt)).endObject().endObject();
    json.endObject().endObject().endObject();
    writeResponses(
        json,
        withFaults(
            {{"200",
              "It is on disk",
              "ShareTaken",
              {{"queued", "It is new", shareStatus("queued")},
               {"duplicate", "The same was posted before, whatever its time",
                shareStatus("duplicate")}}},
             {"400",
              "The request is wrong",
              "ShareError",
              {refusedBody("not_json", "No JSON", ""),
               refusedBody("wrong_field", "The first thing that is wrong", "{}"),
               refusedBody("wrong_round", "No round's id", sampleBody(0, "1111")),
               {"unknown_round", "The vote chain knows no such round",
                shareError("unknown voting round: " + std::string(64, '2'))}}},
             {"409",
              "Another share is there",
              "ShareError",
              {{"conflict", "Another content under the same round, proposal, position and index",
                shareError(kShareConflict)}}},
             {"413",
              "The body is too large",
              "ShareError",
              {{"too_large", "Above a mebibyte", shareError(kShareTooLarge)}}}},
            shares.token));
    json.endObject().endObject();
}

void writeShareStatus(JsonWriter &json, const ShareApi &shares)
{
    json.key("/shielded-vote/v1/share-status/{roundId}/{nullifier}").beginObject();
    open(json, "get", "getShareStatus", "Whether the chain has a share", shares.token);
    json.key("parameters").beginList();
    for (const auto &[name, what] :
         {std::pair{"roundId", "The voting round: 64 hex digits."},
          std::pair{"nullifier", "What the chain knows the share by: 64 hex digits."}})
    {
        json.beginObject().key("name").text(name).key("in").text("path");
        json.key("description").text(what);
        json.key("required").boolean(true).key("schema").beginObject().key("type").text("string");
        json.key("pattern").json(kHexOf32Bytes).endObject().endObject();
    }
    json.endList();
    writeResponses(
        json,
        withFaults({{"200",
                     "What the chain says",
                     "ShareSeen",
                     {{"pending", "Its nullifier is in no block, or its round is not known",
                       shareStatus("pending")},
                      {"confirmed", "Its nullifier is in a block", shareStatus("confirmed")}}},
                    {"400",
                     "The request is wrong",
                     "ShareError",
                     {{"length", "No 32 bytes", shareError("roundId must be 64 hex characters")},
                      {"digits", "Not hexadecimal", shareError("invalid nullifier hex")}}}},
                   shares.token));
    json.endObject().endObject();
}

void writeHelperStatus(JsonWriter &json)
{
    json.key("/shielded-vote/v1/status").beginObject();
    open(json, "get", "getHelperStatus", "Whether shares are taken", false);
    writeResponses(json,
                   withFaults({{"200",
                                "They are",
                                "HelperStatus",
                                {{"fresh", "No tree was looked at yet", helperStatus(std::nullopt)},
                                 {"tree", "The tree of the round that was touched last",
                                  helperStatus(TreeNumbers{300, 1200})}}}},
                              false));
    json.endObject().endObject();
}

void writeQueueStatus(JsonWriter &json, const ShareApi &shares)
{
    core::Hash32 round{};
    round.fill(0x11);
    json.key("/shielded-vote/v1/queue-status").beginObject();
    open(json, "get", "getQueueStatus", "How many shares wait, by round", shares.token);
    writeResponses(json,
                   withFaults({{"200",
                                "By round",
                                "QueueStatus",
                                {{"empty", "No round has shares", queueStatus({})},
                                 {"rounds", "One round has", queueStatus({{round, 4, 2, 1}})}}}},
                              shares.token));
    json.endObject().endObject();
}
}  // namespace

void writeSharePaths(JsonWriter &json, const ShareApi &shares)
{
    writePost(json, shares);
    writeShareStatus(json, shares);
    writeHelperStatus(json);
    if (shares.queueStatus)
    {
        writeQueueStatus(json, shares);
    }
}

void writeShareSchemas(JsonWriter &json)
{
    writeRequestSchema(json);
    writeStatusSchema(json, "ShareTaken", R"(["queued","duplicate"])");
    writeStatusSchema(json, "ShareSeen", R"(["pending","confirmed"])");
    json.key("ShareError")
        .json(R"({"type":"object","required":["status","error"],"properties":{)"
              R"("status":{"const":"error"},"error":{"type":"string"}},)"
              R"("additionalProperties":false})");
    json.key("HelperStatus")
        .json(R"({"type":"object","required":["status"],"properties":{"status":{"const":"ok"},)"
              R"("tree":{"type":"object","required":["leaf_count","anchor_height"],"properties":{)"
              R"("leaf_count":{"type":"integer","minimum":0},)"
              R"("anchor_height":{"type":"integer","minimum":0}}}},"additionalProperties":false})");
    json.key("QueueStatus")
        .json(R"({"type":"object","description":"By the id of the round, in hexadecimal.",)"
              R"("additionalProperties":{"type":"object",)"
              R"("required":["total","pending","submitted","failed"],"properties":{)"
              R"("total":{"type":"integer"},"pending":{"type":"integer"},)"
              R"("submitted":{"type":"integer"},"failed":{"type":"integer"}}}})");
}
}  // namespace relayer::wire
