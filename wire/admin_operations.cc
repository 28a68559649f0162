#include "wire/admin_operations.h"

#include "wire/json_writer.h"
#include "wire/strict_json.h"

#include <charconv>
#include <utility>

namespace relayer::wire
{
namespace
{
constexpr std::size_t kLongestReason = 500;
constexpr std::uint64_t kLongestWait = 3600;

std::int64_t asNumber(std::uint64_t number)
{
    return static_cast<std::int64_t>(number);
}

void write(JsonWriter &json, const std::optional<PauseView> &pause)
{
    json.key("paused").boolean(pause.has_value());
    if (!pause)
    {
        return;
    }
    json.key("reason").text(pause->reason);
    if (pause->retryAfterSeconds > 0)
    {
        json.key("retry_after_seconds").number(asNumber(pause->retryAfterSeconds));
    }
    json.key("paused_by").text(pause->by).key("paused_at_ms").number(pause->sinceMs);
}

// An empty body is an empty object.
std::variant<Json, Refused> objectIn(std::string_view body)
{
    const JsonDocument document = readJson(body.empty() ? "{}" : body);
    if (!document.root || document.root->type() != Json::Type::Object)
    {
        return Refused{400, document.root ? "The body must be an object" : document.problem};
    }
    return *document.root;
}

// 1 to 3600; nothing otherwise.
std::optional<std::uint64_t> secondsIn(const Json &value)
{
    std::uint64_t seconds = 0;
    const std::string_view text = value.text();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = value.type() == Json::Type::Number && read.ec == std::errc() &&
                       read.ptr == text.data() + text.size();
    return whole && seconds >= 1 && seconds <= kLongestWait ? std::optional(seconds) : std::nullopt;
}
}  // namespace

std::variant<PausePost, Refused> readPausePost(std::string_view body)
{
    const auto read = objectIn(body);
    if (const auto *refused = std::get_if<Refused>(&read))
    {
        return *refused;
    }
    const Json &object = std::get<Json>(read);
    PausePost post;
    if (const Json *reason = object.find("reason"))
    {
        post.reason = reason->text();
        if (reason->type() != Json::Type::Text || post.reason.size() > kLongestReason ||
            post.reason.find('\0') != std::string::npos)
        {
            return Refused{400, "reason must be a text of up to 500 bytes"};
        }
    }
    if (const Json *wait = object.find("retry_after_seconds"))
    {
        const auto seconds = secondsIn(*wait);
        if (!seconds)
        {
            return Refused{400, "retry_after_seconds must be a whole number from 1 to 3600"};
        }
        post.retryAfterSeconds = *seconds;
    }
    return post;
}

std::variant<std::string, Refused> readInstancePost(std::string_view body)
{
    const auto read = objectIn(body);
    if (const auto *refused = std::get_if<Refused>(&read))
    {
        return *refused;
    }
    const Json *instance = std::get<Json>(read).find("instance");
    if (instance == nullptr)
    {
        return std::string();
    }
    if (instance->type() != Json::Type::Text)
    {
        return Refused{400, "instance must be a text"};
    }
    return std::string(instance->text());
}

std::string queueList(std::span<const QueueView> queues)
{
    JsonWriter json;
    json.beginObject().key("queues").beginList();
    for (const QueueView &queue : queues)
    {
        json.beginObject().key("name").text(queue.name).key("kind").text(core::name(queue.kind));
        json.key("waiting").number(asNumber(queue.waiting));
        json.key("reserved").number(asNumber(queue.reserved));
        json.key("capacity").number(asNumber(queue.capacity));
        json.key("soft_limit").number(asNumber(queue.softLimit));
        if (queue.perSecond > 0)
        {
            json.key("per_second").number(asNumber(queue.perSecond));
        }
        else
        {
            json.key("max_concurrency").number(asNumber(queue.maxConcurrency));
            json.key("checking").number(asNumber(queue.checking));
        }
        json.endObject();
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::string laneList(std::span<const LaneView> lanes)
{
    JsonWriter json;
    json.beginObject().key("lanes").beginList();
    for (const LaneView &lane : lanes)
    {
        json.beginObject().key("name").text(lane.name).key("address").hex(lane.address, "0x");
        json.key("state").text(lane.state).key("held_by").text(lane.holder);
        json.key("next_nonce").number(lane.nextNonce);
        json.key("open_transactions").number(lane.openTransactions);
        if (lane.balanceWei)
        {
            json.key("balance_wei").text(*lane.balanceWei);
        }
        write(json, lane.pause);
        json.endObject();
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::string intakeState(const std::optional<PauseView> &pause)
{
    JsonWriter json;
    write(json.beginObject(), pause);
    json.endObject();
    return std::move(json).take();
}

std::string lanePause(std::string_view lane, const std::optional<PauseView> &pause)
{
    JsonWriter json;
    write(json.beginObject().key("name").text(lane), pause);
    json.endObject();
    return std::move(json).take();
}

std::string instanceList(std::span<const InstanceView> instances)
{
    JsonWriter json;
    json.beginObject().key("instances").beginList();
    for (const InstanceView &each : instances)
    {
        json.beginObject().key("name").text(each.name).key("epoch").number(each.epoch);
        json.key("this_one").boolean(each.thisOne).key("version").text(each.version);
        json.key("started_at_ms").number(each.startedAtMs);
        json.key("heartbeat_age_ms").number(each.heartbeatAgeMs).endObject();
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::string draining(std::string_view instance)
{
    JsonWriter json;
    json.beginObject().key("draining").text(instance).endObject();
    return std::move(json).take();
}

std::string auditTrail(std::span<const AuditView> entries, bool more)
{
    JsonWriter json;
    json.beginObject().key("entries").beginList();
    for (const AuditView &each : entries)
    {
        json.beginObject().key("id").number(each.id).key("at_ms").number(each.atMs);
        json.key("actor").text(each.actor).key("action").text(each.action);
        json.key("subject").text(each.subject).key("detail").json(each.detail).endObject();
    }
    json.endList();
    if (more && !entries.empty())
    {
        json.key("next").number(entries.back().id);
    }
    json.endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
