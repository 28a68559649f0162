#include "models/idempotency_store.h"

#include "models/execute.h"
#include "models/pg_values.h"

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;

Task<IdempotencyStore::Claim> IdempotencyStore::claim(Key key, core::ContentHash content)
{
    // DO UPDATE and not DO NOTHING, so that the row comes back and whoever writes it is waited for.
    // A key that is a day old is anybody's again.
    static const std::string whenOver = "CASE WHEN " + std::string(kKeyIsOver) + " THEN ";
    static const Write text =
        "INSERT INTO idempotency_key AS k (client, key, content_hash)"
        " VALUES ($1::text, $2::text, $3::bytea)"
        " ON CONFLICT (client, key) DO UPDATE SET"
        " content_hash = " +
        whenOver + "excluded.content_hash ELSE k.content_hash END, job_id = " + whenOver +
        "NULL ELSE k.job_id END, created_at = " + whenOver +
        "now() ELSE k.created_at END"
        " RETURNING k.content_hash = $3::bytea, k.job_id";
    const Result rows = co_await execute(writer_, &text, std::move(key.client), std::move(key.key),
                                         binaryParameter(core::ByteView(content)));
    Claim claim;
    claim.otherContent = !rows.at(0)[0].as<bool>();
    if (!rows[0][1].isNull())
    {
        claim.job = core::JobId::parse(rows[0][1].as<std::string_view>());
    }
    co_return claim;
}

Task<> IdempotencyStore::bind(Key key, core::ContentHash content, core::JobId job)
{
    static const Write text =
        "UPDATE idempotency_key SET job_id = $4::uuid WHERE client = $1::text AND key = $2::text"
        " AND content_hash = $3::bytea AND job_id IS NULL";
    co_await execute(writer_, &text, std::move(key.client), std::move(key.key),
                     binaryParameter(core::ByteView(content)), job.text());
}

Task<> IdempotencyStore::release(Key key, core::ContentHash content)
{
    static const Write text =
        "DELETE FROM idempotency_key WHERE client = $1::text AND key = $2::text"
        " AND content_hash = $3::bytea AND job_id IS NULL";
    co_await execute(writer_, &text, std::move(key.client), std::move(key.key),
                     binaryParameter(core::ByteView(content)));
}
}  // namespace relayer::models
