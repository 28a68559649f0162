// A share scheduler in a world of its own: a clock that stands until it is moved, attempts that end
// as the test says, and a real database.
#pragma once

#include "plugins/own_loop.h"
#include "plugins/share_run.h"
#include "support/test_store.h"

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace relayer::test
{
// When a test of the loop begins, and a round that ends long after it.
inline constexpr std::int64_t kStart = 1'700'000'000;
inline constexpr std::int64_t kEnd = kStart + 100'000;
inline const plugins::ShareAttemptResult kRefused = {core::AttemptEnd::MayGoBetter,
                                                     "chain_refused"};
inline const plugins::ShareAttemptResult kSubmitted = {core::AttemptEnd::OnTheChain, ""};
// The requirement's waits.
[[nodiscard]] plugins::ShareRunOptions runOptions(std::size_t places);

class ShareWorld
{
  public:
    struct Begun
    {
        core::ShareKey key;
        std::int64_t submitAt = 0;
        std::int64_t late = 0;  // microseconds after the second that was due
        std::size_t attempts = 0;
    };
    // How an attempt ends; nothing: not before finish().
    using Decide =
        std::function<std::optional<plugins::ShareAttemptResult>(const models::TakenShare &)>;

    ShareWorld(const TestDatabase &database, std::int64_t start,
               plugins::ShareRunOptions options = {});
    ~ShareWorld();
    ShareWorld(const ShareWorld &) = delete;
    ShareWorld &operator=(const ShareWorld &) = delete;

    void decide(Decide decide);
    [[nodiscard]] std::shared_ptr<models::ShareStore> shares() const { return shares_; }
    // Attempts that wait for finish() need no prover.
    void provedAtOnce() { provedAtOnce_ = true; }
    void wake();
    void maintain();
    // Until it waits and nothing that can end is being worked on.
    void settle();
    // The clock goes on to the next alarm, and it rings. The time that went by.
    std::chrono::microseconds passToNextAlarm();
    void pass(std::chrono::microseconds time);
    void finish(const core::ShareKey &key, const plugins::ShareAttemptResult &result);
    void stop();
    [[nodiscard]] std::int64_t now() const { return now_.load(); }
    [[nodiscard]] std::chrono::microseconds alarm() const;

    [[nodiscard]] std::vector<Begun> begun() const;
    [[nodiscard]] std::vector<models::RoundShares> alerts() const;
    [[nodiscard]] plugins::ShareRun::Snapshot snapshot();

    static constexpr models::Claimer kClaimer = 1;

  private:
    struct Open
    {
        std::coroutine_handle<> caller;
        std::optional<plugins::ShareAttemptResult> result;
    };
    class Waiting;
    void lookWhetherSettled(const std::shared_ptr<std::promise<void>> &settled);
    static drogon::Task<plugins::ShareAttemptResult> attempt(ShareWorld *world,
                                                             models::TakenShare share,
                                                             std::function<void()> proved);

    std::atomic<std::int64_t> now_;
    std::atomic<bool> provedAtOnce_{false};
    TestStore store_;
    std::shared_ptr<models::ShareStore> shares_;
    mutable std::mutex mutex_;
    Decide decide_;
    std::vector<Begun> begun_;
    std::vector<models::RoundShares> alerts_;
    std::map<core::ShareKey, std::shared_ptr<Open>> open_;
    std::chrono::microseconds alarm_{0};
    std::multimap<std::int64_t, std::function<void()>> later_;
    plugins::OwnLoop loop_{"shares"};
    std::shared_ptr<plugins::ShareRun> run_;
};
}  // namespace relayer::test
