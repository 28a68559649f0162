#include "wire/openapi.h"

#include "wire/openapi_parts.h"
#include "wire/service.h"

#include <algorithm>
#include <map>

namespace relayer::wire
{
namespace
{
constexpr std::string_view kAbout =
    "A relayer takes a request, sends it to the gateway chain, and hands the chain's answer to who "
    "asks for it.\n\n"
    "**Post** a request: the answer is 202 with a job id, once the request is on disk. **Poll** "
    "the job: 202 as long as there is no result, 200 with the result, and an error when there "
    "will be none. Who would rather wait than ask again says Prefer: wait=N, or opens the stream "
    "of the job's events. Every 202, 429 and 503 of the server itself says in Retry-After when to "
    "come again; a 202 by the place of its request in the queues. The same content posted again is "
    "the same job.\n\n"
    "Every error is JSON: a label for programs, a message for people, and for some labels the "
    "fields that are wrong. A path that does not exist answers 404 with label not_found, a method "
    "that a path does not take 405 with label request_error and Allow, in the same shape.";

std::string_view resultSchema(core::Kind kind)
{
    switch (kind)
    {
        case core::Kind::InputProof: return "InputProofSucceeded";
        case core::Kind::PublicDecrypt: return "PublicDecryptSucceeded";
        case core::Kind::UserDecrypt: break;
    }
    return "UserDecryptSucceeded";
}

std::string_view phraseOf(int status)
{
    static const std::map<int, std::string_view> kPhrases = {{200, "Here it is"},
                                                             {204, "Nothing more will happen"},
                                                             {202, "It is on its way"},
                                                             {400, "The request is wrong"},
                                                             {404, "There is no such job"},
                                                             {422, "The key is taken"},
                                                             {429, "Too many requests"},
                                                             {500, "It did not succeed"},
                                                             {503, "It can not be done now"}};
    const auto phrase = kPhrases.find(status);
    return phrase == kPhrases.end() ? "" : phrase->second;
}

using Group = std::vector<const SampleAnswer *>;

// Of answers with one status: a failure's schema with just the labels that are possible here.
void writeFailureSchema(JsonWriter &json, const Group &group)
{
    json.beginObject().key("allOf").beginList().json(reference("schemas", "Failure"));
    json.beginObject().key("properties").beginObject().key("error").beginObject();
    json.key("properties").beginObject().key("label").beginObject().key("enum").beginList();
    std::vector<Label> listed;
    for (const SampleAnswer *sample : group)
    {
        if (sample->label &&
            std::find(listed.begin(), listed.end(), *sample->label) == listed.end())
        {
            listed.push_back(*sample->label);
            json.text(name(*sample->label));
        }
    }
    json.endList().endObject().endObject().endObject().endObject().endObject();
    json.endList().endObject();
}

void writeSampleRequest(JsonWriter &json, const SampleRequest &request)
{
    json.key("x-request").beginObject();
    if (request.body)
    {
        json.key("body").text(*request.body);
    }
    if (request.jobId)
    {
        json.key("job_id").text(*request.jobId);
    }
    json.key("headers").beginObject();
    for (const auto &[name, value] : request.headers)
    {
        json.key(name).text(value);
    }
    json.endObject().endObject();
}

void writeHeader(JsonWriter &json, std::string_view name, std::string_view component)
{
    json.key(name).json(reference("headers", component));
}

void writeRetryAfterAlways(JsonWriter &json)
{
    json.key("Retry-After").beginObject().key("required").boolean(true);
    json.key("description").text("Come again in so many seconds.");
    json.key("schema").json(R"({"type":"integer","minimum":1})").endObject();
}

// Retry-After is promised where each answer has it, and named where some have it.
void writeRetryAfter(JsonWriter &json, const Group &group)
{
    const auto hasIt = [](const SampleAnswer *each) {
        return each->answer.retryAfterSeconds.has_value();
    };
    if (std::all_of(group.begin(), group.end(), hasIt))
    {
        writeRetryAfterAlways(json);
    }
    else if (std::any_of(group.begin(), group.end(), hasIt))
    {
        writeHeader(json, "Retry-After", "RetryAfter");
    }
}

enum class AnswerTo : std::uint8_t
{
    Post,
    Poll,
    Watch,  // whose success is a stream of events
    KeyUrls,
};

struct ResponseFacts
{
    AnswerTo to;
    std::string_view successSchema;
};

void writeHeaders(JsonWriter &json, const Group &group, const ResponseFacts &facts)
{
    const int status = group.front()->answer.status;
    json.key("headers").beginObject();
    writeHeader(json, "X-Request-ID", "RequestId");
    writeRetryAfter(json, group);
    if (facts.to == AnswerTo::Post && status == 202)
    {
        writeHeader(json, "Location", "Location");
    }
    if (facts.to == AnswerTo::Post && (status == 202 || status == 429))
    {
        writeHeader(json, "RateLimit-Limit", "RateLimitLimit");
        writeHeader(json, "RateLimit-Remaining", "RateLimitRemaining");
        writeHeader(json, "RateLimit-Reset", "RateLimitReset");
    }
    if (facts.to == AnswerTo::KeyUrls && status == 200)
    {
        writeHeader(json, "Age", "Age");
    }
    if (facts.to == AnswerTo::Poll)
    {
        writeHeader(json, "Preference-Applied", "PreferenceApplied");
    }
    json.endObject();
}

void writeExamples(JsonWriter &json, const Group &group, bool texts)
{
    json.key("examples").beginObject();
    for (const SampleAnswer *sample : group)
    {
        json.key(sample->name).beginObject().key("summary").text(sample->when).key("value");
        texts ? json.text(sample->answer.body) : json.json(sample->answer.body);
        if (sample->request)
        {
            writeSampleRequest(json, *sample->request);
        }
        json.endObject();
    }
    json.endObject();
}

void writeResponse(JsonWriter &json, const Group &group, const ResponseFacts &facts)
{
    const SampleAnswer &first = *group.front();
    json.beginObject().key("description").text(phraseOf(first.answer.status));
    writeHeaders(json, group, facts);
    if (first.answer.body.empty())
    {
        return;
    }
    const bool events = facts.to == AnswerTo::Watch && !first.label;
    json.key("content").beginObject().key(events ? "text/event-stream" : "application/json");
    json.beginObject().key("schema");
    if (first.label)
    {
        writeFailureSchema(json, group);
    }
    else
    {
        json.json(events ? R"({"type":"string"})" : reference("schemas", facts.successSchema));
    }
    writeExamples(json, group, events);
    json.endObject().endObject();
}

std::map<int, Group> byStatus(const std::vector<SampleAnswer> &samples)
{
    std::map<int, Group> groups;
    for (const SampleAnswer &sample : samples)
    {
        groups[sample.answer.status].push_back(&sample);
    }
    return groups;
}

void openOperation(JsonWriter &json, std::string_view method, std::string_view id,
                   std::string_view tag, std::string_view summary)
{
    json.key(method).beginObject().key("operationId").text(id);
    json.key("tags").beginList().text(tag).endList().key("summary").text(summary);
}

void writeLink(JsonWriter &json, std::string_view name, std::string_view operation,
               std::string_view description)
{
    json.key(name).beginObject().key("operationId").text(operation);
    json.key("parameters").beginObject();
    json.key("job_id").text("$response.body#/result/jobId").endObject();
    json.key("description").text(description).endObject();
}

void writePost(JsonWriter &json, const RequestRoute &route, const ApiFacts &facts)
{
    openOperation(json, "post", "post" + std::string(route.name), route.tag, route.summary);
    json.key("parameters").beginList().json(reference("parameters", "RequestId"));
    json.json(reference("parameters", "IdempotencyKey")).endList();
    json.key("requestBody").beginObject().key("required").boolean(true);
    json.key("description")
        .text("At most " + std::to_string(facts.maxBody) +
              " bytes. The content type is not looked at.");
    json.key("content").beginObject().key("application/json").beginObject();
    json.key("schema").json(reference("schemas", route.table->name));
    json.key("examples").beginObject().key("example").beginObject();
    json.key("summary").text(route.table->description);
    json.key("value").json(exampleOf(*route.table, facts.now)).endObject().endObject();
    json.endObject().endObject().endObject();
    json.key("responses").beginObject();
    const auto samples = answersOfPost(route, facts);
    for (const auto &[status, group] : byStatus(samples))
    {
        json.key(std::to_string(status));
        writeResponse(json, group, {AnswerTo::Post, "Accepted"});
        if (status == 202)
        {
            json.key("links").beginObject();
            writeLink(json, "poll", "get" + std::string(route.name), "Ask for the result.");
            writeLink(json, "events", "watch" + std::string(route.name), "Be told of each change.");
            json.endObject();
        }
        json.endObject();
    }
    json.endObject().endObject();
}

void writePoll(JsonWriter &json, const RequestRoute &route)
{
    openOperation(json, "get", "get" + std::string(route.name), route.tag,
                  "Ask how far it is, or for the result");
    json.key("parameters").beginList().json(reference("parameters", "JobId"));
    json.json(reference("parameters", "Prefer")).json(reference("parameters", "Wait"));
    json.json(reference("parameters", "RequestId")).endList();
    json.key("responses").beginObject();
    const auto samples = answersOfPoll(route);
    for (const auto &[status, group] : byStatus(samples))
    {
        json.key(std::to_string(status));
        const auto schema = status == 202 ? "Waiting" : resultSchema(route.kind);
        writeResponse(json, group, {AnswerTo::Poll, schema});
        json.endObject();
    }
    json.endObject().endObject();
}

void writeEvents(JsonWriter &json, const RequestRoute &route)
{
    openOperation(json, "get", "watch" + std::string(route.name), route.tag,
                  "Be told of each change, as server-sent events");
    json.key("parameters").beginList().json(reference("parameters", "JobId"));
    json.json(reference("parameters", "LastEventId"));
    json.json(reference("parameters", "RequestId")).endList();
    json.key("responses").beginObject();
    const auto samples = answersOfEvents(route);
    for (const auto &[status, group] : byStatus(samples))
    {
        json.key(std::to_string(status));
        writeResponse(json, group, {AnswerTo::Watch, ""});
        json.endObject();
    }
    json.endObject().endObject();
}

void writeKeyUrls(JsonWriter &json)
{
    json.key("/v2/keyurl").beginObject();
    openOperation(json, "get", "getKeyUrls", "Keys", "Where the public key and the CRS are");
    json.key("parameters").beginList().json(reference("parameters", "RequestId")).endList();
    json.key("responses").beginObject();
    const auto samples = answersOfKeyUrls();
    for (const auto &[status, group] : byStatus(samples))
    {
        json.key(std::to_string(status));
        writeResponse(json, group, {AnswerTo::KeyUrls, "KeyUrls"});
        json.endObject();
    }
    json.endObject().endObject().endObject();
}

struct ServiceAnswer
{
    std::string status;
    std::string_view description;
    std::string example;
    bool comesAgain = false;  // with Retry-After
};

// A route without envelope, key and errors.
void writeService(JsonWriter &json, std::string_view path, std::string_view id,
                  std::string_view summary, std::string_view schema,
                  const std::vector<ServiceAnswer> &answers)
{
    json.key(path).beginObject();
    openOperation(json, "get", id, "Service", summary);
    json.key("security").json("[{}]").key("responses").beginObject();
    for (const ServiceAnswer &each : answers)
    {
        json.key(each.status).beginObject().key("description").text(each.description);
        if (each.comesAgain)
        {
            json.key("headers").beginObject();
            writeRetryAfterAlways(json);
            json.endObject();
        }
        json.key("content").beginObject().key("application/json").beginObject();
        json.key("schema").json(schema.starts_with('{') ? std::string(schema)
                                                        : reference("schemas", schema));
        if (!each.example.empty())
        {
            json.key("examples").beginObject().key("example").beginObject();
            json.key("value").json(each.example).endObject().endObject();
        }
        json.endObject().endObject().endObject();
    }
    json.endObject().endObject().endObject();
}

void writeServices(JsonWriter &json, const ApiFacts &facts)
{
    writeService(json, "/liveness", "getLiveness", "Whether the process answers", "Liveness",
                 {{"200", "It does", liveness()}});
    writeService(json, "/healthz", "getHealth", "Whether it can work", "Health",
                 {{"200", "It can", health({{"database", true}})},
                  {"503", "It can not just now", health({{"database", false}}), true}});
    writeService(
        json, "/version", "getVersion", "Which program this is", "Version",
        {{"200", "This one", version("relayer-service", {facts.version, "0f1e2d3-clean"})}});
    writeService(json, "/openapi.json", "getDocument", "This document", R"({"type":"object"})",
                 {{"200", "OpenAPI 3.1", ""}});
    json.key("/docs").beginObject();
    openOperation(json, "get", "getDocumentAsPage", "Service", "This document, to be read");
    json.key("security").json("[{}]").key("responses").beginObject().key("200").beginObject();
    json.key("description").text("A page").key("content").beginObject().key("text/html");
    json.beginObject().key("schema").json(R"({"type":"string"})").endObject().endObject();
    json.endObject().endObject().endObject().endObject();
}

void writeComponents(JsonWriter &json, const ApiFacts &facts)
{
    json.key("components").beginObject().key("schemas").beginObject();
    writeRequestSchemas(json, facts.limits);
    writeAnswerSchemas(json);
    if (facts.shares)
    {
        writeShareSchemas(json);
    }
    json.endObject();
    writeHeadersAndParameters(json, facts.waitMax);
    json.key("securitySchemes").beginObject().key("ApiKeyAuth").beginObject();
    json.key("type").text("apiKey").key("in").text("header").key("name").text("X-API-Key");
    json.key("description")
        .text("Not looked at by the relayer itself: a gateway in front may ask for one.");
    json.endObject();
    if (facts.shares && facts.shares->token)
    {
        json.key("HelperToken").beginObject().key("type").text("apiKey");
        json.key("in").text("header").key("name").text("X-Helper-Token").endObject();
    }
    json.endObject().endObject();
}

void writeTags(JsonWriter &json, const ApiFacts &facts)
{
    json.key("tags").beginList();
    std::string_view last;
    for (const RequestRoute &route : requestRoutes())
    {
        if (route.tag != last)
        {
            json.beginObject().key("name").text(route.tag).endObject();
        }
        last = route.tag;
    }
    for (const std::string_view tag : {"Keys", "Service"})
    {
        json.beginObject().key("name").text(tag).endObject();
    }
    if (facts.shares)
    {
        json.beginObject().key("name").text("Shares").key("description");
        json.text("Encrypted shares of votes. Their errors have a shape of their own.").endObject();
    }
    json.endList();
}

void writeErrors(JsonWriter &json)
{
    json.key("x-errors").beginList();
    for (std::size_t i = 0; i < kLabels; ++i)
    {
        const auto label = static_cast<Label>(i);
        json.beginObject().key("label").text(name(label)).key("status").number(httpStatus(label));
        json.key("details").boolean(hasDetails(label));
        json.key("retryable").boolean(isRetryable(label)).endObject();
    }
    json.endList();
}
}  // namespace

std::string reference(std::string_view kind, std::string_view name)
{
    JsonWriter json;
    json.beginObject().key("$ref");
    json.text("#/components/" + std::string(kind) + "/" + std::string(name)).endObject();
    return std::move(json).take();
}

std::string oneOf(const std::string &first, const std::string &second)
{
    return R"({"oneOf":[)" + first + "," + second + "]}";
}

std::string openApi(const ApiFacts &facts)
{
    JsonWriter json;
    json.beginObject().key("openapi").text("3.1.0").key("info").beginObject();
    json.key("title").text("Relayer API").key("version").text(facts.version);
    json.key("description").text(kAbout).endObject();
    json.key("servers").beginList().beginObject().key("url");
    json.text(facts.pathPrefix.empty() ? "/" : facts.pathPrefix).endObject().endList();
    json.key("security").json(R"([{},{"ApiKeyAuth":[]}])");
    writeTags(json, facts);
    json.key("paths").beginObject();
    for (const RequestRoute &route : requestRoutes())
    {
        json.key(route.path).beginObject();
        writePost(json, route, facts);
        json.endObject().key(std::string(route.path) + "/{job_id}").beginObject();
        writePoll(json, route);
        json.endObject().key(std::string(route.path) + "/{job_id}/events").beginObject();
        writeEvents(json, route);
        json.endObject();
    }
    writeKeyUrls(json);
    writeServices(json, facts);
    if (facts.shares)
    {
        writeSharePaths(json, *facts.shares);
    }
    json.endObject();
    writeComponents(json, facts);
    writeErrors(json);
    json.endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
