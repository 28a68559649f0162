// Admissions and guarded transitions through RequestStore, beside pgbench doing the same to the
// same rows, one at a time, with the same durability, in the same run.
//
// Each round runs pgbench and us in turn, so that a slow minute of the machine hits both; the ratio
// is the median over the rounds. Exits with 1 when a ratio is below its target.
#include "bench/measure.h"
#include "support/await.h"
#include "support/test_store.h"

#include <trantor/net/EventLoopThreadPool.h>

#include <atomic>
#include <latch>
#include <sstream>

namespace
{
using namespace relayer;
using bench::Clock;

constexpr int kSeconds = 3;
constexpr int kRounds = 3;
constexpr std::size_t kPayload = 200;

// The same row as newRequest() makes, the same table, the same indexes.
constexpr const char *kInsertOne =
    "WITH fresh AS (INSERT INTO request (job_id, kind, status, content_hash, payload, ticket)"
    " VALUES "
    "(gen_random_uuid(), 'public_decrypt', 'queued', sha256(gen_random_uuid()::text::bytea),"
    " decode(repeat('ab', 200), 'hex'), nextval('request_ticket_seq'))"
    " ON CONFLICT (kind, content_hash) WHERE dedup DO NOTHING RETURNING id, kind, ticket)"
    " INSERT INTO live_request (kind, ticket, request_id) SELECT kind, ticket, id FROM fresh;\n";

struct Outcome
{
    double perSecond = 0;
    double p50 = 0;
    double p99 = 0;
};

// `callers` coroutines on two loops, each asking again as soon as it has its answer.
class Load
{
  public:
    explicit Load(test::TestStore &store) : store_(store), loops_(2, "Bench") { loops_.start(); }

    template <typename Work>
    Outcome run(std::size_t callers, Work work)
    {
        std::atomic<bool> stop{false};
        std::vector<std::vector<double>> latencies(callers);
        std::latch done(static_cast<std::ptrdiff_t>(callers));
        const auto start = Clock::now();
        for (std::size_t i = 0; i < callers; ++i)
        {
            latencies[i].reserve(200000);
            loops_.getNextLoop()->queueInLoop(
                [&, i] { ask(&store_, work, i, &stop, &latencies[i], &done); });
        }
        constexpr std::chrono::seconds kLoad(kSeconds);
        std::this_thread::sleep_for(kLoad);
        stop = true;
        done.wait();
        const double seconds = bench::secondsSince(start);
        std::vector<double> all;
        for (const auto &mine : latencies)
        {
            all.insert(all.end(), mine.begin(), mine.end());
        }
        Outcome outcome;
        outcome.perSecond = static_cast<double>(all.size()) / seconds;
        outcome.p50 = bench::percentile(all, 0.5);
        outcome.p99 = bench::percentile(all, 0.99);
        return outcome;
    }

  private:
    template <typename Work>
    static drogon::AsyncTask ask(test::TestStore *store, Work work, std::size_t caller,
                                 std::atomic<bool> *stop, std::vector<double> *latencies,
                                 std::latch *done)
    {
        for (std::uint64_t turn = 0; !*stop; ++turn)
        {
            const auto start = Clock::now();
            if (!co_await work(store, caller, turn))
            {
                break;
            }
            latencies->push_back(1000 * bench::secondsSince(start));
        }
        done->count_down();
    }

    test::TestStore &store_;
    trantor::EventLoopThreadPool loops_;
};

std::atomic<std::uint64_t> nextContent{1};

drogon::Task<bool> admitOne(test::TestStore *store, std::size_t, std::uint64_t)
{
    const std::uint64_t number = nextContent++;
    models::NewRequest request = test::newRequest(core::Kind::PublicDecrypt, 0, number);
    request.contentHash = core::ContentHasher().bigEndian(number).finish();
    request.payload.resize(kPayload);
    const auto admission = co_await (*store)->admit(std::move(request));
    co_return admission.fresh;
}

// Moves requests between two statuses and back, so that rows never run out. Each caller has rows of
// its own, as each claimer has.
std::atomic<models::RequestId> firstRow{0};
constexpr std::uint64_t kRowsOfACaller = 40;
constexpr std::uint64_t kRows = 512 * kRowsOfACaller;

drogon::Task<bool> moveOne(test::TestStore *store, std::size_t caller, std::uint64_t turn)
{
    const std::uint64_t row = caller * kRowsOfACaller + turn / 2 % kRowsOfACaller;
    models::Step step;
    step.id = firstRow + static_cast<models::RequestId>(row);
    step.transition = turn % 2 == 0 ? core::Transition::MarkTxInFlight : core::Transition::Recover;
    step.txHash = test::hash32(row);
    co_return co_await (*store)->apply(std::move(step)) == models::StepOutcome::Won;
}

std::string moveScript()
{
    std::ostringstream script;
    script << "\\set id random(" << firstRow << ", "
           << firstRow + static_cast<models::RequestId>(kRows) - 1 << ")\n"
           << "UPDATE request SET status = CASE status WHEN 'processing' THEN"
              " 'tx_in_flight'::request_status ELSE 'processing' END, status_at = now(),"
              " tx_hash = decode(repeat('ab', 32), 'hex')"
              " WHERE id = :id AND status IN ('processing', 'tx_in_flight') RETURNING id;\n";
    return script.str();
}

void fillRows(const test::TestDatabase &database)
{
    database.query("TRUNCATE request, live_request");
    database.query(
        "INSERT INTO request (job_id, kind, status, content_hash, payload, ticket)"
        " SELECT gen_random_uuid(), 'public_decrypt', 'processing', sha256(g::text::bytea),"
        " decode(repeat('ab', 200), 'hex'), nextval('request_ticket_seq')"
        " FROM generate_series(1, " +
        std::to_string(kRows) + ") g");
    database.query("VACUUM ANALYZE request");
    firstRow = std::stoll(database.value("SELECT min(id) FROM request"));
}

struct Series
{
    std::vector<double> pgbench;
    std::vector<double> ours;
    std::vector<double> ratios;
    Outcome last;
};

bool report(const char *what, std::size_t callers, const Series &series, double target)
{
    const double ratio = bench::median(series.ratios);
    std::printf(
        "%-12s %4zu callers: %8.0f/s  p50 %6.2f ms  p99 %6.2f ms   pgbench, 8 connections: %7.0f/s"
        "   ratio %.2f (at least %.1f)%s\n",
        what, callers, bench::median(series.ours), series.last.p50, series.last.p99,
        bench::median(series.pgbench), ratio, target, ratio >= target ? "" : "  BELOW");
    std::fflush(stdout);
    bench::record({std::string("The store: ") + what, std::to_string(callers) + " callers",
                   bench::median(series.ours), "rows/s", "pgbench, one at a time",
                   bench::median(series.pgbench), ratio, bench::atLeast(target)});
    return ratio >= target;
}

template <typename Work, typename Prepare>
bool compare(const char *what, const test::TestDatabase &database, Load &load, Work work,
             Prepare prepare)
{
    bool good = true;
    for (const auto &[callers, target] :
         {std::pair<std::size_t, double>{64, 2.5}, std::pair<std::size_t, double>{512, 4.0}})
    {
        Series series;
        for (int round = 0; round < kRounds; ++round)
        {
            const std::string script = prepare();
            const double theirs = bench::pgbench(database.url(), script, 8, kSeconds, nullptr);
            prepare();
            series.last = load.run(callers, work);
            series.pgbench.push_back(theirs);
            series.ours.push_back(series.last.perSecond);
            series.ratios.push_back(series.last.perSecond / theirs);
        }
        good = report(what, callers, series, target) && good;
    }
    return good;
}

int run()
{
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    const test::TestDatabase database;
    std::cout << "fsync " << database.value("SHOW fsync") << ", synchronous_commit "
              << database.value("SHOW synchronous_commit") << ", PostgreSQL "
              << database.value("SHOW server_version") << ", " << kRounds << " rounds of "
              << kSeconds << " s each, in turn\n";
    test::TestStore store(database);
    Load load(store);
    const bool admissions = compare("admissions", database, load, admitOne, [&] {
        database.query("TRUNCATE request, live_request");
        return std::string(kInsertOne);
    });
    const auto stats = store->stats().admissions;
    std::printf("             batches: %.0f rows on average, %llu at most\n",
                static_cast<double>(stats.rows) /
                    static_cast<double>(std::max<std::uint64_t>(1, stats.batches)),
                static_cast<unsigned long long>(stats.largestBatch));
    const bool transitions = compare("transitions", database, load, moveOne, [&] {
        fillRows(database);
        return moveScript();
    });
    return admissions && transitions ? 0 : 1;
}
}  // namespace

int main()
{
    return run();
}
