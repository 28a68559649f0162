// What a client gets over HTTP, beside what the machine could give: accepting input proofs beside
// pgbench inserting the same rows with the same durability, and beside our own server with one row
// for each commit; polls beside a route of Drogon's that makes the same select, and beside one that
// does nothing at all.
//
// Client, servers and PostgreSQL share the machine. Each round runs those that are compared in
// turn, so that a slow minute hits all; ratios are medians over the rounds. Exits with 1 when one
// is below its target; with 64 connections, where a commit has few to share it, accepting is shown
// and not judged.
#include "bench/bare_server.h"
#include "bench/http_load.h"
#include "bench/http_sides.h"
#include "bench/measure.h"
#include "bench/poll_jobs.h"
#include "support/http_client.h"
#include "support/loopback.h"
#include "support/server_process.h"
#include "support/test_store.h"

#include <trantor/utils/Logger.h>

#include <array>
#include <cstdio>
#include <random>
#include <sstream>
#include <thread>

namespace
{
using namespace relayer;
using namespace relayer::bench;

constexpr int kRounds = 3;
constexpr int kPgConnections = 8;
constexpr std::size_t kJudged = 256;  // connections

// Targets of the ratios.
constexpr double kToPgbench = 1.5;
constexpr double kToSingle = 2.5;
constexpr double kToSelect = 0.8;
constexpr double kToBare = 0.6;

// The same row as a post makes, the same table, the same indexes.
std::string insertOne()
{
    return "WITH fresh AS (INSERT INTO request"
           " (job_id, kind, status, content_hash, payload, ticket) VALUES"
           " (gen_random_uuid(), 'input_proof', 'processing',"
           " sha256(gen_random_uuid()::text::bytea), decode(repeat('ab', " +
           std::to_string(payloadBytes()) +
           "), 'hex'), nextval('request_ticket_seq'))"
           " ON CONFLICT (kind, content_hash) WHERE dedup DO NOTHING RETURNING id, kind, ticket)"
           " INSERT INTO live_request (kind, ticket, request_id) SELECT kind, ticket, id FROM"
           " fresh;\n";
}

// What a poll has to read, as one who writes a route for it would ask: by key, one at a time.
const std::string kSelect =
    "SELECT r.id, r.job_id, r.kind, r.status, r.accepted, r.gateway_id, r.error_code,"
    " r.error_detail, r.resolved_threshold, r.ticket, r.owner,"
    " extract(epoch FROM now() - r.status_at), a.result FROM request r"
    " LEFT JOIN gateway_answer a ON NOT r.live AND a.kind = r.kind AND a.gateway_id = r.gateway_id"
    " WHERE r.job_id = $1::uuid";

test::ServerOptions oneRowForEachCommit(const test::TestDatabase &database)
{
    test::ServerOptions options = serverOptions(database, "one-by-one");
    options.environment["RELAYER_ADMISSION__MAX_BATCH_ROWS"] = "1";
    options.environment["RELAYER_ADMISSION__IN_FLIGHT"] = std::to_string(kPgConnections);
    options.environment["RELAYER_DATABASE__WRITE_CONNECTIONS"] = std::to_string(kPgConnections);
    return options;
}

bool answers(std::uint16_t port)
{
    const auto deadline = bench::Clock::now() + std::chrono::seconds(30);
    while (bench::Clock::now() < deadline)
    {
        const auto reply = test::HttpClient(port).get("/bare/1");
        if (reply && reply->status == 200)
        {
            return true;
        }
        constexpr std::chrono::milliseconds kPause(20);
        std::this_thread::sleep_for(kPause);
    }
    return false;
}

struct Servers
{
    Server ours;
    Server oneByOne;
    Server bare;
};

bool accepting(const test::TestDatabase &database, const Servers &servers, std::size_t connections)
{
    const std::string path(kInputProof);
    const auto post = [&path](std::uint64_t number) { return postOf(path, number); };
    const auto empty = [&database] { emptyTables(database); };
    Side ours(servers.ours, connections);
    Side oneByOne(servers.oneByOne, connections);
    Side bare(servers.bare, connections);
    Series mine;
    Series single;
    Series idle;
    std::vector<double> inserts;
    std::vector<double> insertMs;
    std::vector<double> toPgbench;
    std::vector<double> toSingle;
    for (int round = 0; round < kRounds; ++round)
    {
        empty();
        double average = 0;
        inserts.push_back(bench::pgbench(database.url(), insertOne(), kPgConnections,
                                         static_cast<int>(kTime.count()), &average));
        insertMs.push_back(average);
        empty();
        const double one = oneByOne.run(post, 202, single);
        empty();
        const double all = ours.run(post, 202, mine);
        bare.run([](std::uint64_t number) { return postOf("/bare", number); }, 202, idle);
        toPgbench.push_back(all / inserts.back());
        toSingle.push_back(all / one);
    }
    std::printf("POST %s, %zu bytes, %zu connections\n", path.c_str(), kBody, connections);
    print("accepted", mine);
    print("with one row for each commit", single);
    print("a bare route of Drogon's", idle);
    std::printf("  %-34s %8.0f/s   average %6.2f ms\n", "pgbench, 8 connections, inserts",
                bench::median(inserts), bench::median(insertMs));
    const bool judged = connections >= kJudged;
    const std::string section = "Accepting, " + std::to_string(connections) + " connections";
    recordRates(section, "POST accepted", mine, "pgbench inserting the row", bench::median(inserts),
                toPgbench, judged ? kToPgbench : 0);
    recordRates(section, "POST accepted", mine, "one row for each commit",
                bench::median(single.perSecond), toSingle, judged ? kToSingle : 0);
    recordLatency(section, "POST accepted", mine, "one row for each commit", single);
    const bool first = verdict("pgbench", toPgbench, kToPgbench);
    return verdict("one row for each commit", toSingle, kToSingle) && first;
}

bool polling(const test::TestDatabase &database, const Servers &servers, const Jobs &jobs,
             std::size_t connections)
{
    const std::string path(kInputProof);
    Side ours(servers.ours, connections);
    Side bare(servers.bare, connections);
    Series live;
    Series ended;
    Series select;
    Series idle;
    std::vector<double> selects;
    std::vector<double> toSelect;
    std::vector<double> toBare;
    std::string script = kSelect;
    script.replace(script.find("$1"), 2, "'" + jobs.live.front() + "'");
    for (int round = 0; round < kRounds; ++round)
    {
        selects.push_back(bench::pgbench(database.url(), script + ";\n", kPgConnections,
                                         static_cast<int>(kTime.count()), nullptr));
        const double same = bare.run(anyOf("/select", jobs.live), 202, select);
        const double waits = ours.run(anyOf(path, jobs.live), 202, live);
        const double nothing = bare.run(anyOf("/bare", jobs.ended), 200, idle);
        const double done = ours.run(anyOf(path, jobs.ended), 200, ended);
        toSelect.push_back(waits / same);
        toBare.push_back(done / nothing);
    }
    std::printf("GET %s/…, %zu connections\n", path.c_str(), connections);
    print("a job that lives", live);
    print("a route with the same select", select);
    print("a job that has ended", ended);
    print("a bare route of Drogon's", idle);
    std::printf("  %-34s %8.0f/s\n", "pgbench, 8 connections, selects", bench::median(selects));
    const std::string section = "Polling, " + std::to_string(connections) + " connections";
    recordRates(section, "GET of a live job", live, "a route with the same select",
                bench::median(select.perSecond), toSelect, kToSelect);
    recordLatency(section, "GET of a live job", live, "a route with the same select", select);
    recordRates(section, "GET of an ended job", ended, "a bare route of Drogon's",
                bench::median(idle.perSecond), toBare, kToBare);
    recordLatency(section, "GET of an ended job", ended, "a bare route of Drogon's", idle);
    const bool first = verdict("the same select", toSelect, kToSelect);
    return verdict("the bare route", toBare, kToBare) && first;
}

// One part only: accept or poll.
int run(const std::string &only)
{
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    const test::TestDatabase database;
    Servers servers;
    servers.bare.port = test::freePort();
    const std::string accepted = std::string(R"({"status":"queued","requestId":")") +
                                 std::string(36, 'a') + R"(","result":{"jobId":")" +
                                 std::string(36, 'b') + R"("},"job_id":")" + std::string(36, 'b') +
                                 R"(","eta_seconds":3})";
    // As long as the answer to a proof of two handles and three signatures.
    const std::string answer = R"({"status":"succeeded","requestId":")" + std::string(36, 'a') +
                               R"(","result":")" + std::string(600, 'c') + "\"}";
    const bench::BareServer bareServer({.port = servers.bare.port,
                                        .threads = std::thread::hardware_concurrency(),
                                        .database = database.connection(),
                                        .select = kSelect,
                                        .answer = answer,
                                        .accepted = accepted});
    test::TestStore store(database);
    test::ServerProcess ours(serverOptions(database, "ours"));
    test::ServerProcess oneByOne(oneRowForEachCommit(database));
    if (!ours.becomesHealthy() || !oneByOne.becomesHealthy() || !answers(servers.bare.port))
    {
        std::cerr << "a server did not start\n" << ours.output() << oneByOne.output();
        return 1;
    }
    servers.ours = {ours.port(), ours.process()};
    servers.oneByOne = {oneByOne.port(), oneByOne.process()};
    servers.bare.process = bareServer.process();
    std::cout << "fsync " << database.value("SHOW fsync") << ", synchronous_commit "
              << database.value("SHOW synchronous_commit") << ", PostgreSQL "
              << database.value("SHOW server_version") << ", " << kRounds << " rounds of "
              << kTime.count() << " s each, in turn\n"
              << std::flush;
    bool good = true;
    for (const std::size_t connections : {std::size_t{64}, std::size_t{256}})
    {
        const bool reached = only == "poll" || accepting(database, servers, connections);
        good = (reached || connections < kJudged) && good;
    }
    if (only == "accept")
    {
        return good ? 0 : 1;
    }
    const Jobs jobs = fill(database, store);
    good = polling(database, servers, jobs, 64) && good;
    return good ? 0 : 1;
}
}  // namespace

int main(int argc, char **argv)
{
    return relayer::bench::exitCodeOf([&] { return run(argc > 1 ? argv[1] : ""); });
}
