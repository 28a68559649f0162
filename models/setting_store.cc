#include "models/setting_store.h"

#include "core/status_notices.h"
#include "models/execute.h"
#include "models/pg_array.h"
#include "models/status_channel.h"

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;

namespace
{
// Of the actor of a change in the audit, and of who changed a setting.
const std::string &actorOf(const std::vector<AuditEntry> &audit)
{
    static const std::string nobody;
    return audit.empty() ? nobody : audit.front().actor;
}

Setting settingFrom(const drogon::orm::Row &row)
{
    return {row["name"].as<std::string>(), row["value"].as<std::string>(),
            row["changed_by"].as<std::string>(), row["changed_at_ms"].as<std::int64_t>()};
}
}  // namespace

Task<std::optional<SettingStore::State>> SettingStore::readUnless(std::int64_t revision)
{
    static const std::string text =
        "SELECT r.revision, s.name, s.value::text AS value, s.changed_by,"
        " (extract(epoch FROM s.changed_at) * 1000)::bigint AS changed_at_ms"
        " FROM setting_revision r LEFT JOIN setting s ON r.revision <> $1::bigint"
        " ORDER BY s.name";
    const Result rows = co_await execute(writer_, &text, revision);
    State state;
    state.revision = rows.at(0)["revision"].as<std::int64_t>();
    if (state.revision == revision)
    {
        co_return std::nullopt;
    }
    for (const auto &row : rows)
    {
        if (!row["name"].isNull())
        {
            state.settings.push_back(settingFrom(row));
        }
    }
    co_return state;
}

Task<std::optional<std::int64_t>> SettingStore::write(std::int64_t expected,
                                                      std::vector<SettingChange> changes,
                                                      std::vector<AuditEntry> audit)
{
    // The update of the one row comes first and makes all others wait: who comes second finds
    // another revision, and nothing of its own is written.
    static const Write text =
        "WITH turn AS (UPDATE setting_revision SET revision = revision + 1"
        " WHERE revision = $1::bigint RETURNING revision),"
        " change AS (SELECT c.name, c.value::jsonb FROM turn,"
        " unnest($2::text[], $3::text[]) AS c (name, value)),"
        " gone AS (DELETE FROM setting s USING change c WHERE s.name = c.name AND c.value IS NULL),"
        " kept AS (INSERT INTO setting AS s (name, value, changed_by, changed_at)"
        " SELECT c.name, c.value, $4::text, now() FROM change c WHERE c.value IS NOT NULL"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value,"
        " changed_by = excluded.changed_by, changed_at = excluded.changed_at),"
        " noted AS (INSERT INTO audit (actor, action, subject, detail)"
        " SELECT $4::text, a.action, a.subject, a.detail::jsonb FROM turn,"
        " unnest($5::text[], $6::text[], $7::text[]) AS a (action, subject, detail))\n"
        "SELECT revision, pg_notify($8::text, $9::text)::text FROM turn";
    PgArray names(PgType::Text);
    PgArray values(PgType::Text);
    for (const SettingChange &change : changes)
    {
        names.add(std::string_view(change.name));
        change.value ? values.add(std::string_view(*change.value)) : values.addNull();
    }
    PgArray actions(PgType::Text);
    PgArray subjects(PgType::Text);
    PgArray details(PgType::Text);
    for (const AuditEntry &entry : audit)
    {
        actions.add(std::string_view(entry.action));
        subjects.add(std::string_view(entry.subject));
        details.add(std::string_view(entry.detail));
    }
    const Result rows = co_await execute(
        writer_, &text, expected, std::move(names).finish(), std::move(values).finish(),
        std::string(actorOf(audit)), std::move(actions).finish(), std::move(subjects).finish(),
        std::move(details).finish(), std::string(StatusChannel::kName),
        std::string(core::kSettingsNotice));
    co_return rows.empty() ? std::nullopt : std::optional(rows[0][0].as<std::int64_t>());
}

Task<> SettingStore::record(AuditEntry entry)
{
    static const Write text =
        "INSERT INTO audit (actor, action, subject, detail)"
        " VALUES ($1::text, $2::text, $3::text, $4::text::jsonb)";
    co_await execute(writer_, &text, std::move(entry.actor), std::move(entry.action),
                     std::move(entry.subject), std::move(entry.detail));
}

Task<std::vector<AuditRow>> SettingStore::trail(std::int64_t before, std::int64_t limit)
{
    static const std::string text =
        "SELECT id, (extract(epoch FROM at) * 1000)::bigint AS at_ms, actor, action, subject,"
        " detail::text AS detail FROM audit WHERE $1::bigint = 0 OR id < $1::bigint"
        " ORDER BY id DESC LIMIT $2::bigint";
    const Result rows = co_await execute(writer_, &text, before, limit);
    std::vector<AuditRow> found;
    found.reserve(rows.size());
    for (const auto &row : rows)
    {
        found.push_back({row["id"].as<std::int64_t>(),
                         row["at_ms"].as<std::int64_t>(),
                         {row["actor"].as<std::string>(), row["action"].as<std::string>(),
                          row["subject"].as<std::string>(), row["detail"].as<std::string>()}});
    }
    co_return found;
}
}  // namespace relayer::models
