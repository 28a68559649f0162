// The loop of the share scheduler, as the requirement draws it: alert rounds that are over, purge
// them, take all that is due, and wait for the earliest second, for a word that the schedule has
// changed, or for half a minute. Nothing in it is random.
//
// One for each instance, on a loop of its own. Shares of one second go together, `places` at a time
// and in their order; one that is slow keeps its place and nothing else. Works on the database
// alone, so it can be dropped at any instruction.
#pragma once

#include "core/share_attempts.h"
#include "models/share_store.h"
#include "plugins/share_attempt.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace relayer::plugins
{
struct ShareRunOptions
{
    std::size_t places = 2;  // shares that are proved at the same time
    // Shares that are held at the same time: those, and what waits for its block.
    std::size_t held = 256;
    std::chrono::milliseconds maintenance{30'000};
    core::ShareWaits waits;
    // Nothing is taken for this long when the chain is away.
    std::chrono::seconds chainAway{5};
    std::chrono::milliseconds lease{30'000};  // of an instance that is silent
    std::size_t purgeRows = 1000;
    // How long before a share's second its claim is sent; the database waits for the rest.
    std::chrono::milliseconds ahead{0};
};

class ShareRun : public std::enable_shared_from_this<ShareRun>
{
  public:
    // A share that is held is worked on; its end comes on the loop.
    using Attempt = std::function<drogon::Task<ShareAttemptResult>(
        models::TakenShare share, models::Claimer claimer, std::function<void()> proved)>;

    struct Surroundings
    {
        trantor::EventLoop *loop = nullptr;
        std::shared_ptr<models::ShareStore> shares;
        Attempt attempt;
        // Our epoch; nothing: the database does not know us now.
        std::function<std::optional<models::Claimer>()> claimer;
        // To be woken in this time, instead of when it was said before.
        std::function<void(std::chrono::microseconds)> alarm;
        std::function<void(std::chrono::microseconds, std::function<void()>)> after;
        // Each share that was taken; nothing: nobody wants to know.
        std::function<void(const models::TakenShare &)> taken;
        // Once for each round that is over with shares that are not on the chain, whatever
        // becomes of its purge and however many instances there are.
        std::function<void(const models::RoundShares &)> alert;
        // Each share that has ended, or waits again.
        std::function<void(const models::TakenShare &, const ShareAttemptResult &)> moved;
    };

    ShareRun(Surroundings surroundings, ShareRunOptions options)
        : around_(std::move(surroundings)), options_(std::move(options))
    {}

    // All of these on the loop.

    // The schedule has changed, or the alarm rang.
    void wake();
    // It is time to look for rounds that are over and for shares of who is not coming back,
    // whatever is known of them; so it is at the start.
    void maintain();
    // Takes nothing more.
    void stop() { stopped_ = true; }
    struct Snapshot
    {
        std::size_t proving = 0;
        std::size_t held = 0;
        bool chainAway = false;
        bool cycling = false;
        std::uint64_t cycles = 0;
    };
    [[nodiscard]] Snapshot snapshot() const;

  private:
    using Claimer = models::Claimer;

    static drogon::AsyncTask cycle(std::shared_ptr<ShareRun> self);
    // A share's place is free, or it is not held any more.
    void madeRoom();
    drogon::Task<> lookAfterRounds();
    drogon::Task<> freeAbandoned();
    drogon::Task<std::size_t> takeWhatIsDue(Claimer claimer);
    // Until it is to be woken.
    drogon::Task<std::chrono::microseconds> untilNext(bool tookSome, bool lookedAfterRounds);
    std::chrono::microseconds untilShare(std::optional<std::chrono::microseconds> next,
                                         bool tookSome);
    void holdTheQueue();
    // Whether a failure of the chain at this share is the chain's.
    [[nodiscard]] bool isTheChain(models::ShareId share, const ShareAttemptResult &result);
    [[nodiscard]] std::size_t room() const;
    static drogon::AsyncTask work(std::shared_ptr<ShareRun> self, models::TakenShare share,
                                  Claimer claimer);
    drogon::Task<bool> write(models::ShareId share, Claimer claimer, core::AfterAttempt after,
                             std::string code);

    const Surroundings around_;
    const ShareRunOptions options_;
    // of the loop
    bool stopped_ = false;
    bool chainAway_ = false;
    bool cycling_ = false;
    bool again_ = false;
    bool roundsToo_ = true;     // in the next cycle: some may be over by then
    bool abandonedToo_ = true;  // likewise
    // More may be due than there was room for. Otherwise room is of no use to anybody.
    bool wantsRoom_ = false;
    // Shares that the chain failed at, without one in between that it did not. 0: none.
    models::ShareId failedAt_ = 0;
    bool failsAtOthers_ = false;
    int misses_ = 0;  // in a row: what was due was not to be had
    std::size_t proving_ = 0;
    std::size_t held_ = 0;
    std::uint64_t cycles_ = 0;
};
}  // namespace relayer::plugins
