#include "support/share_world.h"

#include <future>
#include <stdexcept>

namespace relayer::test
{
using plugins::ShareAttemptResult;
using plugins::ShareRun;
using std::chrono::microseconds;

// Suspends an attempt until the test ends it.
class ShareWorld::Waiting
{
  public:
    explicit Waiting(std::shared_ptr<Open> open) : open_(std::move(open)) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) { open_->caller = caller; }
    ShareAttemptResult await_resume() { return *open_->result; }

  private:
    std::shared_ptr<Open> open_;
};

plugins::ShareRunOptions runOptions(std::size_t places)
{
    using namespace std::chrono_literals;
    plugins::ShareRunOptions options;
    options.places = places;
    options.waits = {2s, 4s, 8s, 16s, 32s};
    return options;
}

ShareWorld::ShareWorld(const TestDatabase &database, std::int64_t start,
                       plugins::ShareRunOptions options)
    : now_(start * 1'000'000), store_(database)
{
    shares_ = std::make_shared<models::ShareStore>(store_.writer(), [this] { return now_.load(); });
    decide_ = [](const auto &) { return ShareAttemptResult{core::AttemptEnd::OnTheChain, ""}; };
    ShareRun::Surroundings around;
    around.loop = loop_.get();
    around.shares = shares_;
    around.attempt = [this](models::TakenShare share, models::Claimer,
                            std::function<void()> proved) {
        return attempt(this, std::move(share), std::move(proved));
    };
    around.claimer = [] { return std::optional(kClaimer); };
    around.alarm = [this](microseconds wait) {
        const std::lock_guard lock(mutex_);
        alarm_ = wait;
    };
    around.after = [this](microseconds wait, std::function<void()> work) {
        const std::lock_guard lock(mutex_);
        later_.emplace(now_ + wait.count(), std::move(work));
    };
    around.alert = [this](const models::RoundShares &round) {
        const std::lock_guard lock(mutex_);
        alerts_.push_back(round);
    };
    around.moved = [](const auto &, const auto &) {};
    run_ = std::make_shared<ShareRun>(std::move(around), std::move(options));
    database.query(
        "INSERT INTO instance (name, version, epoch) VALUES ('world', '1', 1)"
        " ON CONFLICT DO NOTHING");
}

ShareWorld::~ShareWorld()
{
    stop();
}

void ShareWorld::decide(Decide decide)
{
    const std::lock_guard lock(mutex_);
    decide_ = std::move(decide);
}

drogon::Task<ShareAttemptResult> ShareWorld::attempt(ShareWorld *world, models::TakenShare share,
                                                     std::function<void()> proved)
{
    std::shared_ptr<Open> open;
    {
        const std::lock_guard lock(world->mutex_);
        world->begun_.push_back(
            {share.key, share.submitAt, world->now_ - share.submitAt * 1'000'000, share.attempts});
        const auto result = world->decide_(share);
        if (result)
        {
            co_return *result;
        }
        open = world->open_.emplace(share.key, std::make_shared<Open>()).first->second;
    }
    if (world->provedAtOnce_)
    {
        proved();
    }
    ShareAttemptResult result = co_await Waiting(open);
    proved();
    co_return result;
}

void ShareWorld::finish(const core::ShareKey &key, const ShareAttemptResult &result)
{
    std::shared_ptr<Open> open;
    {
        const std::lock_guard lock(mutex_);
        open = open_.at(key);
        open_.erase(key);
    }
    open->result = result;
    loop_.get()->queueInLoop([open] { open->caller.resume(); });
}

void ShareWorld::wake()
{
    loop_.get()->queueInLoop([run = run_] { run->wake(); });
}

void ShareWorld::maintain()
{
    loop_.get()->queueInLoop([run = run_] { run->maintain(); });
}

ShareRun::Snapshot ShareWorld::snapshot()
{
    auto promise = std::make_shared<std::promise<ShareRun::Snapshot>>();
    loop_.get()->queueInLoop([run = run_, promise] { promise->set_value(run->snapshot()); });
    return promise->get_future().get();
}

void ShareWorld::settle()
{
    auto settled = std::make_shared<std::promise<void>>();
    loop_.get()->queueInLoop([this, settled] { lookWhetherSettled(settled); });
    if (settled->get_future().wait_for(std::chrono::seconds(120)) != std::future_status::ready)
    {
        throw std::runtime_error("the scheduler does not come to rest");
    }
}

void ShareWorld::lookWhetherSettled(const std::shared_ptr<std::promise<void>> &settled)
{
    std::size_t open = 0;
    {
        const std::lock_guard lock(mutex_);
        open = open_.size();
    }
    const auto snapshot = run_->snapshot();
    if (!snapshot.cycling && snapshot.held == open)
    {
        settled->set_value();
        return;
    }
    loop_.get()->runAfter(0.001, [this, settled] { lookWhetherSettled(settled); });
}

microseconds ShareWorld::alarm() const
{
    const std::lock_guard lock(mutex_);
    return alarm_;
}

void ShareWorld::pass(microseconds time)
{
    std::vector<std::function<void()>> due;
    {
        const std::lock_guard lock(mutex_);
        now_ += time.count();
        const auto end = later_.upper_bound(now_);
        for (auto each = later_.begin(); each != end; ++each)
        {
            due.push_back(each->second);
        }
        later_.erase(later_.begin(), end);
    }
    for (auto &work : due)
    {
        loop_.get()->queueInLoop(std::move(work));
    }
}

microseconds ShareWorld::passToNextAlarm()
{
    const microseconds wait = alarm();
    pass(wait);
    wake();
    return wait;
}

std::vector<ShareWorld::Begun> ShareWorld::begun() const
{
    const std::lock_guard lock(mutex_);
    return begun_;
}

std::vector<models::RoundShares> ShareWorld::alerts() const
{
    const std::lock_guard lock(mutex_);
    return alerts_;
}

void ShareWorld::stop()
{
    if (!run_)
    {
        return;
    }
    loop_.get()->queueInLoop([run = run_] { run->stop(); });
    std::vector<core::ShareKey> keys;
    {
        const std::lock_guard lock(mutex_);
        for (const auto &[key, open] : open_)
        {
            keys.push_back(key);
        }
    }
    for (const auto &key : keys)
    {
        finish(key, {core::AttemptEnd::Interrupted, "stopping"});
    }
    settle();
    run_.reset();
    shares_->close();
}
}  // namespace relayer::test
