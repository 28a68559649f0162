// How late shares are in real time, and what many of them cost. The long ones only with --full.
#include "models/share_sql.h"
#include "plugins/own_loop.h"
#include "plugins/share_run.h"
#include "support/await.h"
#include "support/eventually.h"
#include "support/test_store.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <iostream>
#include <thread>

namespace relayer::test
{
namespace
{
using plugins::ShareRun;
using std::chrono::microseconds;
using namespace std::chrono_literals;

std::int64_t microsNow()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<microseconds>(now).count();
}

double secondsOf(microseconds time)
{
    return std::chrono::duration<double>(time).count();
}

bool full()
{
    return std::getenv("RELAYER_TEST_FULL") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

double percentile(std::vector<std::int64_t> micros, double part)
{
    std::sort(micros.begin(), micros.end());
    const auto place = static_cast<std::size_t>(part * static_cast<double>(micros.size() - 1));
    return static_cast<double>(micros.at(place)) / 1000.0;
}

// Turns both cores, as proofs do.
class BusyCores
{
  public:
    BusyCores()
    {
        for (unsigned i = 0; i < std::max(2U, std::thread::hardware_concurrency()); ++i)
        {
            threads_.emplace_back([this] {
                while (!stop_)
                {
                    ++turns_;
                }
            });
        }
    }
    ~BusyCores()
    {
        stop_ = true;
        for (std::thread &thread : threads_)
        {
            thread.join();
        }
    }
    BusyCores(const BusyCores &) = delete;
    BusyCores &operator=(const BusyCores &) = delete;

  private:
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> turns_{0};
    std::vector<std::thread> threads_;
};

class SharesInRealTime : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        shares_ = std::make_shared<models::ShareStore>(store_->writer());
        database_->query("INSERT INTO instance (name, version, epoch) VALUES ('world', '1', 1)");
    }
    void TearDown() override
    {
        if (shares_)
        {
            shares_->close();
        }
        shares_.reset();
        store_.reset();
        database_.reset();
    }

    // `perSecond` in each of these seconds; straight into the table.
    void schedule(std::int64_t first, int seconds, int perSecond)
    {
        database_->query(
            "INSERT INTO scheduled_share (round_id, share_index, proposal_id, tree_position,"
            " payload_digest, witness, witness_key, submit_at, next_attempt_at, vote_end_time)"
            " SELECT decode(repeat('11', 32), 'hex'), 1, 1, s * " +
            std::to_string(perSecond) +
            " + i, decode(repeat('22', 32), 'hex'), '\\x00', '\\x00', " + std::to_string(first) +
            " + s, to_timestamp(" + std::to_string(first) + " + s), " +
            std::to_string(first + 1'000'000) + " FROM generate_series(0, " +
            std::to_string(seconds - 1) + ") s, generate_series(0, " +
            std::to_string(perSecond - 1) + ") i");
    }

    // The loop as the program runs it, but for what it does with a share.
    void run(std::size_t places)
    {
        ShareRun::Surroundings around;
        around.loop = loop_.get();
        around.shares = shares_;
        around.attempt = [](models::TakenShare, models::Claimer,
                            std::function<void()>) -> drogon::Task<plugins::ShareAttemptResult> {
            co_return plugins::ShareAttemptResult{core::AttemptEnd::OnTheChain, ""};
        };
        around.claimer = [] { return std::optional<models::Claimer>(1); };
        around.alarm = [this](microseconds wait) {
            loop_.get()->invalidateTimer(timer_);
            timer_ = loop_.get()->runAfter(secondsOf(wait + 100us), [this] { run_->wake(); });
        };
        around.after = [](microseconds, std::function<void()>) {};
        around.taken = [this](const models::TakenShare &share) {
            late_.push_back(microsNow() - share.dueMicros);
        };
        around.alert = [](const models::RoundShares &) {};
        around.moved = [this](const auto &, const auto &) { ++moved_; };
        plugins::ShareRunOptions options;
        options.places = places;
        options.ahead = 50ms;  // as plugins/share_service.cc has it
        run_ = std::make_shared<ShareRun>(std::move(around), std::move(options));
        loop_.get()->queueInLoop([this] { run_->wake(); });
    }
    void stop()
    {
        std::promise<void> stopped;
        loop_.get()->queueInLoop([this, &stopped] {
            run_->stop();
            loop_.get()->invalidateTimer(timer_);
            lookWhetherStopped(stopped);
        });
        stopped.get_future().wait();
    }

    void lookWhetherStopped(std::promise<void> &stopped)
    {
        const auto now = run_->snapshot();
        if (!now.cycling && now.held == 0)
        {
            run_.reset();
            stopped.set_value();
            return;
        }
        loop_.get()->runAfter(0.001, [this, &stopped] { lookWhetherStopped(stopped); });
    }
    [[nodiscard]] bool movedAll(std::size_t count) const
    {
        return eventually([&] { return moved_ >= count; }) && moved_ == count;
    }
    // How late bare timers of a loop are, for the same seconds: as many as there are shares.
    void timeBareTimers(std::int64_t first, int seconds, int perSecond)
    {
        for (int i = 0; i < seconds * perSecond; ++i)
        {
            const std::int64_t due = (first + i / perSecond) * 1'000'000;
            bare_.get()->runAfter(secondsOf(microseconds(due - microsNow())), [this, due] {
                bareLate_.push_back(std::max<std::int64_t>(0, microsNow() - due));
            });
        }
    }
    std::vector<std::int64_t> bareTimersUntilNow()
    {
        std::promise<std::vector<std::int64_t>> late;
        bare_.get()->queueInLoop([&] { late.set_value(bareLate_); });
        return late.get_future().get();
    }
    void expectInTime(int seconds, int perSecond)
    {
        const std::int64_t first = microsNow() / 1'000'000 + 2;
        const auto count = static_cast<std::size_t>(seconds) * static_cast<std::size_t>(perSecond);
        schedule(first, seconds, perSecond);
        timeBareTimers(first, seconds, perSecond);
        {
            const BusyCores busy;
            run(static_cast<std::size_t>(perSecond) + 14);
            ASSERT_TRUE(movedAll(count));
        }
        stop();
        ASSERT_EQ(late_.size(), count);
        EXPECT_GE(*std::min_element(late_.begin(), late_.end()), 0) << "none early";
        const double p99 = percentile(late_, 0.99);
        const auto bareLate = bareTimersUntilNow();
        ASSERT_FALSE(bareLate.empty());
        const double bare99 = percentile(bareLate, 0.99);
        std::cout << "# " << count << " shares over " << seconds
                  << " s, all cores busy: late by p50 " << percentile(late_, 0.5) << " ms, p99 "
                  << p99 << " ms; a bare timer: p50 " << percentile(bareLate, 0.5) << " ms, p99 "
                  << bare99 << " ms\n";
        if (full())
        {
            EXPECT_LE(p99, bare99 + 20.0);
        }
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::shared_ptr<models::ShareStore> shares_;
    std::vector<std::int64_t> late_;      // of the loop, until it has stopped
    std::vector<std::int64_t> bareLate_;  // of the bare loop
    std::atomic<std::size_t> moved_{0};
    trantor::TimerId timer_ = trantor::InvalidTimerId;
    std::shared_ptr<ShareRun> run_;
    plugins::OwnLoop bare_{"bare"};
    plugins::OwnLoop loop_{"shares"};
};

TEST_F(SharesInRealTime, AreTakenAtTheirSecondWhileAllCoresAreBusy)
{
    full() ? expectInTime(20, 50) : expectInTime(2, 50);
}

TEST_F(SharesInRealTime, AWakeAmongAHundredThousandThatWaitIsCheap)
{
    const int count = full() ? 100'000 : 10'000;
    schedule(microsNow() / 1'000'000 + 100'000, count / 100, 100);
    database_->query("ANALYZE scheduled_share");
    constexpr int rounds = 20;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i)
    {
        EXPECT_TRUE(await(shares_->closeRounds()).rounds.empty());
        EXPECT_TRUE(await(shares_->take(1, 10)).empty());
        EXPECT_TRUE(await(shares_->untilNext()).share);
    }
    const auto each = (std::chrono::steady_clock::now() - begin) / rounds;
    std::cout << "# one wake-up among " << count
              << " shares that wait: " << std::chrono::duration_cast<microseconds>(each).count()
              << " us in 3 statements\n";
    // Those that wait are not even looked at.
    database_->query("PREPARE taking (bigint, bigint, bigint, bigint) AS " +
                     models::sql::takeShares().text());
    std::string plan;
    for (const auto &row : database_->query("EXPLAIN ANALYZE EXECUTE taking (1, 10, NULL, 0)"))
    {
        plan += row.at(0) + "\n";
    }
    EXPECT_NE(plan.find("scheduled_share_due"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("Rows Removed by Filter"), std::string::npos) << plan;
}
}  // namespace
}  // namespace relayer::test
