// A start after a crash with many requests that live, beside one with none in the same run, and the
// rows that it takes over beside one bare UPDATE of as many: when the first poll is answered, and
// when all that the dead process held has been given back.
//
// Exits with 1 when the first answer takes more than twice as long as with none.
// RELAYER_BENCH_FULL=1: ten times as many requests.
#include "bench/measure.h"
#include "bench/poll_jobs.h"
#include "bench/processes.h"
#include "support/http_client.h"
#include "support/server_process.h"
#include "support/test_database.h"

#include <trantor/utils/Logger.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace
{
using namespace relayer;
using namespace relayer::bench;

constexpr int kRounds = 3;
constexpr std::size_t kRows = 20'000;
constexpr double kTarget = 2;
constexpr std::chrono::seconds kPatience{120};

test::ServerOptions options(const test::TestDatabase &database)
{
    test::ServerOptions options = serverOptions(database, "recovering");
    options.environment["RELAYER_LOG__LEVEL"] = "info";
    // Who takes over the name of one that is dead waits until it has been silent for a while.
    options.environment["RELAYER_INSTANCE__HEARTBEAT"] = "300ms";
    return options;
}

// Held by the process that is no more: a third each in the three statuses on the way to the chain.
void makeRows(const test::TestDatabase &database, std::size_t rows)
{
    database.query(
        "WITH made AS (INSERT INTO request (job_id, kind, status, content_hash, payload,"
        " gateway_id, ticket, owner)"
        " SELECT gen_random_uuid(), 'input_proof', (ARRAY['processing', 'tx_in_flight',"
        " 'receipt_received'])[1 + n % 3]::request_status,"
        " sha256(convert_to(n::text, 'UTF8')), decode(repeat('ab', 200), 'hex'),"
        " CASE WHEN n % 3 = 2 THEN sha256(convert_to('id ' || n, 'UTF8')) END,"
        " nextval('request_ticket_seq'), (SELECT epoch FROM instance)"
        " FROM generate_series(1, " +
        std::to_string(rows) +
        ") n RETURNING id, kind, ticket, gateway_id),"
        " referred AS (INSERT INTO gateway_reference (kind, gateway_id, request_id)"
        " SELECT kind, gateway_id, id FROM made WHERE gateway_id IS NOT NULL)"
        " INSERT INTO live_request (kind, ticket, request_id) SELECT kind, ticket, id FROM made");
    database.query("ANALYZE");
}

struct Start
{
    double firstAnswerMs = 0;
    double recoveredMs = 0;
    double mostMebibytes = 0;
};

Start startAfterACrash(const test::TestDatabase &database, std::size_t rows)
{
    emptyTables(database);
    {
        test::ServerProcess first(options(database));
        if (!first.becomesHealthy() || !first.printed("step=enrolled"))
        {
            throw std::runtime_error("the server did not start\n" + first.output());
        }
        first.kill(SIGKILL);
        static_cast<void>(first.exitCode());
    }
    makeRows(database, rows);
    const auto begin = Clock::now();
    test::ServerProcess server(options(database));
    test::HttpClient client(server.port());
    // A poll reads the database: 404 is as good an answer as any.
    const std::string path = std::string(kInputProof) + "/9b6a35ad-0b44-4a09-a5b7-7bbba91b3c1b";
    Start seen;
    for (int status = 0; status != 404;)
    {
        const auto reply = client.get(path);
        status = reply ? reply->status : 0;
        if (secondsSince(begin) > static_cast<double>(kPatience.count()))
        {
            throw std::runtime_error("no poll is answered\n" + server.output());
        }
    }
    seen.firstAnswerMs = 1000 * secondsSince(begin);
    // Said when all that the last start held is taken back.
    if (!server.printed("step=enrolled", kPatience))
    {
        throw std::runtime_error("it does not recover\n" + server.output());
    }
    seen.recoveredMs = 1000 * secondsSince(begin);
    seen.mostMebibytes = mebibytes(server.process(), "VmHWM");
    const std::string left = database.value(
        "SELECT count(*) FROM request WHERE owner <> (SELECT epoch FROM instance)"
        " OR status = 'tx_in_flight'");
    if (left != "0")
    {
        throw std::runtime_error(left + " rows are left behind");
    }
    return seen;
}

// All of them in one statement, which nothing else could use meanwhile.
double bareUpdateMs(const test::TestDatabase &database, std::size_t rows)
{
    emptyTables(database);
    makeRows(database, rows);
    const auto begin = Clock::now();
    database.query(
        "UPDATE request SET owner = NULL, status = CASE status WHEN 'tx_in_flight' THEN"
        " 'processing'::request_status ELSE status END, status_at = now()");
    return 1000 * secondsSince(begin);
}

struct Rounds
{
    std::vector<double> firstAnswer;
    std::vector<double> recovered;
    std::vector<double> memory;

    void add(const Start &one)
    {
        firstAnswer.push_back(one.firstAnswerMs);
        recovered.push_back(one.recoveredMs);
        memory.push_back(one.mostMebibytes);
    }
    void show(const std::string &who) const
    {
        std::printf(
            "  %-22s first answer after %6.0f ms, all recovered after %6.0f ms, at most "
            "%5.1f MiB\n",
            who.c_str(), median(firstAnswer), median(recovered), median(memory));
    }
};

int run(std::size_t rows)
{
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    const test::TestDatabase database;
    Rounds none;
    Rounds many;
    std::vector<double> updates;
    for (int round = 0; round < kRounds; ++round)
    {
        none.add(startAfterACrash(database, 0));
        many.add(startAfterACrash(database, rows));
        updates.push_back(bareUpdateMs(database, rows));
    }
    const std::string what = std::to_string(rows) + " live requests";
    std::printf("a start after a crash, %d rounds, in turn\n", kRounds);
    none.show("none");
    many.show(what);
    std::printf("  one UPDATE of as many rows: %.0f ms\n", median(updates));
    const double ratio = median(many.firstAnswer) / median(none.firstAnswer);
    std::printf("  first answer: ratio %.2f, at most %.1f%s\n", ratio, kTarget,
                ratio <= kTarget ? "" : "  ABOVE");
    const std::string section = "A start after a crash with " + what;
    record({section, "until the first answer", median(many.firstAnswer), "ms", "with none",
            median(none.firstAnswer), ratio, atMost(kTarget)});
    record({section, "until all is recovered", median(many.recovered), "ms", "with none",
            median(none.recovered), median(many.recovered) / median(none.recovered)});
    const double longer = median(many.recovered) - median(none.recovered);
    record({section, "what the requests add to it", longer, "ms", "one UPDATE of as many rows",
            median(updates), longer / median(updates)});
    record({section, "memory, at most", median(many.memory), "MiB", "with none",
            median(none.memory), median(many.memory) / median(none.memory)});
    return ratio <= kTarget ? 0 : 1;
}
}  // namespace

int main()
{
    return relayer::bench::exitCodeOf([&] { return run(fullSize() ? 10 * kRows : kRows); });
}
