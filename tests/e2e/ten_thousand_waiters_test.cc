// Ten thousand clients that wait for a job each, through the real program: what they cost while
// nothing happens, and how soon they know when something does.
#include "e2e/requests.h"
#include "support/eventually.h"
#include "support/many_clients.h"
#include "support/private_postgres.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace relayer::test
{
namespace
{
using Clock = ManyClients::Clock;
using std::chrono::seconds;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::size_t kClients = 10'000;
constexpr std::size_t kAlone = 200;
constexpr seconds kIdle{6};
constexpr seconds kPatience{60};

// A database that counts statements, with a job for each client.
class CountingDatabase
{
  public:
    CountingDatabase()
    {
        run("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'");
        postgres_.stop();
        postgres_.start();
        run("CREATE EXTENSION pg_stat_statements");
    }

    void makeJobs()
    {
        run("WITH made AS (INSERT INTO request (job_id, kind, status, content_hash, payload,"
            " ticket)"
            " SELECT gen_random_uuid(), 'input_proof', 'processing',"
            " sha256(convert_to(i::text, 'UTF8')), ''::bytea, nextval('request_ticket_seq')"
            " FROM generate_series(1, " +
            std::to_string(kClients) +
            ") i RETURNING kind, ticket, id)"
            " INSERT INTO live_request (kind, ticket, request_id)"
            " SELECT kind, ticket, id FROM made");
        for (const auto &row : postgres_.query("SELECT id, job_id FROM request ORDER BY id"))
        {
            ids_.push_back(row.at(0));
            paths_.push_back(std::string(kInputProof) + "/" + row.at(1) + "?wait=60");
        }
    }

    void moveAll(const std::string &status)
    {
        run("UPDATE request SET status = '" + status +
            "', status_at = now(); SELECT pg_notify('relayer_status', '999999:*')");
    }
    void moveOne(std::size_t job, const std::string &status)
    {
        run("UPDATE request SET status = '" + status + "', status_at = now()" + " WHERE id = " +
            ids_.at(job) + "; SELECT pg_notify('relayer_status', '999999:" + ids_.at(job) + "')");
    }

    // Statements so far; not those of this test.
    [[nodiscard]] long calls(const std::string &like = "%") const { return sumOf("calls", like); }
    // Jobs that polls have read; those that come together share a statement.
    [[nodiscard]] long polled() const { return sumOf("rows", "%r.job_id = i.key%"); }
    [[nodiscard]] const std::string &url() const { return postgres_.url(); }
    [[nodiscard]] const std::string &path(std::size_t job) const { return paths_.at(job); }

  private:
    [[nodiscard]] long sumOf(const std::string &column, const std::string &like) const
    {
        const auto rows = postgres_.query(
            "SELECT coalesce(sum(" + column + "), 0) FROM pg_stat_statements WHERE query LIKE '" +
            like + "' AND query NOT LIKE '%pg_stat_statements%' AND query NOT LIKE '%999999%'");
        return std::stol(rows.at(0).at(0));
    }
    void run(const std::string &sql) { static_cast<void>(postgres_.query(sql)); }

    PrivatePostgres postgres_;
    std::vector<std::string> ids_;
    std::vector<std::string> paths_;
};

void askAll(ManyClients &clients, const CountingDatabase &database)
{
    for (std::size_t i = 0; i < kClients; ++i)
    {
        clients.ask(i, database.path(i));
    }
}

// A window in which nothing is answered; returns the statements of it in a second.
double statementsWhileNothingHappens(ManyClients &clients, const CountingDatabase &database)
{
    const auto begin = Clock::now();
    const long before = database.calls();
    EXPECT_EQ(clients.answers(1, kIdle).size(), 0U) << "somebody was not held";
    const long after = database.calls();
    return static_cast<double>(after - before) /
           std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Latencies
{
    double median = 0;
    double p99 = 0;
    double most = 0;
};

Latencies latenciesOf(std::vector<double> millis)
{
    std::sort(millis.begin(), millis.end());
    const auto at = [&](double share) {
        const auto place = static_cast<double>(millis.size() - 1) * share;
        return millis.at(static_cast<std::size_t>(place));
    };
    return {at(0.5), at(0.99), at(1)};
}

Latencies wakeOneByOne(ManyClients &clients, CountingDatabase &database)
{
    std::vector<double> millis;
    for (std::size_t job = 0; job < kAlone; ++job)
    {
        const auto begin = Clock::now();
        database.moveOne(job, "tx_in_flight");
        const auto answers = clients.answers(1, kPatience);
        if (answers.size() != 1 || answers.front().client != job)
        {
            ADD_FAILURE() << "another than the one whose job moved was answered, or none";
            break;
        }
        millis.push_back(Milliseconds(answers.front().at - begin).count());
        clients.ask(job, database.path(job));
    }
    return latenciesOf(std::move(millis));
}

Latencies wakeAll(ManyClients &clients, CountingDatabase &database)
{
    database.moveAll("receipt_received");
    const auto begin = Clock::now();
    std::vector<double> millis;
    for (const auto &answer : clients.answers(kClients, kPatience))
    {
        EXPECT_EQ(answer.status, 202);
        EXPECT_NE(answer.body.find(R"("state":"receipt_received")"), std::string::npos);
        millis.push_back(std::max(0.0, Milliseconds(answer.at - begin).count()));
    }
    EXPECT_EQ(millis.size(), kClients);
    return millis.empty() ? Latencies{} : latenciesOf(std::move(millis));
}
}  // namespace

TEST(TenThousandWaiters, CostNoStatementsWhileNothingHappensAndAreWokenAtOnce)
{
    RELAYER_NEEDS_SERVER();
    if (!ManyClients::allowed(kClients))
    {
        GTEST_SKIP() << "this process may not have " << kClients << " connections (ulimit -Hn)";
    }
    CountingDatabase database;
    ServerOptions options = onDatabase(database.url(), "one", "warn");
    options.environment["RELAYER_HTTP__LONG_POLL__MAX_WAIT"] = "1m";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    database.makeJobs();
    // Its queues are looked at often as soon as there is something in them.
    ASSERT_TRUE(eventually([&] { return database.calls("%min(q.ticket)%") > 5; }));

    ManyClients clients(server.port(), kClients);
    const double aloneEachSecond = statementsWhileNothingHappens(clients, database);
    const std::size_t connectedKiB = server.residentKiB();

    const long polls = database.polled();
    const auto asked = Clock::now();
    askAll(clients, database);
    while (database.polled() < polls + static_cast<long>(kClients) &&
           Clock::now() < asked + kPatience)
    {
        ASSERT_EQ(clients.answers(1, std::chrono::milliseconds(20)).size(), 0U);
    }
    const double heldEachSecond = statementsWhileNothingHappens(clients, database);
    const std::size_t heldKiB = server.residentKiB();

    const Latencies alone = wakeOneByOne(clients, database);
    const Latencies together = wakeAll(clients, database);
    const long pollsBefore = database.polled();
    askAll(clients, database);
    const double againEachSecond = statementsWhileNothingHappens(clients, database);
    const long pollsAgain = database.polled() - pollsBefore;

    std::printf(
        "long-poll, %zu clients: %.1f KiB for each that waits, beside its connection\n"
        "  statements a second: %.2f without them, %.2f while they wait; %ld reads when all came "
        "back, then %.2f\n"
        "  one job moves:  median %.1f ms, p99 %.1f ms, most %.1f ms (from before its commit)\n"
        "  all jobs move:  median %.0f ms, p99 %.0f ms, most %.0f ms (from behind the commit)\n",
        kClients, static_cast<double>(heldKiB - connectedKiB) / static_cast<double>(kClients),
        aloneEachSecond, heldEachSecond, pollsAgain, againEachSecond, alone.median, alone.p99,
        alone.most, together.median, together.p99, together.most);
    EXPECT_LT(heldEachSecond - aloneEachSecond, 1.0);
    EXPECT_LT(againEachSecond - aloneEachSecond, 1.0);
    EXPECT_LT(pollsAgain, static_cast<long>(kClients) / 10) << "who comes back is known still";
    // Generous: machines that test are busy.
    EXPECT_LT(alone.p99, 2000);
    EXPECT_LT(together.p99, 20000);
    EXPECT_LT((heldKiB - connectedKiB) / kClients, 64U);
}
}  // namespace relayer::test
