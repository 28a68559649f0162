#include "support/test_database.h"

#include "models/connection_info.h"
#include "models/migrator.h"
#include "support/loopback.h"

#include <atomic>
#include <cstdlib>
#include <libpq-fe.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace relayer::test
{
namespace
{
std::string serverUrl()
{
    const char *url = std::getenv("RELAYER_TEST_DATABASE_URL");
    return url == nullptr ? "" : url;
}

// The same server, another database: the path of the URI is replaced.
std::string withDatabase(const std::string &url, const std::string &name)
{
    const auto authority = url.find("//") + 2;
    const auto path = url.find('/', authority);
    const auto query = url.find('?', authority);
    const std::string head = url.substr(0, std::min(path, query));
    return head + "/" + name + (query == std::string::npos ? "" : url.substr(query));
}

using ConnectionPtr = std::unique_ptr<PGconn, decltype(&PQfinish)>;

ConnectionPtr connect(const std::string &url)
{
    ConnectionPtr connection(PQconnectdb(url.c_str()), &PQfinish);
    PQsetNoticeProcessor(connection.get(), [](void *, const char *) {}, nullptr);
    return connection;
}

TestDatabase::Rows run(PGconn *connection, const std::string &sql)
{
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection, sql.c_str()),
                                                               &PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    {
        throw std::runtime_error(PQerrorMessage(connection));
    }
    TestDatabase::Rows rows;
    for (int i = 0; i < PQntuples(result.get()); ++i)
    {
        auto &row = rows.emplace_back();
        for (int j = 0; j < PQnfields(result.get()); ++j)
        {
            const bool null = PQgetisnull(result.get(), i, j) == 1;
            row.emplace_back(null ? "NULL" : PQgetvalue(result.get(), i, j));
        }
    }
    return rows;
}

TestDatabase::Rows run(const std::string &url, const std::string &sql)
{
    return run(connect(url).get(), sql);
}

std::string connectionTo(const std::string &url)
{
    models::ConnectionSettings settings;
    settings.url = url;
    settings.statementTimeout = std::chrono::seconds(30);
    return models::connectionString(settings).value();
}

void migrateTo(const std::string &url)
{
    const auto report = models::migrate(connectionTo(url), models::embeddedMigrations());
    if (report.outcome != models::MigrationReport::Outcome::UpToDate)
    {
        throw std::runtime_error(report.message);
    }
}

// Made by the first test of a process that needs it, dropped when the process ends.
class Template
{
  public:
    static const std::string &name()
    {
        static Template made;
        return made.name_;
    }

  private:
    Template() : name_("template_" + std::to_string(getpid()))
    {
        run(serverUrl(), "DROP DATABASE IF EXISTS " + name_);
        run(serverUrl(), "CREATE DATABASE " + name_);
        migrateTo(withDatabase(serverUrl(), name_));
    }
    ~Template() { run(serverUrl(), "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)"); }

    std::string name_;
};
}  // namespace

std::optional<std::string> whyNoServer()
{
    if (serverUrl().empty())
    {
        return "no PostgreSQL: RELAYER_TEST_DATABASE_URL is not set (./test starts one)";
    }
    return std::nullopt;
}

struct TestDatabase::Session
{
    std::mutex mutex;
    ConnectionPtr connection{nullptr, &PQfinish};
};

TestDatabase::TestDatabase(Schema schema) : TestDatabase(serverUrl(), schema) {}

TestDatabase::TestDatabase(const std::string &server) : TestDatabase(server, Schema::Empty) {}

TestDatabase::TestDatabase(std::string server, Schema schema)
    : server_(std::move(server)), session_(std::make_unique<Session>())
{
    static std::atomic<int> next{0};
    name_ = "test_" + std::to_string(getpid()) + "_" + std::to_string(next++);
    run(server_, "DROP DATABASE IF EXISTS " + name_);
    run(server_, "CREATE DATABASE " + name_ +
                     (schema == Schema::Migrated ? " TEMPLATE " + Template::name() : ""));
    url_ = withDatabase(server_, name_);
}

TestDatabase::~TestDatabase()
{
    try
    {
        run(server_, "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
    }
    catch (const std::exception &)
    {
        // The server was stopped by the test; it goes with its folder.
    }
}

void TestDatabase::migrate() const
{
    migrateTo(url_);
}

std::string TestDatabase::connection() const
{
    return connectionTo(url_);
}

std::string TestDatabase::connectionThrough(std::uint16_t port) const
{
    return connectionTo(throughPort(url_, port));
}

TestDatabase::Rows TestDatabase::query(const std::string &sql) const
{
    const std::lock_guard lock(session_->mutex);
    if (PQstatus(session_->connection.get()) == CONNECTION_OK)
    {
        try
        {
            return run(session_->connection.get(), sql);
        }
        catch (const std::runtime_error &)
        {
            // The test may have ended the server, or this backend, since the last question.
            if (PQstatus(session_->connection.get()) == CONNECTION_OK)
            {
                throw;
            }
        }
    }
    session_->connection = connect(url_);
    return run(session_->connection.get(), sql);
}

std::string TestDatabase::value(const std::string &sql) const
{
    return query(sql).at(0).at(0);
}
}  // namespace relayer::test
