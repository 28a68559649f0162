// When clients are told to come back: where their request stands, by what the queues know, put into
// the formulas of core/retry_after.h.
//
//     { "name": "relayer::plugins::RetryAfter",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::Store",
//                        "relayer::plugins::TxThrottler", "relayer::plugins::ReadinessGate"] }
//
// Asks no database: what a poll has read of its row, and what the queues have in memory, is enough
// for any request, wherever it came in. Callable from any thread, between initAndStart and
// shutdown.
#pragma once

#include "config/settings.h"
#include "core/lifecycle.h"
#include "core/measured_retry_after.h"
#include "core/retry_after.h"
#include "core/status_waiters.h"
#include "plugins/readiness_gate.h"
#include "plugins/retry_after_calibration.h"
#include "plugins/store.h"
#include "plugins/tx_throttler.h"

#include <drogon/plugins/Plugin.h>
#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <cstdint>
#include <memory>
#include <mutex>

namespace relayer::plugins
{
class RetryAfter : public drogon::Plugin<RetryAfter>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Other bounds, times and steps from now on; what was learned stays.
    void change(const config::RetryAfterSettings &settings);

    using Job = core::StatusWaiters::Job;
    // What was read a while ago may have been claimed meanwhile.
    enum class Read : std::uint8_t
    {
        Now,
        Before,
    };
    // Whole seconds; 0 of one that has ended.
    [[nodiscard]] std::int64_t seconds(const Job &job, Read read = Read::Now) const;
    // What follows is what estimates are judged by, and what `measured` learns from. With
    // `metrics.count` off and `nominal` times nobody asks for it, and nothing is done.
    //
    // The answer to a post: its seconds, and noted.
    [[nodiscard]] std::int64_t tellPost(const Job &job);
    // A poll was told to come back after so many seconds. Not for those that are held or hear of
    // events.
    void told(const Job &job, std::int64_t seconds);
    // A client has its result, or learns that there is none.
    void fetched(const Job &job);
    void write(MetricsText &text) const;

    // When one that was turned away finds a place in the queues of its kind.
    [[nodiscard]] std::int64_t secondsUntilPlace(core::Kind kind) const;

    // Where nobody can say: the database is away, or a helper of ours is at its limit. The first
    // step of the backoff table, since that may end at any moment.
    [[nodiscard]] static std::int64_t secondsUntilAnybodyKnows();

  private:
    [[nodiscard]] core::Standing standingOf(const Job &job, Read read) const;
    [[nodiscard]] std::int64_t secondsAt(const core::Standing &standing,
                                         const core::JobId &job) const;
    void remember(const Job &job, const core::Standing &standing, std::int64_t seconds);

    // Without nodes of the gateway nobody else asks the database what waits there.
    static drogon::AsyncTask levelQueues(std::shared_ptr<bool> busy, std::shared_ptr<Store> store,
                                         std::shared_ptr<TxQueues> queues,
                                         std::shared_ptr<ReadinessLines> lines);

    // Of one that learns.
    struct Learner
    {
        explicit Learner(const core::RetryAfterSettings &settings) : estimator(settings) {}

        std::mutex mutex;
        core::MeasuredRetryAfter estimator;
    };
    static void lookAtQueues(Learner &learner, const TxQueues &queues, const ReadinessLines &lines);

    std::unique_ptr<RetryAfterCalibration> calibration_;  // none: nobody asks for it
    std::shared_ptr<Learner> learner_;                    // none: nominal
    std::shared_ptr<TxThrottler> beforeTheChain_;
    std::shared_ptr<ReadinessGate> readiness_;
    trantor::TimerId timer_ = trantor::InvalidTimerId;
    trantor::TimerId lookTimer_ = trantor::InvalidTimerId;
};
}  // namespace relayer::plugins
