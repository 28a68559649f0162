#include "wire/admin_requests.h"

#include "core/utc_time.h"
#include "wire/json_writer.h"
#include "wire/strict_json.h"
#include "wire/utf8.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <utility>

namespace relayer::wire
{
using core::OperatorOutcome;
using core::RequestSearch;

namespace
{
constexpr std::size_t kLongestReason = 200;

AdminProblem wrong(std::string field, const std::string &issue)
{
    return {400, "validation_failed", field + ": " + issue, std::move(field)};
}

// What a parameter is read into, or what is wrong with it.
using Issue = std::string;

template <typename Value>
Issue readName(std::string_view text, std::optional<Value> &into,
               std::optional<Value> (*parse)(std::string_view))
{
    into = parse(text);
    return into ? Issue() : "Unknown value";
}

Issue readHash(std::string_view text, std::optional<core::Hash32> &into)
{
    const auto bytes = core::fromHex(text.starts_with("0x") ? text.substr(2) : text);
    core::Hash32 hash{};
    if (!bytes || bytes->size() != hash.size())
    {
        return "Must be 32 bytes as hexadecimal digits";
    }
    std::ranges::copy(*bytes, hash.begin());
    into = hash;
    return {};
}

Issue readNumber(std::string_view text, std::int64_t least, std::int64_t most, std::int64_t &into)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && into >= least && into <= most
               ? Issue()
               : "Must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most);
}

Issue readSeconds(std::string_view text, std::optional<std::chrono::milliseconds> &into)
{
    constexpr std::int64_t kHundredYears = 3'155'760'000;
    std::int64_t seconds = 0;
    Issue issue = readNumber(text, 0, kHundredYears, seconds);
    if (issue.empty())
    {
        into = std::chrono::seconds(seconds);  // others need not fit into milliseconds
    }
    return issue;
}

Issue readInto(RequestSearch &search, const std::string &name, const std::string &text)
{
    if (name == "job_id")
    {
        search.jobId = core::JobId::parse(text);
        return search.jobId ? Issue() : "Must be a UUID";
    }
    if (name == "kind")
    {
        return readName(text, search.kind, core::parseKind);
    }
    if (name == "status")
    {
        return readName(text, search.status, core::parseStatus);
    }
    if (name == "content_hash")
    {
        return readHash(text, search.contentHash);
    }
    if (name == "gateway_id")
    {
        return readHash(text, search.gatewayId);
    }
    if (name == "tx_hash")
    {
        return readHash(text, search.txHash);
    }
    if (name == "older_than")
    {
        return readSeconds(text, search.olderThan);
    }
    if (name == "younger_than")
    {
        return readSeconds(text, search.youngerThan);
    }
    std::int64_t number = 0;
    if (name == "before")
    {
        Issue issue = readNumber(text, 1, std::numeric_limits<std::int64_t>::max(), number);
        search.before = number;
        return issue;
    }
    Issue issue = readNumber(text, 1, static_cast<std::int64_t>(core::kSearchLimitMax), number);
    search.limit = static_cast<std::size_t>(number);
    return issue;
}

void writeTime(JsonWriter &json, std::string_view name, core::MillisSince1970 time)
{
    json.key(name).text(core::utcTime(time));
}

void writeTime(JsonWriter &json, std::string_view name,
               const std::optional<core::MillisSince1970> &time)
{
    if (time)
    {
        writeTime(json, name, *time);
    }
}

void writeHash(JsonWriter &json, std::string_view name, const std::optional<core::Hash32> &hash)
{
    if (hash)
    {
        json.key(name).hex(*hash, "0x");
    }
}

void writeText(JsonWriter &json, std::string_view name, const std::string &text)
{
    if (!text.empty())
    {
        json.key(name).text(text);
    }
}

void writeNumber(JsonWriter &json, std::string_view name, const std::optional<std::int64_t> &number)
{
    if (number)
    {
        json.key(name).number(*number);
    }
}

void writeLine(JsonWriter &json, const core::RequestLine &line)
{
    json.key("jobId").text(line.jobId.text());
    json.key("kind").text(core::name(line.kind));
    if (line.kind == core::Kind::UserDecrypt)
    {
        json.key("variant").text(line.variant);
    }
    json.key("status").text(core::name(line.status));
    writeText(json, "errorCode", line.errorCode);
    writeTime(json, "createdAt", line.createdAt);
    writeTime(json, "statusAt", line.statusAt);
    if (!core::isTerminal(line.status))
    {
        json.key("millisecondsInStatus").number(line.inStatus.count());
    }
}

// Where it went, and when; the first one is the admission.
void writeStatuses(JsonWriter &json, const core::RequestHistory &history)
{
    json.key("statuses").beginList();
    json.beginObject().key("status").text(core::name(core::initialStatus(history.line.kind)));
    json.key("transition").text("admit");
    writeTime(json, "at", history.line.createdAt);
    json.endObject();
    for (const core::TrailStep &step : history.trail)
    {
        json.beginObject().key("status").text(core::name(core::targetOf(step.transition)));
        json.key("transition").text(core::name(step.transition));
        writeTime(json, "at", std::chrono::floor<std::chrono::milliseconds>(step.at));
        json.endObject();
    }
    json.endList();
}

void writeAttempts(JsonWriter &json, const std::vector<core::AttemptRecord> &attempts)
{
    json.key("attempts").beginList();
    for (const core::AttemptRecord &attempt : attempts)
    {
        json.beginObject().key("lane").text(attempt.lane);
        json.key("nonce").number(attempt.nonce).key("state").text(attempt.state);
        json.key("sends").number(attempt.sends);
        writeTime(json, "signedAt", attempt.signedAt);
        writeHash(json, "minedHash", attempt.minedHash);
        writeNumber(json, "minedBlock", attempt.minedBlock);
        writeText(json, "closingCode", attempt.closingCode);
        json.key("versions").beginList();
        for (const core::VersionRecord &version : attempt.versions)
        {
            json.beginObject().key("hash").hex(version.hash, "0x");
            json.key("maxFeePerGas").text(version.maxFeePerGas);
            json.key("maxPriorityFeePerGas").text(version.maxPriorityFeePerGas);
            json.key("gasLimit").text(version.gasLimit).key("noOp").boolean(version.noOp);
            writeTime(json, "signedAt", version.signedAt);
            writeTime(json, "lastSentAt", version.lastSentAt);
            json.endObject();
        }
        json.endList().endObject();
    }
    json.endList();
}

void writeArrivals(JsonWriter &json, const core::RequestHistory &history)
{
    json.key("events").beginList();
    for (const core::EventRecord &event : history.events)
    {
        json.beginObject().key("of").text(event.request ? "request" : "answer");
        json.key("block").number(event.block).key("logIndex").number(event.logIndex);
        writeHash(json, "txHash", event.txHash);
        json.key("removed").boolean(event.removed);
        writeTime(json, "receivedAt", event.receivedAt);
        writeTime(json, "handledAt", event.handledAt);
        json.endObject();
    }
    json.endList().key("shares").beginList();
    for (const core::ShareRecord &share : history.shares)
    {
        json.beginObject().key("index").number(share.index);
        writeTime(json, "arrivedAt", share.arrivedAt);
        writeHash(json, "responseTxHash", share.responseTxHash);
        json.endObject();
    }
    json.endList();
    if (history.answer)
    {
        json.key("answer").beginObject().key("accepted").boolean(history.answer->accepted);
        writeTime(json, "arrivedAt", history.answer->arrivedAt);
        writeHash(json, "responseTxHash", history.answer->responseTxHash);
        json.endObject();
    }
}
}  // namespace

std::variant<RequestSearch, AdminProblem> readRequestSearch(const QueryParameter &parameter)
{
    RequestSearch search;
    for (const char *name : {"job_id", "content_hash", "gateway_id", "tx_hash", "kind", "status",
                             "older_than", "younger_than", "before", "limit"})
    {
        const std::string text = parameter(name);
        const Issue issue = text.empty() ? Issue() : readInto(search, name, text);
        if (!issue.empty())
        {
            return wrong(name, issue);
        }
    }
    const int names = (search.jobId ? 1 : 0) + (search.contentHash ? 1 : 0) +
                      (search.gatewayId ? 1 : 0) + (search.txHash ? 1 : 0);
    if (names > 1)
    {
        return wrong("job_id", "Only one of job_id, content_hash, gateway_id and tx_hash");
    }
    return search;
}

AdminProblem problemOf(OperatorOutcome outcome)
{
    switch (outcome)
    {
        case OperatorOutcome::WrongState:
            return {409, "wrong_state", "The request is in a state that does not allow this"};
        case OperatorOutcome::OnItsWay:
            return {409, "transaction_on_its_way",
                    "A transaction of this request may still be mined; another would double it"};
        case OperatorOutcome::ContentInUse:
            return {409, "content_in_use", "Another request stands for this content now"};
        default: return {404, "not_found", "There is no such request"};
    }
}

AdminProblem malformedJob()
{
    return wrong("job_id", "Must be a UUID");
}

std::string adminError(const AdminProblem &problem)
{
    JsonWriter json;
    json.beginObject().key("error").text(problem.message).key("label").text(problem.label);
    writeText(json, "field", problem.field);
    json.endObject();
    return std::move(json).take();
}

bool isSaneReason(std::string_view reason)
{
    return reason.size() <= kLongestReason && isUtf8(reason) &&
           std::ranges::none_of(reason, [](char c) {
               return static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) == 0x7F;
           });
}

std::variant<std::string, AdminProblem> readReason(std::string_view body)
{
    if (body.empty())
    {
        return std::string();
    }
    const JsonDocument document = readJson(body);
    if (!document.root)
    {
        return AdminProblem{400, "malformed_json", "Malformed JSON: " + document.problem};
    }
    const Json *json = &*document.root;
    const Json *reason = json->type() == Json::Type::Object ? json->find("reason") : nullptr;
    if (reason == nullptr || reason->type() != Json::Type::Text || !isSaneReason(reason->text()))
    {
        return wrong("reason", "Must be a text of up to " + std::to_string(kLongestReason) +
                                   " bytes, without control characters");
    }
    return std::string(reason->text());
}

std::string requestPage(const core::RequestPage &page)
{
    JsonWriter json;
    json.beginObject().key("requests").beginList();
    for (const core::RequestLine &line : page.lines)
    {
        json.beginObject();
        writeLine(json, line);
        json.endObject();
    }
    json.endList();
    // A text, since it may be more than a number of JavaScript holds.
    writeText(json, "next", page.next ? std::to_string(*page.next) : std::string());
    json.endObject();
    return std::move(json).take();
}

std::string requestHistory(const core::RequestHistory &history)
{
    JsonWriter json;
    json.beginObject();
    writeLine(json, history.line);
    writeText(json, "errorDetail", history.errorDetail);
    json.key("contentHash").hex(history.contentHash, "0x");
    writeHash(json, "gatewayId", history.gatewayId);
    writeHash(json, "txHash", history.txHash);
    json.key("ticket").number(history.ticket);
    writeText(json, "claimedBy", history.claimedBy);
    json.key("payloadBytes").number(history.payloadBytes);
    writeNumber(json, "threshold", history.threshold);
    writeText(json, "resubmits", history.resubmits ? history.resubmits->text() : std::string());
    json.key("resubmittedAs").beginList();
    for (const core::JobId &job : history.resubmittedAs)
    {
        json.text(job.text());
    }
    json.endList();
    writeStatuses(json, history);
    writeAttempts(json, history.attempts);
    writeArrivals(json, history);
    json.endObject();
    return std::move(json).take();
}

std::string submittedAnew(const core::JobId &old, const core::JobId &fresh)
{
    JsonWriter json;
    json.beginObject().key("jobId").text(fresh.text()).key("resubmits").text(old.text());
    json.endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
