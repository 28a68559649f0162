#include "models/registration_store.h"

#include "models/execute.h"

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;

Task<std::optional<std::int64_t>> RegistrationStore::put(Registration registration,
                                                         std::chrono::seconds keep,
                                                         std::size_t most)
{
    static const Write text =
        "INSERT INTO pending_registration AS p (operator_address, url, moniker, signed_at,"
        " expires_at) SELECT $1::text, $2::text, $3::text, to_timestamp($4::bigint),"
        " now() + $5::bigint * interval '1 second'"
        " WHERE (SELECT count(*) FROM pending_registration) < $6::bigint"
        " OR EXISTS (SELECT FROM pending_registration WHERE operator_address = $1::text)"
        " ON CONFLICT (operator_address) DO UPDATE SET"
        " url = CASE WHEN p.signed_at <= excluded.signed_at THEN excluded.url ELSE p.url END,"
        " moniker = CASE WHEN p.signed_at <= excluded.signed_at THEN excluded.moniker"
        " ELSE p.moniker END,"
        " expires_at = CASE WHEN p.signed_at <= excluded.signed_at THEN excluded.expires_at"
        " ELSE p.expires_at END,"
        " signed_at = greatest(p.signed_at, excluded.signed_at)"
        " RETURNING extract(epoch FROM expires_at)::bigint";
    const Result rows = co_await execute(
        writer_, &text, std::move(registration.operatorAddress), std::move(registration.url),
        std::move(registration.moniker), registration.signedAt, std::int64_t{keep.count()},
        static_cast<std::int64_t>(most));
    if (rows.empty())
    {
        co_return std::nullopt;
    }
    co_return rows[0][0].as<std::int64_t>();
}

Task<std::vector<Registration>> RegistrationStore::all(std::size_t limit)
{
    static const std::string text =
        "SELECT operator_address, url, moniker, extract(epoch FROM signed_at)::bigint,"
        " extract(epoch FROM created_at)::bigint, extract(epoch FROM expires_at)::bigint"
        " FROM pending_registration WHERE expires_at > now() ORDER BY created_at, operator_address"
        " LIMIT $1::bigint";
    const Result rows = co_await execute(writer_, &text, static_cast<std::int64_t>(limit));
    std::vector<Registration> all;
    all.reserve(rows.size());
    for (const auto &row : rows)
    {
        all.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::string>(),
                       row[3].as<std::int64_t>(), row[4].as<std::int64_t>(),
                       row[5].as<std::int64_t>()});
    }
    co_return all;
}

Task<> RegistrationStore::forget(std::string operatorAddress)
{
    static const Write text = "DELETE FROM pending_registration WHERE operator_address = $1::text";
    co_await execute(writer_, &text, std::move(operatorAddress));
}

Task<bool> RegistrationStore::remove(std::string operatorAddress, std::string actor)
{
    static const Write text =
        "WITH gone AS (DELETE FROM pending_registration WHERE operator_address = $1::text"
        " RETURNING operator_address, moniker),\n"
        "noted AS (INSERT INTO audit (actor, action, subject, detail)"
        " SELECT $2::text, 'registration_removed', operator_address,"
        " jsonb_build_object('moniker', moniker) FROM gone)\n"
        "SELECT operator_address FROM gone";
    const Result rows =
        co_await execute(writer_, &text, std::move(operatorAddress), std::move(actor));
    co_return !rows.empty();
}

Task<std::size_t> RegistrationStore::sweep(std::size_t limit)
{
    static const Write text =
        "DELETE FROM pending_registration WHERE operator_address IN (SELECT operator_address"
        " FROM pending_registration WHERE expires_at <= now() LIMIT $1::bigint"
        " FOR UPDATE SKIP LOCKED) RETURNING true";
    const Result rows = co_await execute(writer_, &text, static_cast<std::int64_t>(limit));
    co_return rows.size();
}
}  // namespace relayer::models
