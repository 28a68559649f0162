#include "wire/api_answers.h"
#include "wire/openapi_parts.h"

#include <array>

namespace relayer::wire
{
namespace
{
struct HeaderFacts
{
    std::string_view component;
    std::string_view description;
    std::string_view schema;
};

constexpr std::array<HeaderFacts, 8> kHeaders = {{
    {"RetryAfter", "Come again in so many seconds.", R"({"type":"integer","minimum":1})"},
    {"Location", "Where to poll.", R"({"type":"string"})"},
    {"RequestId", "The client's X-Request-ID if it is a sane token, else one of ours.",
     R"({"type":"string","maxLength":128})"},
    {"RateLimitLimit",
     "How many new requests this client may bring at once; only where limits are on.",
     R"({"type":"integer","minimum":1})"},
    {"RateLimitRemaining", "How many more it may bring now.", R"({"type":"integer","minimum":0})"},
    {"RateLimitReset", "In so many seconds it may bring more.",
     R"({"type":"integer","minimum":0})"},
    {"Age", "For how many seconds the answer has been known.", R"({"type":"integer","minimum":0})"},
    {"PreferenceApplied", "What of Prefer was done.", R"({"type":"string"})"},
}};

struct ParameterFacts
{
    std::string_view component;
    std::string_view name;
    std::string_view in;
    bool required;
    std::string_view schema;
    std::string_view description;
    std::string_view example;
};

constexpr std::array<ParameterFacts, 6> kParameters = {{
    {"JobId", "job_id", "path", true, R"({"type":"string","format":"uuid"})",
     "The name of the job, as the POST gave it; in upper or lower case, with or without hyphens.",
     kSampleJobId},
    {"RequestId", "X-Request-ID", "header", false, R"({"type":"string"})",
     "A name for this exchange, which answer and log will have: up to 128 letters, digits and "
     ". _ : -. Of anything else one of ours takes the place.",
     kSampleRequestId},
    {"IdempotencyKey", "Idempotency-Key", "header", false,
     R"({"type":"string","pattern":"^[!-~]{1,255}$"})",
     "For 24 hours this key stands for the job of this request. With another request: 422.",
     "order-4711"},
    {"Prefer", "Prefer", "header", false, R"({"type":"string"})",
     "With wait=N (RFC 7240) the answer is held until the job changes, for up to N seconds; then "
     "Preference-Applied says so. When too many wait already, it comes at once. N counts up to",
     "wait=20"},
    {"Wait", "wait", "query", false, R"({"type":"string"})",
     "The same as Prefer: wait=N, for who can not send headers. What can not be read does not "
     "count. Up to",
     "20"},
    {"LastEventId", "Last-Event-ID", "header", false, R"({"type":"string"})",
     "The id of the last event that you have: you are told only what came after it.", "processing"},
}};

void writeHeaders(JsonWriter &json)
{
    json.key("headers").beginObject();
    for (const HeaderFacts &header : kHeaders)
    {
        json.key(header.component).beginObject().key("description").text(header.description);
        json.key("schema").json(header.schema).endObject();
    }
    json.endObject();
}

bool waits(const ParameterFacts &each)
{
    return each.component == "Prefer" || each.component == "Wait";
}

void writeParameters(JsonWriter &json, std::uint64_t waitMax)
{
    json.key("parameters").beginObject();
    for (const ParameterFacts &each : kParameters)
    {
        json.key(each.component).beginObject().key("name").text(each.name).key("in").text(each.in);
        json.key("required").boolean(each.required).key("description");
        json.text(std::string(each.description) +
                  (waits(each) ? " " + std::to_string(waitMax) + "." : std::string()));
        json.key("schema").json(each.schema).key("example").text(each.example).endObject();
    }
    json.endObject();
}
}  // namespace

void writeHeadersAndParameters(JsonWriter &json, std::uint64_t waitMax)
{
    writeHeaders(json);
    writeParameters(json, waitMax);
}
}  // namespace relayer::wire
