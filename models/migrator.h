// Brings a database to the schema of this program, or says why not. Runs before anything else uses
// the database, on a connection of its own: a session lock lets one of several starting instances
// do the work while the others wait and then find it done.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace relayer::models
{
struct Migration
{
    int version;
    std::string name;
    std::string sql;
};

// migrations/*.sql, compiled into the program, in order.
[[nodiscard]] const std::vector<Migration> &embeddedMigrations();

// What is recorded beside a migration that was applied: SHA-256 of its text.
[[nodiscard]] std::string checksumOf(const Migration &migration);

struct MigrationReport
{
    enum class Outcome
    {
        UpToDate,     // the schema is the program's (migrations may have been applied just now)
        Unreachable,  // no connection, or none that can be worked with now (the server stops, is
                      // full or read-only): worth trying again
        Pending,      // migrations are missing and were not to be applied
        Refused,      // the database is newer than the program, or a migration changed after it was
                      // applied, or one failed: an operator must look
    };
    Outcome outcome = Outcome::Unreachable;
    std::string message;               // for the log: no address, no password
    std::vector<std::string> applied;  // "0003_name (12 ms)"
};

// `connection` is a libpq keyword string to PostgreSQL itself, not to a pooler: the lock belongs to
// the session. Blocks; never call it on an event loop.
[[nodiscard]] MigrationReport migrate(const std::string &connection,
                                      const std::vector<Migration> &migrations, bool apply = true);
}  // namespace relayer::models
