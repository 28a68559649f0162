#include "models/instance_registry.h"

#include "models/execute.h"

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;

Task<Enrolment> InstanceRegistry::enrol(std::string name, std::string version)
{
    // One commit, so that no row is left with an epoch that nobody remembers. The insert reads
    // `before`, so that the old epoch is read before it is overwritten. Lanes are counted, so that
    // they are locked before requests, as in every commit of a lane.
    static const Write text =
        "WITH before AS MATERIALIZED (SELECT epoch FROM instance WHERE name = $1::text"
        " FOR UPDATE),\n"
        "enrolled AS (INSERT INTO instance (name, version)"
        " SELECT $1::text, $2::text FROM (SELECT count(*) FROM before) b"
        " ON CONFLICT (name) DO UPDATE SET epoch = nextval('instance_epoch_seq'),"
        " started_at = now(), heartbeat_at = now(), draining = false, version = excluded.version"
        " RETURNING epoch),\n"
        "lanes AS (UPDATE signer_lane s SET owner = enrolled.epoch FROM before, enrolled"
        " WHERE s.owner = before.epoch RETURNING s.name),\n"
        "mine AS MATERIALIZED (SELECT r.id FROM live_request l"
        " JOIN request r ON r.id = l.request_id JOIN before ON r.owner = before.epoch"
        " WHERE (SELECT count(*) FROM lanes) >= 0 ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "taken AS (UPDATE request r SET owner = enrolled.epoch FROM mine, enrolled"
        " WHERE r.id = mine.id RETURNING r.id)\n"
        "SELECT enrolled.epoch, (SELECT epoch FROM before), (SELECT count(*) FROM taken)"
        " FROM enrolled";
    const Result rows = co_await execute(client_, &text, std::move(name), std::move(version));
    Enrolment enrolment;
    enrolment.epoch = rows.at(0)[0].as<std::int64_t>();
    if (!rows[0][1].isNull())
    {
        enrolment.previous = rows[0][1].as<std::int64_t>();
    }
    enrolment.takenBack = rows[0][2].as<std::int64_t>();
    co_return enrolment;
}

Task<std::optional<Claimer>> InstanceRegistry::lastEpochOf(std::string name)
{
    static const std::string text = "SELECT epoch FROM instance WHERE name = $1::text";
    const Result rows = co_await execute(client_, &text, std::move(name));
    co_return rows.empty() ? std::nullopt : std::optional(rows[0][0].as<std::int64_t>());
}

Task<InstanceRegistry::Beat> InstanceRegistry::beat(Claimer epoch)
{
    static const std::string text =  // tidy: allow writes: another beat follows
        "WITH mine AS (UPDATE instance SET heartbeat_at = now() WHERE epoch = $1::bigint"
        " RETURNING epoch)\n"
        "SELECT (SELECT count(*) FROM mine) = 1, count(*) FROM instance o"
        " WHERE o.epoch <> $1::bigint AND NOT o.draining"
        " AND o.heartbeat_at > now() - interval '" +
        std::to_string(kAlive.count()) + " seconds'";
    const Result rows = co_await execute(client_, &text, epoch);
    Beat beat;
    beat.enrolled = rows.at(0)[0].as<bool>();
    beat.others = rows[0][1].as<std::int64_t>();
    co_return beat;
}

Task<bool> InstanceRegistry::isSilent(std::string name, std::chrono::milliseconds lease)
{
    static const std::string text =
        "SELECT NOT EXISTS (SELECT FROM instance WHERE name = $1::text"
        " AND heartbeat_at >= now() - $2::bigint * interval '1 millisecond')";
    const Result rows =
        co_await execute(client_, &text, std::move(name), static_cast<std::int64_t>(lease.count()));
    co_return rows.at(0)[0].as<bool>();
}

Task<std::vector<InstanceRegistry::Instance>> InstanceRegistry::all()
{
    static const std::string text =
        "SELECT name, epoch, (extract(epoch FROM started_at) * 1000)::bigint,"
        " (extract(epoch FROM now() - heartbeat_at) * 1000)::bigint, version"
        " FROM instance ORDER BY name";
    const Result rows = co_await execute(client_, &text);
    std::vector<Instance> instances;
    for (const auto &row : rows)
    {
        instances.push_back({row[0].as<std::string>(), row[1].as<Claimer>(),
                             row[2].as<std::int64_t>(), row[3].as<std::int64_t>(),
                             row[4].as<std::string>()});
    }
    co_return instances;
}

Task<bool> InstanceRegistry::canBeWritten()
{
    static const std::string text =
        "SELECT NOT pg_is_in_recovery() AND NOT current_setting('transaction_read_only')::boolean";
    const Result rows = co_await execute(client_, &text);
    co_return rows.at(0)[0].as<bool>();
}

Task<std::vector<Claimer>> InstanceRegistry::expired(std::chrono::milliseconds lease)
{
    static const std::string text =
        "SELECT epoch FROM instance"
        " WHERE heartbeat_at < now() - $1::bigint * interval '1 millisecond' ORDER BY epoch";
    const Result rows = co_await execute(client_, &text, static_cast<std::int64_t>(lease.count()));
    std::vector<Claimer> epochs;
    for (const auto &row : rows)
    {
        epochs.push_back(row[0].as<std::int64_t>());
    }
    co_return epochs;
}

Task<> InstanceRegistry::leave(Claimer epoch)
{
    static const Write text =
        "WITH lanes AS (UPDATE signer_lane SET owner = NULL, lease_until = NULL,"
        " updated_at = now() WHERE owner = $1::bigint),\n"
        "duties AS (DELETE FROM duty WHERE owner = $1::bigint)\n"
        "UPDATE instance SET draining = true, heartbeat_at = '-infinity'"
        " WHERE epoch = $1::bigint";
    co_await execute(client_, &text, epoch);
}
}  // namespace relayer::models
