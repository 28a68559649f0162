#include "models/migrator.h"

#include "core/bytes.h"
#include "core/content_hash.h"

#include <algorithm>
#include <array>
#include <libpq-fe.h>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace relayer::models
{
namespace
{
using Outcome = MigrationReport::Outcome;
using ResultPtr = std::unique_ptr<PGresult, decltype(&PQclear)>;

// Any fixed number does, as long as every version of this program uses the same.
constexpr std::string_view kLock = "SELECT pg_advisory_lock(7205759403792793)";

// A connection that reports errors without where it is connected to.
class Session
{
  public:
    explicit Session(const std::string &connection)
        : connection_(PQconnectdb(connection.c_str()), &PQfinish)
    {}

    [[nodiscard]] bool connected() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

    // An empty optional is an error; lastError() tells.
    std::optional<ResultPtr> run(const std::string &sql,
                                 const std::vector<std::string> &parameters = {})
    {
        std::vector<const char *> values;
        values.reserve(parameters.size());
        for (const std::string &parameter : parameters)
        {
            values.push_back(parameter.c_str());
        }
        // Without parameters the simple protocol is used, which takes a whole script.
        ResultPtr result(parameters.empty() ? PQexec(connection_.get(), sql.c_str())
                                            : PQexecParams(connection_.get(), sql.c_str(),
                                                           static_cast<int>(values.size()), nullptr,
                                                           values.data(), nullptr, nullptr, 0),
                         &PQclear);
        const ExecStatusType status = PQresultStatus(result.get());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        {
            const char *state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
            const char *text = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
            state_ = state == nullptr ? "" : state;
            lastError_ = std::string(text == nullptr ? "the connection was lost" : text) +
                         (state == nullptr ? "" : std::string(" (SQLSTATE ") + state + ")");
            return std::nullopt;
        }
        return result;
    }

    [[nodiscard]] const std::string &lastError() const { return lastError_; }
    // Whether the last error says something about the server's hour rather than about us: the
    // connection broke, it stops, it is full or read-only, or others were in the way.
    [[nodiscard]] bool mayPass() const
    {
        static constexpr std::array<std::string_view, 6> kClasses = {"08", "40", "53",
                                                                     "55", "57", "58"};
        constexpr std::string_view kReadOnly = "25006";
        return state_.empty() || state_ == kReadOnly ||
               std::ranges::find(kClasses, state_.substr(0, 2)) != kClasses.end();
    }

    // The connection's own text names host and user; the reason stands behind the last of these
    // words.
    [[nodiscard]] std::string whyNotConnected() const
    {
        const std::string_view text = PQerrorMessage(connection_.get());
        for (const std::string_view mark : {"FATAL:  ", "failed: "})
        {
            const auto at = text.rfind(mark);
            if (at != std::string_view::npos)
            {
                const auto reason = text.substr(at + mark.size());
                return std::string(reason.substr(0, reason.find('\n')));
            }
        }
        return "no connection";
    }

  private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    std::string lastError_;
    std::string state_;  // the SQLSTATE, if the server said one
};

std::string label(const Migration &migration)
{
    const std::string number = std::to_string(migration.version);
    return std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number + "_" +
           migration.name;
}

MigrationReport refused(std::string message)
{
    return {Outcome::Refused, std::move(message), {}};
}

MigrationReport failed(const Session &session, std::string message)
{
    return {session.mayPass() ? Outcome::Unreachable : Outcome::Refused, std::move(message), {}};
}

// Version to checksum of what the database has; an empty optional is an error.
std::optional<std::map<int, std::string>> recorded(Session &session)
{
    const auto rows = session.run("SELECT version, checksum FROM schema_migration");
    if (!rows)
    {
        return std::nullopt;
    }
    std::map<int, std::string> known;
    for (int i = 0; i < PQntuples(rows->get()); ++i)
    {
        known[std::stoi(PQgetvalue(rows->get(), i, 0))] = PQgetvalue(rows->get(), i, 1);
    }
    return known;
}

// What speaks against this program working on a database with these migrations; empty if nothing
// does.
std::string disagreement(const std::map<int, std::string> &known,
                         const std::vector<Migration> &migrations)
{
    std::map<int, const Migration *> ours;
    for (const Migration &migration : migrations)
    {
        ours[migration.version] = &migration;
    }
    for (const auto &[version, checksum] : known)
    {
        const auto found = ours.find(version);
        if (found == ours.end())
        {
            return "the database has migration " + std::to_string(version) +
                   ", which this program does not know: it was written by a newer version; "
                   "upgrade the program";
        }
        if (checksum != checksumOf(*found->second))
        {
            return "migration " + label(*found->second) +
                   " was changed after it was applied to this database";
        }
    }
    return {};
}

bool applyOne(Session &session, const Migration &migration)
{
    return session.run("BEGIN") && session.run(migration.sql) &&
           session.run(
               "INSERT INTO schema_migration (version, name, checksum)"
               " VALUES ($1::int, $2, $3)",
               {std::to_string(migration.version), migration.name, checksumOf(migration)}) &&
           session.run("COMMIT");
}

MigrationReport applyMissing(Session &session, const std::map<int, std::string> &known,
                             const std::vector<Migration> &migrations, bool apply)
{
    MigrationReport report{Outcome::UpToDate, "the schema is up to date", {}};
    for (const Migration &migration : migrations)
    {
        if (known.contains(migration.version))
        {
            continue;
        }
        if (!apply)
        {
            return {
                Outcome::Pending, "migration " + label(migration) + " has not been applied", {}};
        }
        const auto start = std::chrono::steady_clock::now();
        if (!applyOne(session, migration))
        {
            MigrationReport failure =
                failed(session, "migration " + label(migration) +
                                    " failed: " + session.lastError() + "; nothing of it was kept");
            session.run("ROLLBACK");
            failure.applied = report.applied;
            return failure;
        }
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - start);
        report.applied.push_back(label(migration) + " (" + std::to_string(took.count()) + " ms)");
    }
    return report;
}
}  // namespace

std::string checksumOf(const Migration &migration)
{
    return core::toHex(core::ContentHasher().text(migration.sql).finish());
}

MigrationReport migrate(const std::string &connection, const std::vector<Migration> &migrations,
                        bool apply)
{
    Session session(connection);
    if (!session.connected())
    {
        return {Outcome::Unreachable, session.whyNotConnected(), {}};
    }
    // Waiting for another instance's migrations, and a long migration itself, may take their time.
    if (!session.run("SET statement_timeout = 0; SET client_min_messages = warning") ||
        !session.run(std::string(kLock)))
    {
        return {Outcome::Unreachable, session.lastError(), {}};
    }
    const bool haveTable =
        apply ? session
                    .run(
                        "CREATE TABLE IF NOT EXISTS schema_migration (version integer PRIMARY KEY,"
                        " name text NOT NULL, checksum text NOT NULL,"
                        " applied_at timestamptz NOT NULL DEFAULT now())")
                    .has_value()
              : true;
    const auto known = haveTable ? recorded(session) : std::nullopt;
    if (!known)
    {
        return apply || session.mayPass()
                   ? failed(session,
                            "the record of migrations can not be read: " + session.lastError())
                   : MigrationReport{Outcome::Pending, "no migration has been applied", {}};
    }
    const std::string why = disagreement(*known, migrations);
    if (!why.empty())
    {
        return refused(why);
    }
    return applyMissing(session, *known, migrations, apply);
}
}  // namespace relayer::models
