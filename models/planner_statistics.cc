#include "models/planner_statistics.h"

#include "models/execute.h"

#include <map>

namespace relayer::models
{
namespace
{
// Those that grow with the requests. Nobody is waited for: who has the table locked may be
// autovacuum, which would give way. And who does not own it is not asked: PostgreSQL would say no
// each time, without an error. Drogon keeps views of statements, so each has a text of its
// own that stays.
const std::map<std::string, std::string> &statements()
{
    static const auto made = [] {
        std::map<std::string, std::string> texts;
        for (const char *table :
             {"request", "live_request", "gateway_reference", "gateway_answer", "kms_share",
              "tx_attempt", "tx_version", "gateway_event", "scheduled_share", "idempotency_key"})
        {
            texts.emplace(table, std::string("ANALYZE (SKIP_LOCKED) ") + table);
        }
        return texts;
    }();
    return made;
}

// Pages below which it does not matter, and above which autovacuum is in time.
const std::string &grownText()
{
    static const std::string text = [] {
        std::string names;
        for (const auto &[table, statement] : statements())
        {
            names += (names.empty() ? "('" : ", ('") + table + "')";
        }
        return "SELECT t.name FROM (VALUES " + names +
               ") t(name) JOIN pg_class c ON c.oid = to_regclass(t.name)"
               " WHERE pg_has_role(c.relowner, 'USAGE') AND c.relpages < 4096"
               " AND pg_relation_size(c.oid) / current_setting('block_size')::int"
               " > greatest(4, 2 * c.relpages)"
               " ORDER BY t.name";
    }();
    return text;
}
}  // namespace

drogon::Task<std::vector<std::string>> PlannerStatistics::refresh()
{
    const drogon::orm::Result grown = co_await execute(writer_, &grownText());
    std::vector<std::string> refreshed;
    for (const auto &row : grown)
    {
        const auto statement = statements().find(row[0].as<std::string>());
        co_await execute(writer_, &statement->second);
        refreshed.push_back(statement->first);
    }
    co_return refreshed;
}
}  // namespace relayer::models
