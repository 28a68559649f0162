#include "plugins/runtime_values.h"

#include "models/store_error.h"
#include "wire/json_writer.h"
#include "wire/strict_json.h"

#include <trantor/utils/Logger.h>

#include <charconv>
#include <utility>

namespace relayer::plugins
{
using drogon::Task;
using models::SettingStore;

namespace
{
const std::string kIntake = "intake.paused";
const std::string kLane = "lane.paused/";
// Of operators who change something in the same moment, each makes all others look again. Four that
// do nothing else kept a fifth out twenty times in a row.
constexpr int kTries = 100;

std::string asJson(const core::RuntimeParameter &parameter, const std::string &value)
{
    return parameter.type == core::RuntimeParameter::Type::Text ? wire::jsonText(value) : value;
}

std::string asText(const std::string &json)
{
    const auto document = wire::readJson(json);
    return document.root ? std::string(document.root->text()) : std::string();
}

RuntimeValues::Pause pauseFrom(const models::Setting &setting)
{
    RuntimeValues::Pause pause;
    pause.change = {setting.changedBy, setting.changedAtMs};
    const auto document = wire::readJson(setting.value);
    if (!document.root)
    {
        return pause;
    }
    if (const auto *reason = document.root->find("reason"))
    {
        pause.reason = reason->text();
    }
    if (const auto *seconds = document.root->find("retry_after_seconds"))
    {
        const std::string_view text = seconds->text();
        std::from_chars(text.data(), text.data() + text.size(), pause.retryAfterSeconds);
    }
    return pause;
}

std::string jsonOf(const RuntimeValues::Pause &pause)
{
    wire::JsonWriter json;
    json.beginObject().key("reason").text(pause.reason);
    if (pause.retryAfterSeconds > 0)
    {
        json.key("retry_after_seconds").number(static_cast<std::int64_t>(pause.retryAfterSeconds));
    }
    json.endObject();
    return std::move(json).take();
}

models::AuditEntry auditOf(const core::RuntimeParameter &parameter, const std::string &from,
                           const std::string &to, bool reset, const std::string &actor)
{
    wire::JsonWriter json;
    json.beginObject().key("from").json(asJson(parameter, from));
    json.key("to").json(asJson(parameter, to)).endObject();
    return {actor, reset ? "reset" : "set", parameter.name, std::move(json).take()};
}
}  // namespace

RuntimeValues::RuntimeValues(config::Settings configured, std::shared_ptr<SettingStore> store,
                             Apply apply, Fixed fixed)
    : configured_(std::move(configured)),
      fixed_(std::move(fixed)),
      store_(std::move(store)),
      apply_(std::move(apply))
{
    State state;
    state.settings = configured_;
    published_.store(std::move(state));
}

Task<> RuntimeValues::refresh()
{
    const auto self = shared_from_this();
    const auto store = this->store();
    auto found = co_await store->readUnless(state()->revision);
    if (found)
    {
        take(std::move(*found));
    }
}

// Of several that were read at the same time, an older one may come later.
void RuntimeValues::take(SettingStore::State found)
{
    const std::lock_guard lock(taking_);
    if (found.revision <= state()->revision)
    {
        return;
    }
    State next;
    next.revision = found.revision;
    for (const models::Setting &setting : found.settings)
    {
        if (setting.name == kIntake)
        {
            next.intake = pauseFrom(setting);
        }
        else if (setting.name.starts_with(kLane))
        {
            next.lanes[setting.name.substr(kLane.size())] = pauseFrom(setting);
        }
        else
        {
            next.overrides[setting.name] = asText(setting.value);
            next.changes[setting.name] = {setting.changedBy, setting.changedAtMs};
        }
    }
    auto fitting = config::withThoseThatFit(configured_, next.overrides);
    for (const std::string &wrong : fitting.wrong)
    {
        LOG_WARN << "step=setting_passed_over why=" << wrong;
    }
    next.settings = std::move(fitting.settings);
    const bool paused = next.intake.has_value();
    published_.store(std::move(next));
    intakePaused_.store(paused);
    if (apply_)
    {
        apply_(*state());
    }
}

void RuntimeValues::close()
{
    {
        const std::lock_guard lock(door_);
        store_.reset();
    }
    const std::lock_guard lock(taking_);
    apply_ = nullptr;
}

std::shared_ptr<SettingStore> RuntimeValues::store() const
{
    const std::lock_guard lock(door_);
    if (!store_)
    {
        throw models::StoreError(models::StoreError::Code::Closed, "the settings are closed");
    }
    return store_;
}

Task<RuntimeValues::Outcome> RuntimeValues::write(Compose compose,
                                                  std::optional<std::int64_t> expected)
{
    const auto self = shared_from_this();
    const auto store = this->store();
    co_await refresh();
    for (int tries = 0; tries < kTries; ++tries)
    {
        const StatePtr now = state();
        Outcome outcome;
        outcome.revision = now->revision;
        outcome.stale = expected && *expected != now->revision;
        if (outcome.stale)
        {
            co_return outcome;
        }
        auto composed = compose(*now);
        if (auto *wrong = std::get_if<std::vector<std::string>>(&composed))
        {
            outcome.wrong = std::move(*wrong);
            co_return outcome;
        }
        auto &write = std::get<Write>(composed);
        const auto revision =
            co_await store->write(now->revision, std::move(write.changes), std::move(write.audit));
        co_await refresh();
        if (revision)
        {
            outcome.revision = *revision;
            co_return outcome;
        }
    }
    throw models::StoreError(models::StoreError::Code::Overloaded,
                             "too many change settings at the same time");
}

Task<RuntimeValues::Outcome> RuntimeValues::change(Changes changes, std::string actor,
                                                   std::optional<std::int64_t> expected)
{
    const auto compose =
        [this, changes, actor](const State &now) -> std::variant<Write, std::vector<std::string>> {
        config::Overrides next = now.overrides;
        for (const auto &[name, value] : changes)
        {
            if (config::findRuntimeParameter(name) == nullptr)
            {
                return std::vector{config::unknownRuntimeParameter(name)};
            }
            if (const auto fixed = fixed_.find(name); value && fixed != fixed_.end())
            {
                return std::vector{name + " can not be set here: " + fixed->second};
            }
            value ? void(next[name] = *value) : void(next.erase(name));
        }
        auto checked = config::withOverrides(configured_, next);
        if (!checked.wrong.empty())
        {
            return std::move(checked.wrong);
        }
        Write write;
        for (const auto &[name, value] : changes)
        {
            const auto *parameter = config::findRuntimeParameter(name);
            // As it was read, not as it was written: 007 is no JSON.
            const std::string to = config::valueOf(*parameter, checked.settings);
            write.changes.push_back(
                {name, value ? std::optional(asJson(*parameter, to)) : std::nullopt});
            write.audit.push_back(
                auditOf(*parameter, config::valueOf(*parameter, now.settings), to, !value, actor));
        }
        return write;
    };
    co_return co_await write(compose, expected);
}

Task<RuntimeValues::Outcome> RuntimeValues::writePause(std::string name, std::string action,
                                                       std::string subject,
                                                       std::optional<Pause> pause,
                                                       std::string actor)
{
    Write what;
    const auto value = pause ? std::optional(jsonOf(*pause)) : std::nullopt;
    what.changes.push_back({std::move(name), value});
    what.audit.push_back({std::move(actor), (pause ? "pause_" : "resume_") + action,
                          std::move(subject), value.value_or("{}")});
    const auto compose =
        [what = std::move(what)](const State &) -> std::variant<Write, std::vector<std::string>> {
        return what;
    };
    co_return co_await write(compose, std::nullopt);
}

Task<RuntimeValues::Outcome> RuntimeValues::pauseIntake(std::optional<Pause> pause,
                                                        std::string actor)
{
    co_return co_await writePause(kIntake, "intake", "", std::move(pause), std::move(actor));
}

Task<RuntimeValues::Outcome> RuntimeValues::pauseLane(std::string lane, std::optional<Pause> pause,
                                                      std::string actor)
{
    std::string name = kLane + lane;
    co_return co_await writePause(std::move(name), "lane", std::move(lane), std::move(pause),
                                  std::move(actor));
}
}  // namespace relayer::plugins
