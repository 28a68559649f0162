// Clients that wait for their jobs: those whose polls are held (`?wait=60`) beside those that ask
// once a second, of the same server and in the same run. How late they know that a job has moved,
// and what waiting costs the server.
//
// Jobs move in the database, with the notice that another instance would give. Exits with 1 when
// holding is not at least twice as good, in time and in processor.
#include "bench/http_lines.h"
#include "bench/measure.h"
#include "bench/poll_jobs.h"
#include "bench/processes.h"
#include "support/server_process.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

namespace
{
using namespace relayer;
using namespace relayer::bench;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 1000;
constexpr seconds kTime{6};
constexpr milliseconds kBetweenMoves{20};
constexpr seconds kBetweenPolls{1};
constexpr double kTarget = 0.5;
constexpr int kRounds = 2;

struct Waiting
{
    std::vector<std::string> ids;
    std::vector<std::string> jobs;
};

Waiting makeJobs(const test::TestDatabase &database)
{
    database.query(
        "WITH made AS (INSERT INTO request (job_id, kind, status, content_hash, payload, ticket)"
        " SELECT gen_random_uuid(), 'input_proof', 'processing',"
        " sha256(convert_to(i::text, 'UTF8')), ''::bytea, nextval('request_ticket_seq')"
        " FROM generate_series(1, " +
        std::to_string(kClients) +
        ") i RETURNING kind, ticket, id)"
        " INSERT INTO live_request (kind, ticket, request_id) SELECT kind, ticket, id FROM made");
    Waiting waiting;
    for (const auto &row : database.query("SELECT id, job_id FROM request ORDER BY id"))
    {
        waiting.ids.push_back(row.at(0));
        waiting.jobs.push_back(row.at(1));
    }
    return waiting;
}

// Moves one job after the other to that status, in an order that nobody can guess, until it is told
// to stop or all have moved.
class Mover
{
  public:
    Mover(const test::TestDatabase &database, const Waiting &waiting, std::string status)
        : movedAt_(waiting.ids.size()), thread_([this, &database, &waiting, status](auto stop) {
              std::vector<std::size_t> order(waiting.ids.size());
              std::iota(order.begin(), order.end(), std::size_t{0});
              std::shuffle(order.begin(), order.end(), std::minstd_rand(7));
              auto due = Clock::now();
              for (const std::size_t job : order)
              {
                  due += kBetweenMoves;
                  std::this_thread::sleep_until(due);
                  if (stop.stop_requested())
                  {
                      return;
                  }
                  const std::string &id = waiting.ids[job];
                  database.query("UPDATE request SET status = '" + status +
                                 "', status_at = now() WHERE id = " + id +
                                 "; SELECT pg_notify('relayer_status', '999999:" + id + "')");
                  movedAt_[job] = Clock::now().time_since_epoch().count();
              }
          })
    {}

    // Milliseconds since it was moved, as soon as that is known.
    [[nodiscard]] std::optional<double> since(std::size_t job) const
    {
        const Clock::rep at = movedAt_[job];
        if (at == 0)
        {
            return std::nullopt;
        }
        const auto moved = Clock::time_point(Clock::duration(at));
        return 1000 * std::chrono::duration<double>(Clock::now() - moved).count();
    }

  private:
    std::vector<std::atomic<Clock::rep>> movedAt_;
    std::jthread thread_;  // last: it uses the above
};

struct Outcome
{
    std::vector<double> lateness;  // milliseconds
    double processorSeconds = 0;
};

// All clients wait for their jobs; `pause` is zero where polls are held.
class Crowd
{
  public:
    Crowd(test::ServerProcess &server, const Waiting &waiting, seconds pause)
        : server_(server),
          waiting_(waiting),
          pause_(pause),
          lines_(server.port(), waiting.jobs.size()),
          asksAt_(waiting.jobs.size(), Clock::time_point::max()),
          knows_(waiting.jobs.size())
    {}

    [[nodiscard]] std::size_t residentKiB() const { return server_.residentKiB(); }

    // Everybody waits, and nothing moves.
    void begin()
    {
        const auto start = Clock::now();
        for (std::size_t i = 0; i < asksAt_.size(); ++i)
        {
            asksAt_[i] = start + pause_ * i / asksAt_.size();
        }
        lookFor(seconds(2), nullptr, "");
    }

    Outcome watch(const test::TestDatabase &database, const std::string &status)
    {
        const std::string shown = R"("state":")" + status + '"';
        const double before = processorSeconds(server_.process());
        Outcome outcome;
        {
            const Mover mover(database, waiting_, status);
            outcome.lateness = lookFor(kTime, &mover, shown);
        }
        outcome.processorSeconds = processorSeconds(server_.process()) - before;
        return outcome;
    }

  private:
    std::vector<double> lookFor(seconds time, const Mover *mover, const std::string &shown)
    {
        std::vector<double> lateness;
        const auto end = Clock::now() + time;
        while (Clock::now() < end)
        {
            askThoseWhoseTimeHasCome();
            lines_.takeAnswersWithin(milliseconds(5), [&](const HttpAnswer &answer) {
                if (answer.status != 202)
                {
                    throw std::runtime_error("a poll was not answered: " +
                                             std::string(answer.body));
                }
                asksAt_[answer.line] = Clock::now() + pause_;
                const bool news = mover != nullptr && !knows_[answer.line] &&
                                  answer.body.find(shown) != std::string_view::npos;
                if (news)
                {
                    knows_[answer.line] = true;
                    // Not known to have been moved yet: it is told while it is committed.
                    lateness.push_back(mover->since(answer.line).value_or(0));
                }
            });
        }
        return lateness;
    }

    void askThoseWhoseTimeHasCome()
    {
        const auto now = Clock::now();
        const std::string wait = pause_ == seconds(0) ? "?wait=60" : "";
        for (std::size_t i = 0; i < asksAt_.size(); ++i)
        {
            if (asksAt_[i] <= now)
            {
                asksAt_[i] = Clock::time_point::max();
                lines_.ask(i, getOf(std::string(kInputProof), waiting_.jobs[i] + wait));
            }
        }
    }

    test::ServerProcess &server_;
    const Waiting &waiting_;
    const seconds pause_;
    HttpLines lines_;
    std::vector<Clock::time_point> asksAt_;
    std::vector<bool> knows_;
};

struct Series
{
    std::vector<double> p50;
    std::vector<double> p99;
    std::vector<double> processor;  // ms of a second, for a thousand who wait

    void add(Outcome outcome)
    {
        if (outcome.lateness.empty())
        {
            throw std::runtime_error("nobody heard of anything");
        }
        p50.push_back(percentile(outcome.lateness, 0.5));
        p99.push_back(percentile(outcome.lateness, 0.99));
        processor.push_back(outcome.processorSeconds * 1000 / static_cast<double>(kTime.count()) *
                            1000 / static_cast<double>(kClients));
    }
    void show(const char *who) const
    {
        std::printf(
            "  %-18s knows after %7.1f ms, 99 %% after %7.1f   %6.2f ms of processor a "
            "second\n",
            who, median(p50), median(p99), median(processor));
    }
};

bool verdict(const char *what, const std::vector<double> &held, const std::vector<double> &plain,
             const char *unit, bool judged)
{
    const double ratio = median(held) / median(plain);
    const bool good = !judged || ratio <= kTarget;
    std::printf("  %-30s ratio %.2f%s%s\n", what, ratio,
                judged ? (", " + atMost(kTarget)).c_str() : "", good ? "" : "  ABOVE");
    record({"Waiting, " + std::to_string(kClients) + " clients", what, median(held), unit,
            "a poll each second", median(plain), ratio, judged ? atMost(kTarget) : ""});
    return good;
}

bool compare(const test::TestDatabase &database, test::ServerProcess &server)
{
    const Waiting waiting = makeJobs(database);
    Series held;
    Series plain;
    std::vector<double> kiBOfEach;
    bool forward = true;
    for (int round = 0; round < kRounds; ++round)
    {
        for (const seconds pause : {seconds(0), kBetweenPolls})
        {
            Crowd crowd(server, waiting, pause);
            const std::size_t connected = crowd.residentKiB();
            crowd.begin();
            if (pause == seconds(0))
            {
                kiBOfEach.push_back(
                    (static_cast<double>(crowd.residentKiB()) - static_cast<double>(connected)) /
                    static_cast<double>(kClients));
            }
            const Outcome outcome =
                crowd.watch(database, forward ? "tx_in_flight" : "receipt_received");
            (pause == seconds(0) ? held : plain).add(outcome);
            database.query("UPDATE request SET status = 'processing'");
            forward = !forward;
        }
    }
    std::printf("%zu clients wait, a job moves each %lld ms, %d rounds of %lld s each, in turn\n",
                kClients, static_cast<long long>(kBetweenMoves.count()), kRounds,
                static_cast<long long>(kTime.count()));
    held.show("polls are held");
    plain.show("a poll each second");
    std::printf("  memory of one that waits: %.1f KiB beside its connection\n", kiBOfEach.front());
    record({"Waiting, " + std::to_string(kClients) + " clients", "memory of one that waits",
            kiBOfEach.front(), "KiB"});
    const bool soon = verdict("from commit to client, median", held.p50, plain.p50, "ms", true);
    verdict("from commit to client, 99th percentile", held.p99, plain.p99, "ms", false);
    return verdict("processor for 1000, a second", held.processor, plain.processor, "ms", true) &&
           soon;
}

int run()
{
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    if (const auto reason = test::whyNoServer())
    {
        std::cerr << *reason << "\n";
        return 77;
    }
    const test::TestDatabase database;
    test::ServerOptions options = serverOptions(database, "long-poll");
    options.environment["RELAYER_HTTP__LONG_POLL__MAX_WAIT"] = "1m";
    test::ServerProcess server(options);
    if (!server.becomesHealthy())
    {
        std::cerr << "the server did not start\n" << server.output();
        return 1;
    }
    return compare(database, server) ? 0 : 1;
}
}  // namespace

int main()
{
    return relayer::bench::exitCodeOf(run);
}
