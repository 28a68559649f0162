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
#include "bench/measure.h"
#include "core/input_proof.h"
#include "models/request_sql.h"
#include "support/await.h"
#include "support/http_client.h"
#include "support/server_process.h"
#include "support/test_store.h"
#include "wire/input_proof_result.h"

#include <trantor/utils/Logger.h>

#include <array>
#include <cstdio>
#include <random>
#include <sstream>
#include <thread>

namespace
{
using namespace relayer;
using bench::HttpLoad;
using bench::HttpOutcome;

constexpr std::chrono::seconds kTime{3};
constexpr int kRounds = 3;
constexpr int kPgConnections = 8;
constexpr std::string_view kInputProof = "/v2/input-proof";
constexpr std::size_t kBody = 400;
constexpr std::size_t kJobs = 256;
constexpr std::size_t kJudged = 256;  // connections

// A proof of 400 bytes in all, another one for each number.
std::string ciphertext(std::uint64_t number, std::size_t length)
{
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
    return digits.data() + std::string(length - 16, 'c');
}

std::string bodyWith(const std::string &ciphertext)
{
    return R"({"contractChainId":"654321",)"
           R"("contractAddress":"0x1111111111111111111111111111111111111111",)"
           R"("userAddress":"0x2222222222222222222222222222222222222222",)"
           R"("ciphertextWithInputVerification":")" +
           ciphertext + R"(","extraData":"0x00"})";
}

std::size_t ciphertextLength()
{
    return (kBody - bodyWith("").size()) / 2 * 2;
}

std::string postOf(const std::string &path, std::uint64_t number)
{
    const std::string body = bodyWith(ciphertext(number, ciphertextLength()));
    return "POST " + path + " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n" +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string getOf(const std::string &path, const std::string &id)
{
    return "GET " + path + "/" + id + " HTTP/1.1\r\nHost: bench\r\n\r\n";
}

// Any of them, in an order that nobody can guess, and the same in each run.
HttpLoad::Request anyOf(const std::string &path, const std::vector<std::string> &ids)
{
    return [path, &ids, random = std::minstd_rand(7)](std::uint64_t) mutable {
        return getOf(path, ids.at(random() % ids.size()));
    };
}

std::size_t payloadBytes()
{
    core::InputProof row;
    row.ciphertextWithProof = core::Bytes(ciphertextLength() / 2);
    row.extraData = {0};
    return core::encodePayload(row).size();
}

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

core::Bytes resultOfAProof()
{
    wire::InputProofResult result;
    result.handles = {test::hash32(1), test::hash32(2)};
    result.signatures.assign(3, core::Bytes(65, 0x5a));
    return wire::encodeResult(result);
}

struct Jobs
{
    std::vector<std::string> live;
    std::vector<std::string> ended;
};

Jobs fill(const test::TestDatabase &database, test::TestStore &store)
{
    database.query("TRUNCATE request, live_request, gateway_reference, gateway_answer");
    Jobs jobs;
    for (std::uint64_t i = 0; i < 2 * kJobs; ++i)
    {
        models::NewRequest request = test::newRequest(core::Kind::InputProof, i, i);
        request.payload.resize(payloadBytes());
        const auto admitted = test::await(store->admit(std::move(request)));
        const bool ends = i % 2 == 1;
        (ends ? jobs.ended : jobs.live).push_back(admitted.jobId.text());
        if (!ends)
        {
            continue;
        }
        models::Step sent;
        sent.transition = core::Transition::MarkTxInFlight;
        sent.id = admitted.id;
        sent.txHash = test::hash32(i);
        test::await(store->apply(sent));
        const models::GatewayId id = test::hash32(i, 3);
        test::await(store->markReceiptReceived(admitted.id, std::nullopt, test::hash32(i), id,
                                               core::Kind::InputProof));
        models::Answer answer;
        answer.kind = core::Kind::InputProof;
        answer.gatewayId = id;
        answer.accepted = true;
        answer.result = resultOfAProof();
        if (!test::await(store->keepAnswer(std::move(answer))).ended)
        {
            throw std::runtime_error("a job did not end");
        }
    }
    database.query("VACUUM ANALYZE request, gateway_answer");
    return jobs;
}

test::ServerOptions serverOptions(const test::TestDatabase &database, const std::string &name)
{
    test::ServerOptions options;
    options.environment["RELAYER_DATABASE__URL"] = database.url();
    options.environment["RELAYER_INSTANCE__NAME"] = name;
    options.environment["RELAYER_LOG__LEVEL"] = "warn";
    options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__CAPACITY"] = "1000000";
    options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__SAFETY_MARGIN"] = "0";
    return options;
}

test::ServerOptions oneRowForEachCommit(const test::TestDatabase &database)
{
    test::ServerOptions options = serverOptions(database, "one-by-one");
    options.environment["RELAYER_ADMISSION__MAX_BATCH_ROWS"] = "1";
    options.environment["RELAYER_ADMISSION__IN_FLIGHT"] = std::to_string(kPgConnections);
    options.environment["RELAYER_DATABASE__WRITE_CONNECTIONS"] = std::to_string(kPgConnections);
    return options;
}

std::uint16_t freePort()
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    if (::bind(socket, reinterpret_cast<const sockaddr *>(&address), length) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr *>(&address), &length) != 0)
    {
        throw std::runtime_error("no free port");
    }
    ::close(socket);
    return ntohs(address.sin_port);
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

// Of a process, in seconds. On a busy machine it tells more than the clock.
double processorSeconds(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 3; i < 14; ++i)
    {
        fields >> skipped;
    }
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct Series
{
    std::vector<double> perSecond;
    std::vector<double> p50;
    std::vector<double> p99;
    std::vector<double> micros;  // of the server's processor, for each

    void add(const HttpOutcome &outcome, double seconds)
    {
        micros.push_back(1e6 * seconds / static_cast<double>(outcome.answers));
        perSecond.push_back(outcome.perSecond);
        p50.push_back(outcome.p50);
        p99.push_back(outcome.p99);
    }
};

void print(const char *what, const Series &series)
{
    std::printf("  %-34s %8.0f/s   p50 %6.2f ms   p99 %6.2f ms   %5.0f us of processor\n", what,
                bench::median(series.perSecond), bench::median(series.p50),
                bench::median(series.p99), bench::median(series.micros));
}

bool verdict(const char *what, const std::vector<double> &ratios, double target)
{
    const double ratio = bench::median(ratios);
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    std::printf("  ratio to %-28s %5.2f (%.2f to %.2f, at least %.1f)%s\n", what, ratio, *least,
                *most, target, ratio >= target ? "" : "  BELOW");
    std::fflush(stdout);
    return ratio >= target;
}

struct Server
{
    std::uint16_t port = 0;
    pid_t process = 0;
};

struct Servers
{
    Server ours;
    Server oneByOne;
    Server bare;
};

// A server and the connections to it.
class Side
{
  public:
    Side(const Server &server, std::size_t connections)
        : process_(server.process), load_(server.port, connections)
    {}

    double run(const HttpLoad::Request &request, int status, Series &series)
    {
        const double before = processorSeconds(process_);
        const HttpOutcome outcome = load_.run(request, status, kTime);
        series.add(outcome, processorSeconds(process_) - before);
        return outcome.perSecond;
    }

  private:
    const pid_t process_;
    HttpLoad load_;
};

bool accepting(const test::TestDatabase &database, const Servers &servers, std::size_t connections)
{
    const std::string path(kInputProof);
    const auto post = [&path](std::uint64_t number) { return postOf(path, number); };
    const auto empty = [&] { database.query("TRUNCATE request, live_request"); };
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
    const bool first = verdict("pgbench", toPgbench, 1.5);
    return verdict("one row for each commit", toSingle, 2.5) && first;
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
    std::string script = models::sql::poll();
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
    const bool first = verdict("the same select", toSelect, 0.8);
    return verdict("the bare route", toBare, 0.6) && first;
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
    servers.bare.port = freePort();
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
                                        .select = models::sql::poll(),
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
    try
    {
        return run(argc > 1 ? argv[1] : "");
    }
    catch (const std::exception &error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
