// Whether a statement that was started waits for a row which the test's own session has locked.
#pragma once

#include "support/test_database.h"

#include <chrono>
#include <future>

namespace relayer::test
{
// Comes back when it waits, or has ended, or a minute is over.
template <typename Value>
bool waitsForALock(const TestDatabase &database, const std::future<Value> &statement)
{
    const auto waits = [&] {
        database.query("SELECT pg_stat_clear_snapshot()");
        return database.value(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                   " AND datname = current_database()") == "1";
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (statement.wait_for(std::chrono::seconds(0)) != std::future_status::ready &&
           std::chrono::steady_clock::now() < deadline)
    {
        if (waits())
        {
            return true;
        }
    }
    return false;
}
}  // namespace relayer::test
