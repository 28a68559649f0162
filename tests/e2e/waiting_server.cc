#include "e2e/waiting_server.h"

#include "support/eventually.h"

#include <chrono>

namespace relayer::test
{
void WaitingServer::SetUp()
{
    RELAYER_NEEDS_SERVER();
    database_ = std::make_unique<TestDatabase>(TestDatabase::Schema::Empty);
}

void WaitingServer::TearDown()
{
    server_.reset();
    database_.reset();
}

void WaitingServer::serve(const std::map<std::string, std::string> &environment)
{
    ServerOptions options = onDatabase(database_->url());
    options.environment.insert(environment.begin(), environment.end());
    server_ = std::make_unique<ServerProcess>(options);
    ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
}

WaitingServer::PostedJob WaitingServer::postJob()
{
    const auto reply = HttpClient(server_->port()).post(kInputProof, proofBody(next_++).text());
    PostedJob job;
    job.id = reply.value().json()["result"]["jobId"].asString();
    job.path = std::string(kInputProof) + "/" + job.id;
    return job;
}

void WaitingServer::moveTo(const PostedJob &job, const std::string &status)
{
    // Ahead of time, so that it has been so for 0 seconds, however busy the machine is.
    database_->query("UPDATE request SET status = '" + status +
                     "', status_at = now() + interval '1 hour' WHERE job_id = '" + job.id + "'");
}

void WaitingServer::reject(const PostedJob &job)
{
    database_->query(
        "WITH ended AS (UPDATE request SET status = 'failure', status_at = now(), live = false,"
        " accepted = false, error_code = 'proof_rejected' WHERE job_id = '" +
        job.id +
        "' RETURNING kind, ticket) DELETE FROM live_request l USING ended e"
        " WHERE l.kind = e.kind AND l.ticket = e.ticket");
}

void WaitingServer::notice(const PostedJob &job)
{
    database_->query(
        "SELECT pg_notify('relayer_status', '999999:' || id) FROM request"
        " WHERE job_id = '" +
        job.id + "'");
}

std::string WaitingServer::moment() const
{
    return database_->value("SELECT clock_timestamp()::text");
}

void WaitingServer::awaitReadSince(const std::string &moment) const
{
    const std::string count =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND query LIKE '%LEFT JOIN gateway_answer%'"
        " AND query LIKE '%r.job_id = i.key%' AND state = 'idle' AND query_start > '" +
        moment + "'";
    ASSERT_TRUE(eventually([&] { return database_->value(count) != "0"; }))
        << "the poll never read its job";
}
}  // namespace relayer::test
